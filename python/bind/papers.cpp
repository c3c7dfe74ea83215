// What the command line has beside learning: signs, errors on data, moments of shards, exact moments, the papers' experiments.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
#include "learners/studies.hpp"
#include "relucover/population.hpp"
#include "relucover/power_sums.hpp"
#include "relucover/threshold.hpp"
#include "verify/identifiability.hpp"
#include "verify/network_error.hpp"

namespace relucover::python {

namespace {

py::dict signs(const Network& network, Index limit) {
  const SignIdentifiability found = sign_identifiability(network, limit);
  py::dict result;
  result["unique"] = found.unique;
  result["complete"] = found.complete;
  result["equivalent"] = found.signs.size();
  result["signs"] = found.signs;
  return result;
}

py::dict as_dict(const NetworkError& error) {
  py::dict result;
  result["samples"] = error.samples;
  result["rms"] = error.rms;
  result["relative"] = error.relative;
  result["max_abs"] = error.max_abs;
  result["worst_sample"] = error.worst_sample;
  result["output_rms"] = to_numpy(error.output_rms);
  return result;
}

py::dict evaluate_network(const Network& network, const py::array& x, const py::array& y, int threads) {
  const BorrowedArrays arrays = borrow(x, y);
  NetworkError error;
  {
    const py::gil_scoped_release released;
    error = network_error(network, *arrays.source, Control(threads));
  }
  return as_dict(error);
}

py::dict evaluate_threshold(const ThresholdModel& model, const py::array& x, const py::array& y, int threads) {
  const BorrowedArrays arrays = borrow(x, y);
  if (arrays.source->inputs() != model.inputs() || arrays.source->outputs() != 1)
    throw std::invalid_argument("the model has " + std::to_string(model.inputs()) + " inputs and one output, the data " +
                                std::to_string(arrays.source->inputs()) + " and " + std::to_string(arrays.source->outputs()));
  NetworkError error;
  {
    const py::gil_scoped_release released;
    error = prediction_error([&](const auto& rows) { return RowMatrix(model.evaluate(rows)); }, *arrays.source, Control(threads));
  }
  return as_dict(error);
}

PowerSums moments(const py::array& x, const py::array& y, Index order, int threads) {
  const BorrowedArrays arrays = borrow(x, y);
  const py::gil_scoped_release released;
  return power_sums(*arrays.source, order, Control(threads));
}

LearnOptions options_of(Index units, const std::string& method, std::uint64_t seed, int threads, double time_limit,
                        const std::map<std::string, double>& settings, PythonObserver& observer) {
  LearnOptions options;
  options.units = units;
  options.method = method;
  options.seed = seed;
  options.threads = threads;
  options.time_limit = time_limit;
  options.settings = settings;
  options.observer = &observer;
  return options;
}

Result from_network(const Network& network, Index units, const std::string& method, std::uint64_t seed, int threads, double time_limit,
                    const std::map<std::string, double>& settings, const py::object& progress) {
  PythonObserver observer(progress);
  Result result;
  run_interruptibly(
      observer, [&] { result = learn_from_network(network, options_of(units, method, seed, threads, time_limit, settings, observer)); });
  return result;
}

Result from_moments(const PowerSums& sums, const std::optional<py::array>& x, const std::optional<py::array>& y, Index units,
                    const std::string& method, std::uint64_t seed, int threads, double time_limit,
                    const std::map<std::string, double>& settings, const py::object& progress) {
  PythonObserver observer(progress);
  std::optional<BorrowedArrays> arrays;
  if (x && y) arrays.emplace(borrow(*x, *y));
  Result result;
  run_interruptibly(observer, [&] {
    result = learn_from_power_sums(sums, options_of(units, method, seed, threads, time_limit, settings, observer),
                                   arrays ? arrays->source.get() : nullptr);
  });
  return result;
}

py::dict reproduce(const std::string& figure, int trials, int points, int threads, double time_limit, const py::object& progress) {
  const Study study = figure_named(figure).plan({.trials = trials, .points = points});
  PythonObserver observer(progress);
  std::vector<TableRow> rows;
  run_interruptibly(observer, [&] {
    const Control control(threads, time_limit, &observer);
    for (const auto& row : study.rows) rows.push_back(row({control, &observer}));
  });
  py::dict result;
  result["header"] = study.header;
  result["rows"] = rows;
  return result;
}

}  // namespace

void bind_papers(py::module_& module) {
  py::class_<PowerSums>(module, "PowerSums", "Sums of powers of samples: moments that can be added up.")
      .def_readonly("samples", &PowerSums::samples, "Number of samples.")
      .def_readonly("inputs", &PowerSums::inputs, "Number of inputs.")
      .def_readonly("order", &PowerSums::order, "Highest order.")
      .def("__add__",
           [](PowerSums total, const PowerSums& part) {
             add_power_sums(total, part);
             return total;
           })
      .def("write", &write_power_sums, py::arg("path"), "Writes a .moments file.")
      .def_static("read", &read_power_sums, py::arg("path"), "Reads a .moments file.");
  module.def("signs", &signs);
  module.def("evaluate_network", &evaluate_network);
  module.def("evaluate_threshold", &evaluate_threshold);
  module.def("moments", &moments);
  module.def("from_network", &from_network);
  module.def("from_moments", &from_moments);
  module.def("reproduce", &reproduce);
}

}  // namespace relucover::python
