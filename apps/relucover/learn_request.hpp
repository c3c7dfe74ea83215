#pragma once
// What `relucover learn` was asked. A flag of its own file is a function in the table of command_learn.cpp.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "relucover/data_arguments.hpp"

namespace relucover::cli {

struct LearnRequest {
  DataArguments data;
  LearnOptions options;
  RunOptions run;
  std::string output;
  /// Moments to start from; DATA may be left out then.
  std::string moments;
  /// A network to start from instead of data.
  std::string network;
  bool json = false, brief = false;
  double rank_timeout = 600;
  /// Set by a flag that answers without samples or with a learner of another kind; empty: learn(source, options).
  std::function<Result(const LearnRequest& request, Session& session)> answer;
  /// Set by --task: another job on the same data, with an answer of its own kind.
  std::function<void(const LearnRequest& request, Session& session)> run_instead;
};

/// --layers and --depth. `options` must live as long as the command.
void add_layer_options(Command& command, LearnOptions& options);

/// --link. `options` must live as long as the command.
void add_link_option(Command& command, LearnOptions& options);

void add_first_layer_task(Command& command, const std::shared_ptr<LearnRequest>& request);

}  // namespace relucover::cli
