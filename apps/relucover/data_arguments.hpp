#pragma once
// DATA... on the command line: one file, several shards, or inputs and labels apart.
#include <memory>
#include <string>
#include <vector>

#include "relucover/arguments.hpp"
#include "relucover/session.hpp"

namespace relucover::cli {

struct DataArguments {
  std::vector<std::string> files;
  std::string x, y;

  void add_to(Command& command);
  bool given() const { return !files.empty() || !x.empty() || !y.empty(); }
  /// Throws std::invalid_argument for arguments that don't go together, DataError for files that can't be read and for
  /// values that are not finite.
  std::unique_ptr<SampleSource> open(const Control& control) const;
  /// For those who look at all values themselves.
  std::unique_ptr<SampleSource> open_unchecked(const Control& control) const;
  /// Every file that is named.
  std::vector<std::filesystem::path> paths() const;
};

/// The inputs alone of a file with samples, or of a .npy file.
RowMatrix rows_of(const std::filesystem::path& file);

/// Adds --threads and --time-limit.
void add_run_options(Command& command, RunOptions& run);
/// Adds --precision, of samples that are written.
void add_precision_option(Command& command, Precision& precision);

inline constexpr const char* data_formats =
    "DATA is .npz (arrays x: n by d, and y: n or n by l), .h5 (datasets x and y) or .csv (a header; columns whose name\n"
    "starts with y are labels). Several files are read as one. Inputs and labels apart: --x a.npy --y b.npy.";

}  // namespace relucover::cli
