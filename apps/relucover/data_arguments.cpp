#include "relucover/data_arguments.hpp"

#include "core/npz.hpp"
#include "samples/files.hpp"

namespace relucover::cli {

void DataArguments::add_to(Command& command) {
  command.add_option("DATA", files, "Samples: .npz, .h5 or .csv; several files are shards of one set").at_least(0);
  command.add_option("--x", x, "Inputs as a .npy file, n by d (with --y, instead of DATA)").type_name("FILE");
  command.add_option("--y", y, "Labels as a .npy file, n or n by l (with --x, instead of DATA)").type_name("FILE");
}

std::unique_ptr<SampleSource> DataArguments::open(const Control& control) const {
  auto source = open_unchecked(control);
  check_finite(*source, control);
  return source;
}

std::vector<std::filesystem::path> DataArguments::paths() const {
  std::vector<std::filesystem::path> all;
  for (const auto& file : files)
    for (auto& path : files_of(file)) all.push_back(std::move(path));
  for (const auto& file : {x, y})
    if (!file.empty()) all.push_back(file);
  return all;
}

std::unique_ptr<SampleSource> DataArguments::open_unchecked(const Control& control) const {
  if (x.empty() != y.empty()) throw std::invalid_argument("--x and --y go together: give both .npy files");
  if (!x.empty() && !files.empty()) throw std::invalid_argument("give either DATA or --x and --y, not both");
  if (!x.empty()) return open_samples(x, y, control);
  if (files.empty()) throw std::invalid_argument("no data: give DATA (.npz, .h5, .csv) or --x a.npy --y b.npy");
  if (files.size() == 1) return open_samples(files.front(), control);
  check_different(files);
  std::vector<std::unique_ptr<SampleSource>> shards;
  for (const auto& file : files) shards.push_back(open_samples(file, control));
  return concatenate(std::move(shards));
}

RowMatrix rows_of(const std::filesystem::path& file) {
  const std::string kind = extension_of(file);
  if (kind == ".npz") return NpzReader(map_file(file), file.string(), "rows are an array x, n by d").matrix("x", -1, -1);
  if (kind == ".csv") return csv_inputs(map_file(file).bytes, file.string());
  const auto source = kind == ".npy" ? open_samples(file, file) : open_samples(file);
  BlockBuffer<double> buffer;
  return source->read(0, source->samples(), buffer).x;
}

void add_run_options(Command& command, RunOptions& run) {
  command.add_option("--threads", run.threads, "Threads; 0: all cores. The answer is the same for any number")
      .within(0, 4096)
      .type_name("T")
      .shows_default();
  command.add_option("--time-limit", run.time_limit, "Stop after this many seconds and say how far it came")
      .within(0.001, std::numeric_limits<double>::infinity())
      .type_name("SECONDS");
}

void add_precision_option(Command& command, Precision& precision) {
  command
      .add_choice("--precision", precision, {{"float64", Precision::float64}, {"float32", Precision::float32}}, "Store float64 or float32")
      .shows_default("float64");
}

}  // namespace relucover::cli
