// What a Result says: one line, a page, or an object for machines.
#include <fmt/format.h>

#include <cmath>

#include "relucover/learn.hpp"

namespace relucover {

std::string name_of(Status status) {
  switch (status) {
    case Status::exact: return "exact";
    case Status::recovered: return "recovered";
    case Status::approximate: return "approximate";
    case Status::assumption_failed: return "assumption_failed";
    case Status::budget_exhausted: return "budget_exhausted";
    case Status::numerical_failure: return "numerical_failure";
  }
  throw std::invalid_argument("unknown status");
}

namespace {

// What each rung of the ladder means to somebody who sees it for the first time.
const char* meaning_of(Status status) {
  switch (status) {
    case Status::exact: return "the network that made the data, certified to rounding";
    case Status::recovered: return "the network that made the data, certified to the noise of the labels";
    case Status::approximate: return "fits, not certified";
    case Status::assumption_failed: return "the data does not allow an answer";
    case Status::budget_exhausted: return "stopped before an answer was found";
    case Status::numerical_failure: return "the computation failed";
  }
  return "";
}

std::string shape_of(const Network& network) {
  if (network.deep())
    return fmt::format("{} input{}, hidden layers of {} units, {} output{}", network.inputs(), network.inputs() == 1 ? "" : "s",
                       fmt::join(network.widths(), ", "), network.outputs(), network.outputs() == 1 ? "" : "s");
  return fmt::format("{} input{}, {} unit{}, {} output{}", network.inputs(), network.inputs() == 1 ? "" : "s", network.units(),
                     network.units() == 1 ? "" : "s", network.outputs(), network.outputs() == 1 ? "" : "s");
}

void append_line(std::string& page, std::string_view name, std::string_view value) {
  if (!value.empty()) page += fmt::format("{:<18}{}\n", name, value);
}

std::string stages_table(const std::vector<StageRecord>& stages) {
  if (stages.empty()) return {};
  std::size_t width = 5;
  for (const auto& record : stages) width = std::max(width, record.stage.size());
  std::string table = fmt::format("\n{:<{}}  {:>10}  {:>10}  {:>10}\n", "stage", width, "seconds", "iterations", "residual");
  for (const auto& record : stages)
    table += fmt::format("{:<{}}  {:>10.3f}  {:>10}  {:>10.2e}\n", record.stage, width, record.seconds, record.iterations, record.residual);
  return table;
}

}  // namespace

std::string Result::brief() const {
  std::string line = fmt::format("{}: ", name_of(status));
  if (usable())
    line += fmt::format("{} ({}), relative residual {}, {:.2f} s. ", shape_of(network), method,
                        std::isnan(residual_relative) ? "unknown" : fmt::format("{:.1e}", residual_relative), seconds);
  return line + message;
}

std::string Result::full() const {
  std::string page;
  append_line(page, "status", fmt::format("{} ({})", name_of(status), meaning_of(status)));
  append_line(page, "message", message);
  append_line(page, "method", method_reason.empty() ? method : fmt::format("{} ({})", method, method_reason));
  if (!method_asked.empty() && method_asked != method) append_line(page, "method asked for", method_asked);
  const bool stopped = !usable() && network.inputs() > 0;
  if (usable() || stopped) append_line(page, "network", shape_of(network) + (stopped ? ": the best so far" : ""));
  if (usable() && network.activation == Activation::leaky)
    append_line(page, "activation", fmt::format("leaky, slope {:.6g}", network.slope));
  if (usable() && network.link != Link::identity) append_line(page, "link", name_of(network.link));
  append_line(page, "domain", domain.empty() ? "" : "inputs like " + domain);
  append_line(page, "units asked for", units_asked > 0 ? std::to_string(units_asked) : "auto");
  append_line(page, "samples", std::to_string(samples));
  if (stopped && std::isfinite(residual_relative))
    append_line(page, "residual", fmt::format("{:.3e} rms, {:.3e} relative", residual_rms, residual_relative));
  if (usable()) {
    if (std::isnan(residual_relative)) {
      append_line(page, "residual", "unknown without samples");
    } else {
      append_line(page, "residual", fmt::format("{:.3e} rms, {:.3e} relative", residual_rms, residual_relative));
      append_line(page, "held out", fmt::format("{:.3e} rms", holdout_rms));
      append_line(page, "noise", fmt::format("{:.3e} estimated", noise_estimate));
    }
    if (left_out > 0) append_line(page, "left out", fmt::format("{} labels are not explained", left_out));
    if (std::isfinite(detection_limit))
      append_line(page, "detection limit",
                  fmt::format("a further unit of {:.2g} times the smallest one found would have shown", detection_limit));
    append_line(page, "signs", sign_ambiguous ? "some unit's sign is not determined by the data (the function is)" : "determined");
  }
  append_line(page, "seconds", fmt::format("{:.3f}", seconds));
  page += stages_table(stages);
  if (!notes.empty()) page += "\n";
  for (const auto& note : notes) page += fmt::format("note: {}\n", note);
  if (!figures.empty()) page += "\n";
  for (const auto& [name, value] : figures) page += fmt::format("{} = {:.6g}\n", name, value);
  return page;
}

}  // namespace relucover
