#pragma once
// A program run by the shell that answers on its standard output what it is given on its standard input.
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "relucover/progress.hpp"

namespace relucover {

class ChildProcess {
 public:
  explicit ChildProcess(const std::string& command);
  ~ChildProcess();  // ends it and everything it started
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Outcome { complete, ended, stalled };
  /// Writes `request` and reads into `reply` until `complete(reply)`; both at once, so that neither side can wait for the
  /// other. `stalled` after `timeout` seconds in which not one byte went either way.
  Outcome exchange(std::string_view request, std::string& reply, const std::function<bool(const std::string&)>& complete, double timeout,
                   const Control& control);

 private:
  bool write_some(std::string_view& request);
  pid_t process_ = -1;
  int to_child_ = -1, from_child_ = -1;
};

}  // namespace relucover
