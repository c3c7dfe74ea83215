#pragma once
// Long work for Python: the interpreter lock is released, Ctrl-C cancels, progress goes to a Python callable.
#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>

#include "relucover/progress.hpp"

namespace relucover::python {

namespace py = pybind11;

class PythonObserver : public Observer {
 public:
  explicit PythonObserver(py::object callback) : listens_(!callback.is_none()), callback_(std::move(callback)) {}
  void progress(std::string_view stage, double fraction, std::string_view detail) override;
  bool cancelled() const override { return cancelled_; }
  void cancel() { cancelled_ = true; }
  /// Raises what the callback raised, if it did.
  void rethrow();

 private:
  const bool listens_;  // asked without Python's lock, which takes memory of a thread that never had it
  py::object callback_;
  std::atomic<bool> cancelled_ = false;
  std::exception_ptr failure_;
};

/// Runs `work` in a thread of its own while this one, which Python delivers signals to, looks for Ctrl-C.
/// Throws what the work threw, what the callback raised, or KeyboardInterrupt.
void run_interruptibly(PythonObserver& observer, const std::function<void()>& work);

}  // namespace relucover::python
