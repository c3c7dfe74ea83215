#include "interruptible.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace relucover::python {

void PythonObserver::progress(std::string_view stage, double fraction, std::string_view detail) {
  if (cancelled_ || !listens_) return;
  const py::gil_scoped_acquire lock;
  try {
    callback_(py::str(stage.data(), stage.size()), fraction, py::str(detail.data(), detail.size()));
  } catch (py::error_already_set&) {
    failure_ = std::current_exception();
    cancel();
  }
}

void PythonObserver::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void run_interruptibly(PythonObserver& observer, const std::function<void()>& work) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  bool signalled = false;
  {
    const py::gil_scoped_release released;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (signalled) continue;
      lock.unlock();
      {
        const py::gil_scoped_acquire acquired;
        signalled = PyErr_CheckSignals() != 0;
        if (signalled) PyErr_Clear();
      }
      if (signalled) observer.cancel();
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  observer.rethrow();
  if (signalled) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace relucover::python
