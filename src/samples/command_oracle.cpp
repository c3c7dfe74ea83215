#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/child_process.hpp"
#include "relucover/errors.hpp"
#include "samples/oracle_wire.hpp"

namespace relucover {

namespace {

class CommandOracle : public BlackBox {
 public:
  CommandOracle(std::string command, const CommandOptions& options)
      : command_(std::move(command)), options_(options), wire_(wire_of(options.protocol, command_)) {}
  std::string name() const override { return command_; }
  Index restarts() const override { return restarts_; }

  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control& control) override {
    for (Index failures = 0;; ++failures) {
      const std::string request = wire_->request(queries);
      const bool again = !child_ && started_;
      if (!child_) child_ = std::make_unique<ChildProcess>(command_);
      restarts_ += again;
      started_ = true;
      std::string reply;
      const auto outcome = child_->exchange(
          request, reply, [&](const std::string& so_far) { return wire_->complete(so_far, queries.rows()); }, options_.timeout, control);
      if (outcome != ChildProcess::Outcome::complete) child_.reset();
      RowMatrix answers = wire_->answers(reply, queries.rows());
      if (answers.rows() > 0) return answers;
      if (failures == options_.max_restarts)
        throw DataError(command_, "",
                        outcome == ChildProcess::Outcome::stalled
                            ? fmt::format("gave no sign of life for {} s, {} times in a row", options_.timeout, failures + 1)
                            : fmt::format("ended without an answer, {} times in a row", failures + 1),
                        "try it in a shell");
    }
  }

 private:
  std::string command_;
  CommandOptions options_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<ChildProcess> child_;
  bool started_ = false;
  Index restarts_ = 0;
};

}  // namespace

std::unique_ptr<BlackBox> command_oracle(const std::string& command, const CommandOptions& options) {
  std::vector<std::string> problems;
  if (command.empty()) problems.push_back("the command is empty");
  if (!(options.timeout > 0)) problems.push_back("timeout must be positive");
  if (options.max_restarts < 0) problems.push_back("max_restarts must not be negative");
  check_no_problems("oracle command", problems);
  return std::make_unique<CommandOracle>(command, options);
}

}  // namespace relucover
