#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
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

py::dict diagnose_source(const SampleSource& source, int threads) {
  PythonObserver observer{py::none()};
  InputDiagnostics found;
  run_interruptibly(observer, [&] { found = diagnose(source, {}, Control(threads, std::numeric_limits<double>::infinity(), &observer)); });
  return as_dict(found);
}

py::dict diagnose_files(const std::vector<std::filesystem::path>& paths, int threads) {
  std::vector<std::unique_ptr<SampleSource>> shards;
  for (const auto& path : paths) shards.push_back(open_samples(path));
  const auto source = shards.size() == 1 ? std::move(shards.front()) : concatenate(std::move(shards));
  return diagnose_source(*source, threads);
}

}  // namespace

void bind_diagnosis(py::module_& module) {
  module.def("diagnose_arrays", [](const py::array& x, const py::array& y, int threads) {
    const BorrowedArrays arrays = borrow(x, y);
    return diagnose_source(*arrays.source, threads);
  });
  module.def("diagnose_files", &diagnose_files);
}

}  // namespace relucover::python
