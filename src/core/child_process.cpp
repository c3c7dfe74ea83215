#include "core/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "core/words_of_error.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

/// Keeps a write to a pipe that nobody reads from ending the whole program, in this thread alone.
class WithoutBrokenPipeSignal {
 public:
  WithoutBrokenPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipeSignal() {
    const timespec now = {0, 0};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_ = {}, before_ = {};
  bool was_pending_ = false;
};

}  // namespace

ChildProcess::ChildProcess(const std::string& command) {
  std::array<int, 2> in = {-1, -1}, out = {-1, -1};
  const auto fail = [&](const char* doing) {
    const int error = errno;
    for (const int descriptor : {in[0], in[1], out[0], out[1]})
      if (descriptor >= 0) ::close(descriptor);
    throw DataError(command, "", std::string(doing) + ": " + words_of_error(error), "");
  };
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) fail("can't make a pipe");
  process_ = ::fork();
  if (process_ < 0) fail("can't start a program");
  if (process_ == 0) {
    ::setpgid(0, 0);  // a group of its own, so that all of it can be ended
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::setpgid(process_, process_);  // whoever is first
  ::close(in[0]);
  ::close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  ::fcntl(to_child_, F_SETFL, O_NONBLOCK);
  ::fcntl(from_child_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (to_child_ >= 0) ::close(to_child_);
  if (from_child_ >= 0) ::close(from_child_);
  if (process_ <= 0) return;
  ::kill(-process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::write_some(std::string_view& request) {
  const ssize_t written = ::write(to_child_, request.data(), request.size());
  if (written < 0) return errno == EAGAIN || errno == EINTR;
  request.remove_prefix(static_cast<std::size_t>(written));
  return true;
}

ChildProcess::Outcome ChildProcess::exchange(std::string_view request, std::string& reply,
                                             const std::function<bool(const std::string&)>& complete, double timeout,
                                             const Control& control) {
  using Clock = std::chrono::steady_clock;
  const WithoutBrokenPipeSignal guard;
  auto last_sign = Clock::now();
  std::array<char, 1 << 16> chunk;
  while (true) {
    control.check();
    std::array<pollfd, 2> wait = {{{from_child_, POLLIN, 0}, {to_child_, POLLOUT, 0}}};
    const int ready = ::poll(wait.data(), request.empty() ? 1 : 2, 100);
    if (ready > 0) {
      if (!request.empty() && wait[1].revents != 0) {
        const std::size_t before = request.size();
        if (!write_some(request))
          request = {};  // it reads no more: take what it still says
        else if (request.size() < before)
          last_sign = Clock::now();
      }
      if (wait[0].revents != 0) {
        const ssize_t got = ::read(from_child_, chunk.data(), chunk.size());
        if (got == 0) return Outcome::ended;
        if (got < 0 && errno != EAGAIN && errno != EINTR) return Outcome::ended;
        if (got > 0) {
          reply.append(chunk.data(), static_cast<std::size_t>(got));
          last_sign = Clock::now();
          if (complete(reply)) return Outcome::complete;
        }
      }
    }
    if (std::chrono::duration<double>(Clock::now() - last_sign).count() > timeout) return Outcome::stalled;
  }
}

}  // namespace relucover
