#include "relucover/demo.hpp"

#include <fmt/format.h>

#include "report/result_json.hpp"

namespace relucover::cli {

namespace {

/// Width of the table on a terminal: more weights than this are not shown one by one.
constexpr Index shown_at_most = 8;

void append_row(std::string& table, std::string_view title, std::string_view kind, const std::vector<double>& values,
                std::string_view number, bool cut) {
  table += fmt::format("{:<8}{:<10}", title, kind);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (cut && i == static_cast<std::size_t>(shown_at_most)) table += "  ...";
    table += fmt::format(fmt::runtime(number), values[i]);
  }
  table += "\n";
}

/// The numbers of one unit: weights (the first few), bias, output weights.
std::vector<double> unit_values(const Network& network, Index unit, double sign) {
  std::vector<double> values;
  for (Index j = 0; j < std::min(network.inputs(), shown_at_most); ++j) values.push_back(sign * network.W(unit, j));
  values.push_back(sign * network.b[unit]);
  for (Index j = 0; j < network.outputs(); ++j) values.push_back(network.A(j, unit));
  return values;
}

bool is_turned(const Network& truth, Index i, const Network& answer, Index j) {
  return truth.W.row(i).dot(answer.W.row(j)) + truth.b[i] * answer.b[j] < 0;
}

std::string side_by_side(const Network& truth, const Network& answer, const Comparison& errors) {
  const bool cut = truth.inputs() > shown_at_most;
  std::string table = fmt::format("{:<18}", "");
  for (Index j = 0; j < std::min(truth.inputs(), shown_at_most); ++j) table += fmt::format("{:>10}", fmt::format("w{}", j + 1));
  table += fmt::format("{}{:>10}", cut ? "  ..." : "", "b");
  for (Index j = 0; j < truth.outputs(); ++j)
    table += fmt::format("{:>10}", truth.outputs() == 1 ? std::string("a") : fmt::format("a{}", j + 1));
  table += "\n";
  for (Index i = 0; i < truth.units(); ++i) {
    const std::string title = fmt::format("unit {}", i + 1);
    const std::vector<double> planted = unit_values(truth, i, 1);
    append_row(table, title, "truth", planted, "{:>10.6f}", cut);
    const Index j = errors.partner[static_cast<std::size_t>(i)];
    if (j < 0) {
      table += fmt::format("{:<8}not found\n", "");
      continue;
    }
    const bool turned = is_turned(truth, i, answer, j);
    const std::vector<double> found = unit_values(answer, j, turned ? -1 : 1);
    append_row(table, "", turned ? "turned" : "answer", found, "{:>10.6f}", cut);
    std::vector<double> difference;
    for (std::size_t k = 0; k < found.size(); ++k) difference.push_back(found[k] - planted[k]);
    append_row(table, "", "differs", difference, "{:>10.0e}", cut);
  }
  return table;
}

JsonText as_json(const Result& result, const Comparison& errors) {
  return json_of(result)
      .add("units_matched", errors.units_matched)
      .add("max_weight_error", errors.max_weight_error)
      .add("max_bias_error", errors.max_bias_error)
      .add("max_output_error", errors.max_output_error)
      .add("function_rms", errors.function_rms);
}

}  // namespace

void run_demo(const DemoRequest& request, Session& session) {
  const Network truth = canonical(request.planted.network());
  const auto source = request.planted.samples(truth);
  session.say(fmt::format("A network is planted: y = A relu(W x + b), {} inputs, {} units, {} output{}, seed {}.", truth.inputs(),
                          truth.units(), truth.outputs(), truth.outputs() == 1 ? "" : "s", request.planted.options.seed));
  session.say(fmt::format("{} samples of it are drawn ({} inputs{}), and the network is learned from them alone.", source->samples(),
                          request.planted.distribution,
                          request.planted.noise > 0 ? fmt::format(", label noise {}", request.planted.noise) : ""));
  const Result result = learn(*source, {.units = truth.units(),
                                        .seed = request.planted.options.seed,
                                        .threads = request.run.threads,
                                        .time_limit = request.run.time_limit,
                                        .observer = &session.terminal()});
  session.exit_code = exit_code_of(result.status);
  if (!result.usable()) return session.print(request.json ? result.json() + "\n" : result.full());
  const Network answer = canonical(result.network);
  const Comparison errors = compare(truth, answer);
  if (request.json) return session.print_json(as_json(result, errors));
  session.print("\n" + side_by_side(truth, answer, errors));
  session.print(fmt::format("\nlargest differences   weights {:.1e}, biases {:.1e}, output weights {:.1e}\n", errors.max_weight_error,
                            errors.max_bias_error, errors.max_output_error));
  session.print(fmt::format("status                {}\n", name_of(result.status)));
  session.print(fmt::format("why                   {}\n", result.message));
  session.print(fmt::format("time                  {:.2f} s ({})\n", result.seconds, result.method));
}

}  // namespace relucover::cli
