#include <fmt/format.h>

#include <optional>

#include "learners/labels_look.hpp"
#include "moments/distinguishing.hpp"
#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "verify/input_diagnostics.hpp"

namespace relucover::cli {

namespace {

struct DiagnoseRequest {
  DataArguments data;
  RunOptions run;
  DiagnosticsOptions options;
  std::string network;
  LookOptions look;
  bool json = false;
};

/// GKLW Definition 1: whether pure neurons of these weights can be told from mixtures on these inputs.
struct Told {
  double least = 0, least_augmented = 0;
  std::vector<std::string> findings;
};

Told told_apart(const SampleSource& source, const std::string& file, const Control& control) {
  const Network network = read_network(file);
  if (network.inputs() != source.inputs())
    throw std::invalid_argument(fmt::format("{} has {} inputs, the data {}", file, network.inputs(), source.inputs()));
  const Distinguishing found = distinguishing(source, network.W, control);
  return {found.least(), found.least_augmented(), found.findings};
}

JsonText as_json(const Test& test) {
  return JsonText::object({{"passed", test.passed}, {"worst_z", test.worst_z}, {"threshold", test.threshold}, {"worst", test.worst}});
}

JsonText as_json(const InputDiagnostics& found) {
  const auto& decimals = found.grid.decimals;
  return JsonText::object({{"samples", found.samples},
                           {"inputs", found.inputs},
                           {"outputs", found.outputs},
                           {"constant_columns", found.constant_columns},
                           {"duplicated_columns", found.duplicated_columns},
                           {"dependent_columns", found.dependent_columns},
                           {"covariance_condition", found.covariance_condition},
                           {"largest_mean", found.largest_mean},
                           {"distance_from_identity", found.distance_from_identity},
                           {"whitened", found.whitened},
                           {"gaussian", as_json(found.gaussian)},
                           {"symmetric", as_json(found.symmetric)},
                           {"label_rank", found.label_rank},
                           {"affine_fit_residual", found.affine_fit_residual},
                           {"labels_float32", found.grid.float32},
                           {"label_decimals", decimals >= 0 ? JsonText(decimals) : JsonText(nullptr)},
                           {"label_values", found.grid.values},
                           {"label_rounding", found.grid.rounding()},
                           {"units_at_least", found.units_at_least},
                           {"t2_spectrum", found.t2_spectrum},
                           {"t2_noise_edge", found.t2_noise_edge},
                           {"noise_at_most", found.noise_at_most}});
}

std::string sentence(const Test& test, std::string_view held, std::string_view failed) {
  if (test.threshold == 0) return test.worst;
  return fmt::format("{} (largest of the statistics: {}, z = {:.1f}; limit {:.1f})", test.passed ? held : failed, test.worst, test.worst_z,
                     test.threshold);
}

std::string labels_sentence(const LabelGrid& grid) {
  std::string text;
  if (!grid.values.empty())
    text = fmt::format("take {} value{}: {}; ", grid.values.size(), grid.values.size() == 1 ? "" : "s", fmt::join(grid.values, ", "));
  if (grid.decimals >= 0) return text + fmt::format("rounded to {} decimals (error up to {:.0e})", grid.decimals, grid.rounding());
  return text + fmt::format("{} values (rounding up to {:.0e})", grid.float32 ? "float32" : "float64", grid.rounding());
}

std::string columns(std::string_view what, const std::vector<Index>& list) {
  return list.empty() ? "" : fmt::format("{:<14}{}\n", what, fmt::join(list, ", "));
}

std::string as_text(const InputDiagnostics& found) {
  std::string page;
  const auto line = [&page](std::string_view name, const std::string& value) { page += fmt::format("{:<14}{}\n", name, value); };
  line("samples", std::to_string(found.samples));
  line("inputs", fmt::format("{}, covariance of condition {:.3g}, {}", found.inputs, found.covariance_condition,
                             found.whitened ? "whitened (mean 0, covariance I)"
                                            : fmt::format("not whitened (means up to {:.2g} standard deviations, covariance {:.2g} from I)",
                                                          found.largest_mean, found.distance_from_identity)));
  page += columns("constant", found.constant_columns);
  for (const auto& [one, other] : found.duplicated_columns) line("duplicated", fmt::format("column {} is column {}", other, one));
  page += columns("dependent", found.dependent_columns);
  line("Gaussian", sentence(found.gaussian, "nothing speaks against it", "no"));
  line("symmetric", sentence(found.symmetric, "nothing speaks against it", "no"));
  line("outputs", fmt::format("{}, rank {}", found.outputs, found.label_rank));
  line("labels", labels_sentence(found.grid));
  line("affine fit", fmt::format("leaves {:.3g} of the variance of the labels", found.affine_fit_residual));
  line("units", found.units_at_least ? fmt::format("at least {} (singular values of T_2 above its noise)", *found.units_at_least)
                                     : "not read off T_2: the inputs are not Gaussian");
  line("noise", fmt::format("standard deviation at most {:.3g} (what random features leave, held out)", found.noise_at_most));
  return page;
}

void run_diagnose(const DiagnoseRequest& request, Session& session) {
  const Control control = session.control(request.run);
  const auto source = request.data.open(control);
  const InputDiagnostics found = diagnose(*source, request.options, control);
  LookOptions look = request.look;
  look.seed = request.options.seed;
  look.observer = &session.terminal();
  const std::string looks_like = look.seconds > 0 ? labels_look_like(*source, look, control) : "";
  std::optional<Told> told;
  if (!request.network.empty()) told = told_apart(*source, request.network, control);
  if (request.json) {
    JsonText object = as_json(found);
    if (!looks_like.empty()) object.add("looks_like", looks_like);
    if (told)
      object.add("distinguishing_least", told->least)
          .add("augmented_distinguishing_least", told->least_augmented)
          .add("distinguishing_findings", told->findings);
    return session.print_json(object);
  }
  session.print(as_text(found));
  if (!looks_like.empty()) session.print(fmt::format("{:<14}{}\n", "looks like", looks_like));
  if (!told) return;
  session.print(fmt::format("{:<14}least singular value {:.3g} ({:.3g} with label noise); pure neurons of {} {}\n", "distinguishing",
                            told->least, told->least_augmented, request.network,
                            told->findings.empty() ? "can be told from mixtures" : "are hard to tell from mixtures"));
  for (const std::string& finding : told->findings) session.print(fmt::format("{:<14}{}\n", "", finding));
}

}  // namespace

void add_diagnose(Program& program, Session& session) {
  Command command = program.add_command(
      "diagnose", "Which assumptions hold on data (Gaussian, symmetric, rank, units, noise), and what the labels look like");
  auto request = std::make_shared<DiagnoseRequest>();
  request->data.add_to(command);
  command.add_option("--level", request->options.level, "Chance that a test says no though its hypothesis holds")
      .within(1e-12, 0.5)
      .shows_default();
  command.add_option("--seed", request->options.seed, "Seed of the random projections").type_name("I").shows_default();
  command
      .add_option("--network", request->network,
                  "Weights to judge on these inputs: the least singular value of their distinguishing matrix (GKLW)")
      .type_name("FILE");
  command.add_option("--look", request->look.seconds, "Seconds to try to explain the labels, to say what they look like; 0: no look")
      .type_name("SECONDS")
      .within(0.0, 1e6)
      .shows_default();
  command.add_flag("--json", request->json, "Print one object for machines");
  add_run_options(command, request->run);
  command.footer(std::string(data_formats) + R"(

Labels look constant, like classes, kinked (one hidden layer), deeper, smooth or noisy, by a short attempt to explain them.
Columns are counted from 0. Tests say no, never yes: a test that passes found nothing against its hypothesis.

Example:
  relucover diagnose data.npz
  relucover diagnose data.npz --network net.json)");
  command.runs([&session, request] { run_diagnose(*request, session); });
}

}  // namespace relucover::cli
