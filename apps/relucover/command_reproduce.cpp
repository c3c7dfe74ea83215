#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/archive.hpp"
#include "core/atomic_file.hpp"
#include "core/checkpoint.hpp"
#include "core/version.hpp"
#include "learners/studies.hpp"
#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"

namespace relucover::cli {

namespace {

struct ReproduceRequest {
  std::string figure, csv, checkpoint, resume;
  StudySize size;
  RunOptions run;
};

struct Table {
  TableRow header;
  std::vector<TableRow> rows;
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

/// Finished rows, in a file if one is named: what is done stays done, whatever ends the work.
Checkpoint checkpoint_for(const ReproduceRequest& request) {
  const std::string& file = request.checkpoint.empty() ? request.resume : request.checkpoint;
  Checkpoint checkpoint(file,
                        {{"version", version()},
                         {"figure", request.figure},
                         {"trials", std::to_string(request.size.trials)},
                         {"points", std::to_string(request.size.points)}},
                        0);
  if (!request.resume.empty()) checkpoint.resume_from(request.resume);
  return checkpoint;
}

TableRow finished_row(Index place, const std::function<TableRow(const Watched&)>& compute, const Watched& watched, Checkpoint& checkpoint) {
  TableRow row;
  if (const std::string* done = checkpoint.at(place)) {
    unpack(*done, row);
    return row;
  }
  watched.control.check_here();
  row = compute(watched);
  checkpoint.leave(place, pack(row));
  return row;
}

void run_reproduce(const ReproduceRequest& request, Session& session) {
  const Figure& figure = figure_named(request.figure);
  check_outputs({{request.csv, {".csv"}}, {request.checkpoint.empty() ? request.resume : request.checkpoint}});
  const Control control = session.control(request.run);
  const Study study = figure.plan(request.size);
  const std::size_t points = study.rows.size();
  Checkpoint checkpoint = checkpoint_for(request);
  Table table{study.header, {}};
  try {
    for (std::size_t i = 0; i < points; ++i) {
      control.progress("reproduce", static_cast<double>(i) / static_cast<double>(points));
      table.rows.push_back(finished_row(checkpoint.next_place(), study.rows[i], {control, &session.terminal()}, checkpoint));
      if (!request.csv.empty()) write_atomically(request.csv, as_csv(table));
    }
  } catch (const Interrupted& stopped) {
    session.say(fmt::format("relucover: {} after {} of {} rows{}", stopped.what(), table.rows.size(), points,
                            checkpoint.file().empty() ? "" : "; go on with --resume " + checkpoint.file().string()));
    session.exit_code = exit_code::not_enough;
  }
  if (!checkpoint.trouble().empty()) session.say("relucover: finished rows could not be kept: " + checkpoint.trouble());
  session.print(as_text(table));
}

}  // namespace

void add_reproduce(Program& program, Session& session) {
  Command command = program.add_command("reproduce", "Run a paper's experiment and print its table");
  auto request = std::make_shared<ReproduceRequest>();
  std::string known = "Which experiment:";
  for (const Figure& figure : figures()) known += fmt::format("\n  {}: {}", figure.name, figure.shows);
  command.add_option("FIGURE", request->figure, known).required();
  command.add_option("--csv", request->csv, "Also write the table here, row by row as they are finished").type_name("FILE");
  command.add_option("--checkpoint", request->checkpoint, "Keep finished rows here").type_name("FILE");
  command.add_option("--resume", request->resume, "Go on from a checkpoint of the same figure and trials (and keep it there)")
      .type_name("FILE");
  command.add_option("--trials", request->size.trials, "Networks and data sets for each point of the figure")
      .within(1, 1000)
      .shows_default();
  command.add_option("--points", request->size.points, "Only the first so many points of the figure").within(1, 1000).type_name("N");
  add_run_options(command, request->run);
  command.footer(
      "Example:\n  relucover reproduce gklw-fig2 --csv samples.csv\n  relucover reproduce atv-smoothed --trials 3\n"
      "  relucover reproduce gklw-fig3 --checkpoint fig3.state --csv noise.csv\n  relucover reproduce gklw-fig3 --resume fig3.state --csv "
      "noise.csv");
  command.runs([&session, request] { run_reproduce(*request, session); });
}

}  // namespace relucover::cli
