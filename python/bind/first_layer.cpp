#include "relucover/first_layer.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"

namespace relucover::python {

namespace {

FirstLayerResult halfspaces(const py::array& x, const py::array& y, Index units, std::uint64_t seed, int threads,
                            double time_limit, const py::object& progress) {
  PythonObserver observer(progress);
  const BorrowedArrays arrays = borrow(x, y);
  FirstLayerOptions options;
  options.units = units;
  options.seed = seed;
  options.threads = threads;
  options.time_limit = time_limit;
  options.observer = &observer;
  FirstLayerResult result;
  run_interruptibly(observer, [&] { result = learn_halfspaces(*arrays.source, options); });
  return result;
}

}  // namespace

void bind_first_layer(py::module_& module) {
  py::class_<FirstLayerResult>(module, "FirstLayerResult", "Halfspaces w.x > t and what is certain about them.")
      .def_property_readonly("status", [](const FirstLayerResult& r) { return name_of(r.status); }, "As of a Result.")
      .def_readonly("message", &FirstLayerResult::message, "The status in words.")
      .def_property_readonly("W", [](const FirstLayerResult& r) { return to_numpy(RowMatrix(r.model.W)); }, "Normals, one row each.")
      .def_property_readonly("t", [](const FirstLayerResult& r) { return to_numpy(r.model.t); }, "Thresholds.")
      .def_readonly("holdout_error", &FirstLayerResult::holdout_error, "Share of held-out labels that are wrong.")
      .def_readonly("direction_error", &FirstLayerResult::direction_error, "Of the worst direction, in radians.")
      .def_readonly("figures", &FirstLayerResult::figures, "Named figures.")
      .def_readonly("notes", &FirstLayerResult::notes, "Things worth knowing, in words.")
      .def_property_readonly("certified", [](const FirstLayerResult& r) { return r.status.certified(); },
                             "Whether the status is exact or recovered.")
      .def("json", &FirstLayerResult::json, "The object that `relucover learn --task halfspaces --json` prints.")
      .def("__repr__", [](const FirstLayerResult& r) { return "<relucover.FirstLayerResult " + r.brief() + ">"; });
  module.def("halfspaces", &halfspaces);
}

}  // namespace relucover::python
