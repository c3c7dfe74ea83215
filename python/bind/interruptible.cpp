#include "interruptible.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace relucover::python {

namespace {

struct Work {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::exception_ptr failure = std::make_exception_ptr(std::bad_alloc());  // until it begins
};

/// What a thread is to do. Belongs to the function that the thread calls, and ends the work with it, also where it is never called.
struct Job {
  const std::function<void()>& run;
  std::shared_ptr<Work> work;
  ~Job() {
    const std::lock_guard lock(work->mutex);
    work->over = true;
    work->changed.notify_one();
  }
};

constexpr const char* job_name = "relucover.job";

PyObject* run_job(PyObject* capsule, PyObject*) {
  const Job& job = *static_cast<Job*>(PyCapsule_GetPointer(capsule, job_name));
  {
    const py::gil_scoped_release released;
    job.work->failure = nullptr;
    try {
      job.run();
    } catch (...) {
      job.work->failure = std::current_exception();
    }
  }
  Py_RETURN_NONE;
}

py::object checked(PyObject* made) {
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

/// In a thread of Python's own: of another one the interpreter makes what it has to know of it without a look whether there is memory for
/// it (PyThreadState_New of Python 3.11), and so does pybind11 for functions.
std::shared_ptr<Work> started(const std::function<void()>& run) {
  static PyMethodDef definition{"run", run_job, METH_NOARGS, nullptr};
  auto work = std::make_shared<Work>();
  std::unique_ptr<Job> job(new Job{run, work});
  const py::object capsule =
      checked(PyCapsule_New(job.get(), job_name, [](PyObject* of) { delete static_cast<Job*>(PyCapsule_GetPointer(of, job_name)); }));
  job.release();
  const py::object function = checked(PyCFunction_New(&definition, capsule.ptr()));
  const py::object threads = checked(PyImport_ImportModule("_thread"));
  PyObject* const begun = PyObject_CallMethod(threads.ptr(), "start_new_thread", "O()", function.ptr());
  if (begun == nullptr && PyErr_ExceptionMatches(PyExc_RuntimeError) != 0)
    PyErr_SetString(PyExc_MemoryError, "no memory for one more thread, or too many threads");
  checked(begun);
  return work;
}

}  // namespace

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
  const std::shared_ptr<Work> all = started(work);
  bool signalled = false;
  {
    const py::gil_scoped_release released;
    std::unique_lock lock(all->mutex);
    while (!all->changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return all->over; })) {
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
  }
  observer.rethrow();
  if (signalled) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (all->failure) std::rethrow_exception(std::exchange(all->failure, nullptr));
}

}  // namespace relucover::python
