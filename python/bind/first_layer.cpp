#include "relucover/first_layer.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"

namespace relucover::python {

namespace {

FirstLayerResult halfspaces(const py::array& x, const py::array& y, Index units, std::uint64_t seed, int threads, double time_limit,
                            const py::object& progress) {
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

/// A Python callable, or a model, as a function that can be asked.
class AskedFunction : public Oracle {
 public:
  AskedFunction(py::object function, Index inputs) : function_(std::move(function)), inputs_(inputs) {}
  Index inputs() const override { return inputs_; }
  Vector answer(const Eigen::Ref<const RowMatrix>& x) const override {
    const py::gil_scoped_acquire lock;
    const py::array_t<double, py::array::c_style | py::array::forcecast> rows(py::array::ensure(function_(to_numpy(RowMatrix(x)))));
    if (rows.size() != x.rows()) throw std::invalid_argument("the function must return one number for each row it is given");
    return Eigen::Map<const Vector>(rows.data(), rows.size());
  }

 private:
  py::object function_;
  Index inputs_;
};

FirstLayerResult lowest_layer(const py::array& x, const py::array& y, Index units, const std::string& unit, double threshold,
                              const std::string& method, bool refine, int degree, int power, const py::object& ask, Index rounds,
                              Index questions, std::uint64_t seed, int threads, double time_limit, const py::object& progress) {
  PythonObserver observer(progress);
  const BorrowedArrays arrays = borrow(x, y);
  FirstLayerOptions options;
  options.units = units;
  options.unit = UnitFunction::parse(unit);
  options.threshold = threshold;
  options.method = method;
  options.refine = refine;
  options.degree = degree;
  options.power = power;
  options.rounds = rounds;
  options.questions_per_band = questions;
  options.seed = seed;
  options.threads = threads;
  options.time_limit = time_limit;
  options.observer = &observer;
  const AskedFunction asked(ask, arrays.source->inputs());
  if (!ask.is_none()) options.oracle = &asked;
  FirstLayerResult result;
  run_interruptibly(observer, [&] { result = learn_lowest_layer(*arrays.source, options); });
  return result;
}

py::array_t<double> values_of(const ThresholdModel& model, const py::array& x, bool first_layer) {
  const py::array_t<double> rows = rows_of(x, model.inputs());
  RowMatrix y;
  {
    const Eigen::Map<const RowMatrix> view(rows.data(), rows.shape(0), rows.shape(1));
    const py::gil_scoped_release released;
    y = first_layer ? model.first_layer(view) : RowMatrix(model.evaluate(view));
  }
  return to_numpy(std::move(y));
}

void bind_model(py::module_& module) {
  py::class_<ThresholdModel>(module, "ThresholdModel",
                             "f(x) = P(u(w_1.x - t_1), ..., u(w_d.x - t_d)): a first layer with thresholds under an upper part.")
      .def_property_readonly(
          "W", [](const ThresholdModel& m) { return to_numpy(RowMatrix(m.W)); }, "Directions, units by inputs.")
      .def_property_readonly(
          "t", [](const ThresholdModel& m) { return to_numpy(m.t); }, "Thresholds.")
      .def_property_readonly(
          "unit", [](const ThresholdModel& m) { return m.unit.name(); }, "Name of the unit.")
      .def_property_readonly("inputs", &ThresholdModel::inputs, "Number of inputs.")
      .def_property_readonly("units", &ThresholdModel::units, "Number of units.")
      .def(
          "predict", [](const ThresholdModel& m, const py::array& x) { return values_of(m, x, false); }, py::arg("x"),
          "Values at the rows of x, one row each.")
      .def(
          "__call__", [](const ThresholdModel& m, const py::array& x) { return values_of(m, x, false); }, py::arg("x"),
          "The same as predict.")
      .def(
          "first_layer", [](const ThresholdModel& m, const py::array& x) { return values_of(m, x, true); }, py::arg("x"),
          "Values of the units.")
      .def("write", &write_threshold_model, py::arg("path"), "Writes .json or .onnx.")
      .def_static("read", &read_threshold_model, py::arg("path"), "Reads .json or .onnx.")
      .def_static("held_by", &holds_threshold_model, py::arg("path"), "Whether a .json or .onnx file says that it holds such a model.")
      .def("__repr__", [](const ThresholdModel& m) {
        return "ThresholdModel(inputs=" + std::to_string(m.inputs()) + ", units=" + std::to_string(m.units()) + ", unit='" + m.unit.name() +
               "')";
      });
  module.def("compare_thresholds", [](const ThresholdModel& truth, const ThresholdModel& answer) {
    const ThresholdComparison c = compare(truth, answer);
    py::dict result;
    result["units_truth"] = c.units_truth;
    result["units_answer"] = c.units_answer;
    result["units_matched"] = c.units_matched;
    result["max_weight_error"] = c.max_weight_error;
    result["max_bias_error"] = c.max_threshold_error;
    result["function_rms"] = c.function_rms;
    result["up_to_sign"] = c.up_to_sign;
    return result;
  });
  module.def("sample_threshold", [](Index inputs, Index units, const std::string& unit, double threshold, const std::string& upper,
                                    Index samples, double noise, std::uint64_t seed) {
    PlantedThresholdOptions planted{
        .inputs = inputs, .units = units, .unit = UnitFunction::parse(unit), .threshold = threshold, .seed = seed};
    using Upper = UpperPart::Kind;
    const std::map<std::string, Upper> kinds = {
        {"polynomial", Upper::polynomial}, {"any", Upper::any}, {"all", Upper::all}, {"layers", Upper::layers}};
    const auto kind = kinds.find(upper);
    if (kind == kinds.end()) throw std::invalid_argument("upper is \"" + upper + "\", expected polynomial, any, all or layers");
    planted.upper = kind->second;
    const ThresholdModel truth = planted_threshold_model(planted);
    const auto source = threshold_samples(truth, {.samples = samples, .noise = noise, .seed = seed});
    BlockBuffer<double> buffer;
    const auto block = source->read(0, samples, buffer);
    return py::make_tuple(to_numpy(RowMatrix(block.x)), to_numpy(RowMatrix(block.y)), truth);
  });
}

}  // namespace

void bind_first_layer(py::module_& module) {
  bind_model(module);
  py::class_<FirstLayerResult>(module, "FirstLayerResult", "A first layer with thresholds, w.x > t, and what is certain about it.")
      .def_property_readonly(
          "status", [](const FirstLayerResult& r) { return name_of(r.status); }, "As of a Result.")
      .def_readonly("message", &FirstLayerResult::message, "The status in words.")
      .def_readonly("model", &FirstLayerResult::model, "The first layer and its upper part.")
      .def_property_readonly(
          "W", [](const FirstLayerResult& r) { return to_numpy(RowMatrix(r.model.W)); }, "Normals, one row each.")
      .def_property_readonly(
          "t", [](const FirstLayerResult& r) { return to_numpy(r.model.t); }, "Thresholds.")
      .def_readonly("holdout_error", &FirstLayerResult::holdout_error, "Share of held-out labels that are wrong.")
      .def_readonly("direction_error", &FirstLayerResult::direction_error, "Of the worst direction, in radians.")
      .def_readonly("figures", &FirstLayerResult::figures, "Named figures.")
      .def_readonly("notes", &FirstLayerResult::notes, "Things worth knowing, in words.")
      .def_property_readonly(
          "certified", [](const FirstLayerResult& r) { return r.status.certified(); }, "Whether the status is exact or recovered.")
      .def_property_readonly("usable", &FirstLayerResult::usable, "Whether the model is worth using.")
      .def_property_readonly(
          "units", [](const FirstLayerResult& r) { return r.model.units(); }, "Number of units.")
      .def("json", &FirstLayerResult::json, "The object that `relucover learn --task ... --json` prints.")
      .def("__repr__", [](const FirstLayerResult& r) { return "<relucover.FirstLayerResult " + r.brief() + ">"; });
  module.def("halfspaces", &halfspaces);
  module.def("lowest_layer", &lowest_layer);
}

}  // namespace relucover::python
