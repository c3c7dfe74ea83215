#include "relucover/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/words_of_error.hpp"

namespace relucover::cli {

namespace {

volatile std::sig_atomic_t stop_asked = 0, stop_heard = 0;

void say_and_end(const char* words, int code) {
  const ssize_t ignored = ::write(STDERR_FILENO, words, std::strlen(words));
  static_cast<void>(ignored);
  ::_exit(code);
}

/// The work that was told to stop does not listen: it waits for a file, or computes something long.
extern "C" void end_unheard(int) {
  if (!stop_heard) say_and_end("relucover: told to stop; nothing was written\n", exit_code::not_enough);
}

/// A mapped file that somebody cuts short while it is read.
extern "C" void end_at_lost_data(int) {
  say_and_end("relucover: a file became shorter, or its disk failed, while it was read; keep files as they are until the program ends\n",
              exit_code::usage_or_data);
}

// The first signal asks; the handler is then gone, so that a second one ends the program at once.
void catch_signals() {
  struct sigaction end = {};
  sigemptyset(&end.sa_mask);
  end.sa_handler = end_unheard;
  sigaction(SIGALRM, &end, nullptr);
  end.sa_handler = end_at_lost_data;
  sigaction(SIGBUS, &end, nullptr);
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup and background jobs stay immune
  }
}

}  // namespace

extern "C" void ask_to_stop(int) {
  constexpr unsigned patience = 10;  // seconds
  stop_asked = 1;
  alarm(patience);
}

int exit_code_of(Status status) {
  switch (status) {
    case Status::exact:
    case Status::recovered: return exit_code::certain;
    case Status::approximate: return exit_code::approximate;
    case Status::assumption_failed:
    case Status::budget_exhausted: return exit_code::not_enough;
    case Status::numerical_failure: return exit_code::numerical;
  }
  return exit_code::numerical;
}

Terminal::Terminal(bool draw) : draw_(draw) { catch_signals(); }

void Terminal::progress(std::string_view stage, double fraction, std::string_view detail) {
  const bool new_stage = stage != stage_;
  stage_ = stage;
  detail_ = detail;
  fraction_ = fraction;
  const auto now = Clock::now();
  constexpr auto between = std::chrono::milliseconds(100);
  if (!draw_ || (!new_stage && now - last_drawn_ < between)) return;
  last_drawn_ = now;
  drawn_ = true;
  constexpr int width = 24;
  std::string bar;
  if (fraction >= 0) {
    const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
    bar = fmt::format(" [{}{}] {:3.0f}%", std::string(static_cast<std::size_t>(filled), '#'),
                      std::string(static_cast<std::size_t>(width - filled), '.'), 100 * fraction);
  }
  fmt::print(stderr, "\r\033[K{}{}{}{}", stage_, bar, detail_.empty() ? "" : "  ", detail_.substr(0, 60));
  std::fflush(stderr);
}

bool Terminal::cancelled() const {
  if (stop_asked != 0) stop_heard = 1;
  return stop_asked != 0;
}

void Terminal::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

std::string Terminal::how_far() const {
  if (stage_.empty()) return {};
  return fraction_ >= 0 ? fmt::format("{} ({:.0f}%)", stage_, 100 * fraction_) : stage_;
}

Session::Session() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Session::say(std::string_view line) {
  if (!speaks) return;
  terminal_.clear();
  fmt::print(stderr, "{}\n", line);
}

void Session::print(std::string_view text) {
  if (!speaks) return;
  terminal_.clear();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Session::print_json(const JsonText& object) { print(object.text() + "\n"); }

void Session::flush() {
  terminal_.clear();
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    throw DataError("standard output", "", fmt::format("can't write: {}", words_of_error(errno)),
                    "free some space or send the output elsewhere");
}

}  // namespace relucover::cli
