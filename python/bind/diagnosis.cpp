#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
#include "learners/labels_look.hpp"
#include "verify/input_diagnostics.hpp"

namespace relucover::python {

namespace {

py::dict as_dict(const Test& test) {
  py::dict result;
  result["passed"] = test.passed;
  result["worst_z"] = test.worst_z;
  result["threshold"] = test.threshold;
  result["worst"] = test.worst;
  return result;
}

py::dict as_dict(const InputDiagnostics& found) {
  py::dict result;
  result["samples"] = found.samples;
  result["inputs"] = found.inputs;
  result["outputs"] = found.outputs;
  result["constant_columns"] = found.constant_columns;
  result["duplicated_columns"] = found.duplicated_columns;
  result["dependent_columns"] = found.dependent_columns;
  result["covariance_condition"] = found.covariance_condition;
  result["largest_mean"] = found.largest_mean;
  result["distance_from_identity"] = found.distance_from_identity;
  result["whitened"] = found.whitened;
  result["gaussian"] = as_dict(found.gaussian);
  result["symmetric"] = as_dict(found.symmetric);
  result["label_rank"] = found.label_rank;
  result["affine_fit_residual"] = found.affine_fit_residual;
  result["t2_spectrum"] = found.t2_spectrum;
  result["t2_noise_edge"] = found.t2_noise_edge;
  result["units_at_least"] = found.units_at_least;
  result["noise_at_most"] = found.noise_at_most;
  return result;
}

py::dict diagnose_source(const SampleSource& source, int threads, double look_seconds) {
  PythonObserver observer{py::none()};
  InputDiagnostics found;
  std::string looks_like;
  run_interruptibly(observer, [&] {
    const Control control(threads, std::numeric_limits<double>::infinity(), &observer);
    found = diagnose(source, {}, control);
    if (look_seconds > 0) looks_like = labels_look_like(source, {.seconds = look_seconds, .observer = &observer}, control);
  });
  py::dict result = as_dict(found);
  if (!looks_like.empty()) result["looks_like"] = looks_like;
  return result;
}

py::dict diagnose_files(const std::vector<std::filesystem::path>& paths, int threads, double look_seconds) {
  std::vector<std::unique_ptr<SampleSource>> shards;
  for (const auto& path : paths) shards.push_back(open_samples(path));
  const auto source = shards.size() == 1 ? std::move(shards.front()) : concatenate(std::move(shards));
  return diagnose_source(*source, threads, look_seconds);
}

}  // namespace

void bind_diagnosis(py::module_& module) {
  module.def("diagnose_arrays", [](const py::array& x, const py::array& y, int threads, double look_seconds) {
    const BorrowedArrays arrays = borrow(x, y);
    return diagnose_source(*arrays.source, threads, look_seconds);
  });
  module.def("diagnose_files", &diagnose_files);
}

}  // namespace relucover::python
