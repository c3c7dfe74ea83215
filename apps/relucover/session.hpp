#pragma once
// What every command shares: exit codes, text for people, progress on a terminal, Ctrl-C.

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_text.hpp"
#include "relucover/relucover.hpp"

namespace relucover::cli {

namespace exit_code {
inline constexpr int certain = 0, approximate = 1, usage_or_data = 2, not_enough = 3, numerical = 4;
}
int exit_code_of(Status status);

/// The signal handler: cancels what a Terminal watches.
extern "C" void ask_to_stop(int signal);

/// Watches long work: draws a bar where standard error is a terminal, and turns SIGINT and SIGTERM into cancellation.
class Terminal : public Observer {
 public:
  explicit Terminal(bool draw);
  void progress(std::string_view stage, double fraction, std::string_view detail) override;
  bool cancelled() const override;
  void clear();
  /// "stage (43%)" of the last report, empty before the first.
  std::string how_far() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool draw_, drawn_ = false;
  Clock::time_point last_drawn_{};
  std::string stage_, detail_;
  double fraction_ = -1;
};

/// Options that long commands have in common.
struct RunOptions {
  int threads = 0;
  double time_limit = std::numeric_limits<double>::infinity();
};

class Session {
 public:
  Session();
  Terminal& terminal() { return terminal_; }
  Control control(const RunOptions& run) { return Control(run.threads, run.time_limit, &terminal_); }
  /// Text for people, a line on standard error (with the bar out of the way).
  void say(std::string_view line);
  /// A result, on standard output.
  void print(std::string_view text);
  void print_json(const JsonText& object);
  /// Throws DataError if standard output did not take everything (a full disk, say).
  void flush();

  int exit_code = exit_code::certain;
  bool speaks = true;  // of several ranks only the first

 private:
  Terminal terminal_;
};

/// A file that a command will write; an empty path: none.
struct Output {
  std::filesystem::path path;
  std::vector<std::string_view> extensions = {};  // one of these; empty: any
};

/// Throws before long work if the files could not be written after it: an extension nobody writes, a folder that is not
/// there or not writable, a name that is taken by something that is not a file. Nothing is written over what is read, and
/// nothing twice to one name.
void check_outputs(const std::vector<Output>& outputs, const std::vector<std::filesystem::path>& inputs = {});

/// Throws if one file is named twice: its samples would count twice.
void check_different(const std::vector<std::string>& files);

/// What a path of samples stands for: x.npy is read and written with y.npy beside it.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& samples);

}  // namespace relucover::cli
