#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/atomic_file.hpp"
#include "learners/hermite/smoothed_study.hpp"
#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "relucover/figures.hpp"

namespace relucover::cli {

namespace {

struct Figure {
  const char* name;
  const char* shows;
  Table (*run)(const StudySize& size, const Control& control);
};

const std::vector<Figure> figures = {
    {"gklw-fig2", "errors by number of samples (10x10, 32x32 weights) and by dimension (GKLW, figure 2)",
     gklw_sample_efficiency},
    {"gklw-fig3", "errors by label noise, Gaussian and mixture inputs (GKLW, figure 3)", gklw_noise},
    {"gklw-fig4", "errors by condition number of W and of A, mixture inputs (GKLW, figure 4)", gklw_condition},
    {"atv-smoothed", "success of the moment method against smoothing tau, units per input and samples (ATV, appendix E)",
     atv_smoothed},
};

struct ReproduceRequest {
  std::string figure, csv;
  StudySize size;
  RunOptions run;
};

std::string as_csv(const Table& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.header, ","));
  for (const auto& row : table.rows) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

std::string as_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    widths.push_back(table.header[c].size());
    for (const auto& row : table.rows) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) text += fmt::format("{:>{}}{}", row[c], widths[c], c + 1 < row.size() ? "  " : "\n");
  };
  line(table.header);
  for (const auto& row : table.rows) line(row);
  return text;
}

void run_reproduce(const ReproduceRequest& request, Session& session) {
  const auto at = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.name == request.figure; });
  if (at == figures.end()) {
    std::vector<std::string> names;
    for (const auto& figure : figures) names.push_back(figure.name);
    throw std::invalid_argument(fmt::format("there is no figure \"{}\"; there are {}", request.figure, fmt::join(names, ", ")));
  }
  if (!request.csv.empty()) check_output(request.csv, {".csv"});
  const Table table = at->run(request.size, session.control(request.run));
  if (!request.csv.empty()) write_atomically(request.csv, as_csv(table));
  session.print(as_text(table));
}

}  // namespace

Table atv_smoothed(const StudySize& size, const Control& control) {
  Table table{{"tau", "inputs", "units", "samples", "success", "median_error", "least_singular_value"}, {}};
  SmoothedStudyOptions options{.seeds = size.trials};
  if (size.points > 0) options.taus.resize(std::min(options.taus.size(), static_cast<std::size_t>(size.points)));
  for (const SmoothedStudyRow& row : smoothed_study(options, control))
    table.rows.push_back({fmt::format("{:g}", row.tau), fmt::format("{}", row.inputs), fmt::format("{}", row.units),
                          row.samples == 0 ? "exact" : fmt::format("{}", row.samples), fmt::format("{:.2f}", row.success),
                          fmt::format("{:.1e}", row.median_error), fmt::format("{:.1e}", row.least_singular_value)});
  return table;
}

void add_reproduce(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("reproduce", "Run a paper's experiment and print its table");
  auto request = std::make_shared<ReproduceRequest>();
  std::string known = "Which experiment:";
  for (const auto& figure : figures) known += fmt::format("\n  {}: {}", figure.name, figure.shows);
  command->add_option("FIGURE", request->figure, known)->required();
  command->add_option("--csv", request->csv, "Also write the table here")->type_name("FILE");
  command->add_option("--trials", request->size.trials, "Networks and data sets for each point of the figure")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--points", request->size.points, "Only the first so many points of the figure")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  add_run_options(*command, request->run);
  command->footer("Example:\n  relucover reproduce gklw-fig2 --csv samples.csv\n  relucover reproduce atv-smoothed --trials 3");
  command->callback([&session, request] { run_reproduce(*request, session); });
}

}  // namespace relucover::cli
