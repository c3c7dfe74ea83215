#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
#include "relucover/oracle.hpp"
#include "report/answer_file.hpp"

namespace relucover::python {

namespace {

/// `widths`: one number for one hidden layer, several for several, none for any depth; 0 is to be found out.
LearnOptions options_from(const std::vector<Index>& widths, const std::string& method, const std::string& link, std::uint64_t seed,
                          int threads, double time_limit, Index starts, const std::map<std::string, double>& settings,
                          PythonObserver& observer) {
  LearnOptions options;
  if (widths.size() == 1)
    options.units = widths.front();
  else
    options.layers = widths;
  options.any_depth = widths.empty();
  options.method = method;
  if (link != "auto") options.link = link_named(link);
  options.seed = seed;
  options.threads = threads;
  options.time_limit = time_limit;
  options.starts = starts;
  options.settings = settings;
  options.observer = &observer;
  return options;
}

Result learn_source(const SampleSource& source, const LearnOptions& options, PythonObserver& observer) {
  Result result;
  run_interruptibly(observer, [&] { result = learn(source, options); });
  return result;
}

Result learn_arrays(const py::array& x, const py::array& y, const std::vector<Index>& widths, const std::string& method,
                    const std::string& link, std::uint64_t seed, int threads, double time_limit, Index starts,
                    const std::map<std::string, double>& settings, const py::object& progress) {
  PythonObserver observer(progress);
  const BorrowedArrays arrays = borrow(x, y);
  return learn_source(*arrays.source, options_from(widths, method, link, seed, threads, time_limit, starts, settings, observer), observer);
}

Result learn_files(const std::vector<std::filesystem::path>& paths, const std::vector<Index>& widths, const std::string& method,
                   const std::string& link, std::uint64_t seed, int threads, double time_limit, Index starts,
                   const std::map<std::string, double>& settings, const py::object& progress) {
  PythonObserver observer(progress);
  std::vector<std::unique_ptr<SampleSource>> shards;
  for (const auto& path : paths) shards.push_back(open_samples(path));
  const auto source = shards.size() == 1 ? std::move(shards.front()) : concatenate(std::move(shards));
  return learn_source(*source, options_from(widths, method, link, seed, threads, time_limit, starts, settings, observer), observer);
}

py::tuple drawn(const Network& truth, Index samples, const std::string& distribution, double noise, std::uint64_t seed) {
  SyntheticOptions options{.samples = samples, .distribution = InputDistribution::parse(distribution), .noise = noise, .seed = seed};
  RowMatrix x(samples, truth.inputs()), y(samples, truth.outputs());
  {
    const py::gil_scoped_release released;
    const auto source = synthetic_samples(truth, options);
    BlockBuffer<double> buffer;
    constexpr Index block_rows = 8192;
    for (Index first = 0; first < samples; first += block_rows) {
      const auto block = source->read(first, std::min(block_rows, samples - first), buffer);
      x.middleRows(first, block.rows()) = block.x;
      y.middleRows(first, block.rows()) = block.y;
    }
  }
  return py::make_tuple(to_numpy(std::move(x)), to_numpy(std::move(y)), truth);
}

py::tuple sample_deep(Index inputs, const std::vector<Index>& layers, Index outputs, Index samples, const std::string& distribution,
                      double noise, std::uint64_t seed) {
  return drawn(planted_deep_network({.inputs = inputs, .layers = layers, .outputs = outputs, .seed = seed}), samples, distribution, noise,
               seed);
}

py::tuple sample(Index inputs, Index units, Index outputs, Index samples, double bias, const std::string& weights, double condition,
                 const std::string& distribution, double noise, std::uint64_t seed) {
  PlantedOptions planted{.inputs = inputs, .units = units, .outputs = outputs, .bias = bias, .condition = condition, .seed = seed};
  if (weights == "orthonormal")
    planted.weights = PlantedOptions::Weights::orthonormal;
  else if (weights == "condition")
    planted.weights = PlantedOptions::Weights::condition;
  else if (weights != "gaussian")
    throw std::invalid_argument("weights is \"" + weights + "\", expected \"gaussian\", \"orthonormal\" or \"condition:C\"");
  const Network truth = planted_network(planted);
  return drawn(truth, samples, distribution, noise, seed);
}

/// A Python callable as an oracle: batches go out as arrays, answers come back as anything numpy understands.
class PythonOracle : public BlackBox {
 public:
  explicit PythonOracle(py::object function) : function_(std::move(function)) {}
  std::string name() const override { return "the function"; }
  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control&) override {
    const py::gil_scoped_acquire lock;
    const py::array answer = py::array::ensure(function_(to_numpy(RowMatrix(queries))));
    if (!answer) throw py::error_already_set();
    if (answer.ndim() != 1 && answer.ndim() != 2) throw std::invalid_argument("the function must return one row for each row it is given");
    const py::array_t<double, py::array::c_style | py::array::forcecast> rows(answer);
    if (rows.shape(0) != queries.rows())
      throw std::invalid_argument("the function was given " + std::to_string(queries.rows()) + " rows and returned " +
                                  std::to_string(rows.shape(0)));
    return Eigen::Map<const RowMatrix>(rows.data(), rows.shape(0), rows.ndim() == 1 ? 1 : rows.shape(1));
  }

 private:
  py::object function_;
};

Extraction extract_with(BlackBox& oracle, ExtractOptions options, PythonObserver& observer) {
  Extraction extraction;
  run_interruptibly(observer, [&] { extraction = extract(oracle, options); });
  return extraction;
}

RowMatrix numbers(const py::handle& values) {
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(values);
  if (!array || array.ndim() < 1 || array.ndim() > 2) throw std::invalid_argument("expected rows of numbers");
  return Eigen::Map<const RowMatrix>(array.data(), array.ndim() == 2 ? array.shape(0) : 1, array.shape(array.ndim() - 1));
}

/// Where queries are drawn from: a dict with scale, center, spread, like, like_name and look.
void set_law(const py::dict& law, ExtractOptions& options) {
  options.scale = law["scale"].cast<double>();
  options.look = law["look"].cast<bool>();
  if (!law["spread"].is_none()) {
    options.center = numbers(law["center"]).reshaped();
    options.spread = numbers(law["spread"]).reshaped();
  }
  if (law["like"].is_none()) return;
  options.like = numbers(law["like"]);
  options.like_name = law["like_name"].cast<std::string>();
}

Extraction extract_any(const py::object& oracle, Index inputs, Index budget, Index first, Index fresh, Index batch, const py::dict& law,
                       const std::filesystem::path& spool, const std::vector<Index>& widths, const std::string& method,
                       const std::string& link, std::uint64_t seed, int threads, double time_limit, Index starts,
                       const std::map<std::string, double>& settings, const py::object& progress) {
  PythonObserver observer(progress);
  ExtractOptions options{.inputs = inputs,
                         .budget = budget,
                         .first = first,
                         .fresh = fresh,
                         .batch = batch,
                         .spool = spool,
                         .learn = options_from(widths, method, link, seed, threads, time_limit, starts, settings, observer)};
  set_law(law, options);
  if (!PyCallable_Check(oracle.ptr())) {
    const auto model = onnx_oracle(oracle.cast<std::filesystem::path>(), options.inputs);
    return extract_with(*model, options, observer);
  }
  PythonOracle asked(oracle);
  return extract_with(asked, options, observer);
}

Extraction extract_command(const std::string& command, const std::string& protocol, double timeout, Index max_restarts, Index inputs,
                           Index budget, Index first, Index fresh, Index batch, const py::dict& law, const std::filesystem::path& spool,
                           const std::vector<Index>& widths, const std::string& method, const std::string& link, std::uint64_t seed,
                           int threads, double time_limit, Index starts, const std::map<std::string, double>& settings,
                           const py::object& progress) {
  PythonObserver observer(progress);
  if (protocol != "lines" && protocol != "npy")
    throw std::invalid_argument("protocol is \"" + protocol + "\", expected \"lines\" or \"npy\"");
  const auto oracle =
      command_oracle(command, {.protocol = protocol == "npy" ? CommandOptions::Protocol::npy : CommandOptions::Protocol::lines,
                               .timeout = timeout,
                               .max_restarts = max_restarts});
  ExtractOptions options{.inputs = inputs,
                         .budget = budget,
                         .first = first,
                         .fresh = fresh,
                         .batch = batch,
                         .spool = spool,
                         .learn = options_from(widths, method, link, seed, threads, time_limit, starts, settings, observer)};
  set_law(law, options);
  return extract_with(*oracle, std::move(options), observer);
}

py::list stages_of(const Result& result) {
  py::list stages;
  for (const StageRecord& record : result.stages) {
    py::dict stage;
    stage["stage"] = record.stage;
    stage["seconds"] = record.seconds;
    stage["iterations"] = record.iterations;
    stage["residual"] = record.residual;
    stages.append(stage);
  }
  return stages;
}

py::list plan_of(const Result& result) {
  py::list plan;
  for (const TriedMethod& tried : result.plan) {
    py::dict entry;
    entry["method"] = tried.method;
    entry["reason"] = tried.reason;
    entry["seconds"] = tried.seconds;
    entry["status"] = tried.status;
    entry["said"] = tried.said;
    plan.append(entry);
  }
  return plan;
}

py::list method_list() {
  py::list all;
  for (const MethodInfo& info : methods()) {
    py::dict entry;
    entry["name"] = info.name;
    entry["summary"] = info.summary;
    entry["settings"] = std::map<std::string, std::string>(info.settings.begin(), info.settings.end());
    all.append(entry);
  }
  return all;
}

}  // namespace

void bind_learning(py::module_& module) {
  py::class_<Result>(module, "Result", "What was learned and what is certain about it.")
      .def_property_readonly(
          "status", [](const Result& r) { return name_of(r.status); },
          "exact, recovered, approximate, assumption_failed, budget_exhausted or numerical_failure.")
      .def_readonly("message", &Result::message, "The status in words.")
      .def_readonly("method", &Result::method, "Method used.")
      .def_readonly("method_asked", &Result::method_asked, "Method asked for.")
      .def_readonly("method_reason", &Result::method_reason, "Why this method.")
      .def_readonly("network", &Result::network, "The network.")
      .def_readonly("domain", &Result::domain, "What the status is about: inputs like these.")
      .def(
          "write",
          [](const Result& r, const std::filesystem::path& path, const std::string& dtype) {
            write_answer(r, path, precision_named(dtype));
          },
          py::arg("path"), py::arg("dtype") = "float64",
          "Writes the network as .json, .npz or .onnx; .onnx files carry status and domain as metadata.")
      .def_readonly("samples", &Result::samples, "Number of samples.")
      .def_readonly("residual_rms", &Result::residual_rms, "Root mean square of the residuals.")
      .def_readonly("residual_relative", &Result::residual_relative, "The same relative to the labels' spread.")
      .def_readonly("holdout_rms", &Result::holdout_rms, "Root mean square on data not used in the last solve.")
      .def_readonly("noise_estimate", &Result::noise_estimate, "Standard deviation of the labels' noise.")
      .def_readonly("sign_ambiguous", &Result::sign_ambiguous, "Whether some unit's sign is not determined by the data.")
      .def_readonly("left_out", &Result::left_out, "Samples that the answer does not explain: wrong labels, as far as anybody can tell.")
      .def_readonly("detection_limit", &Result::detection_limit,
                    "With recovered: the smallest further unit that the samples would have shown, relative to the smallest one found.")
      .def_readonly("seconds", &Result::seconds, "Time used.")
      .def_readonly("notes", &Result::notes, "Things worth knowing, in words.")
      .def_readonly("figures", &Result::figures, "Named figures of the method.")
      .def_readonly("series", &Result::series, "Named series for plots.")
      .def_property_readonly("stages", &stages_of, "What each stage took and reached.")
      .def_property_readonly("plan", &plan_of, "Methods in the order in which they were tried: why, seconds, what each said.")
      .def_property_readonly("usable", &Result::usable, "Whether the network is worth using.")
      .def_property_readonly("certified", &Result::certified, "Whether the status is exact or recovered.")
      .def("brief", &Result::brief, "One line.")
      .def("full", &Result::full, "A page.")
      .def("json", &Result::json, "The object that `relucover learn --json` prints.")
      .def("__repr__", [](const Result& r) { return "<relucover.Result " + r.brief() + ">"; });

  py::class_<Extraction>(module, "Extraction", "What asking a model gave.")
      .def_readonly("result", &Extraction::result, "What was learned from the answers.")
      .def_property_readonly(
          "network", [](const Extraction& e) { return e.result.network; }, "The network.")
      .def_property_readonly(
          "status", [](const Extraction& e) { return name_of(e.result.status); }, "Status of the result.")
      .def_readonly("queries", &Extraction::queries, "Distinct queries answered, each counted once.")
      .def_readonly("repeated", &Extraction::repeated, "Queries handed over again because no answer had come.")
      .def_readonly("reused", &Extraction::reused, "Answers taken from the spool.")
      .def_readonly("restarts", &Extraction::restarts, "How often the program that answers was started again.")
      .def_readonly("attempts", &Extraction::attempts, "How often the sample was learned from.")
      .def_readonly("looks_like", &Extraction::looks_like, "What the model was seen to be, in words.")
      .def(
          "write",
          [](const Extraction& e, const std::filesystem::path& path, const std::string& dtype) {
            write_answer(e.result, path, precision_named(dtype));
          },
          py::arg("path"), py::arg("dtype") = "float64",
          "Writes the network as .json, .npz or .onnx; .onnx files carry status and domain as metadata.")
      .def_property_readonly(
          "domain", [](const Extraction& e) { return e.result.domain; }, "What the status is about: inputs like these.")
      .def("__repr__", [](const Extraction& e) {
        return "<relucover.Extraction after " + std::to_string(e.queries) + " queries: " + e.result.brief() + ">";
      });

  module.def("learn_arrays", &learn_arrays);
  module.def("learn_files", &learn_files);
  module.def("sample", &sample);
  module.def("sample_deep", &sample_deep);
  module.def("extract_any", &extract_any);
  module.def("extract_command", &extract_command);
  module.def("methods", &method_list);
}

}  // namespace relucover::python
