// `relucover learn --task halfspaces|lowest-layer` and `relucover sample-threshold`: first layers with thresholds.
#include <fmt/format.h>

#include "relucover/commands.hpp"
#include "relucover/first_layer.hpp"
#include "relucover/learn_request.hpp"

namespace relucover::cli {

namespace {

struct TaskRequest {
  std::string task, unit = "relu", hand_on, ask;
  FirstLayerOptions options;
  bool no_refine = false;
};

std::unique_ptr<Oracle> oracle_in(const std::string& file) {
  if (std::filesystem::path(file).extension() == ".onnx" && !holds_threshold_model(file)) return onnx_teacher(file);
  return model_oracle(read_threshold_model(file));
}

void run_task(const LearnRequest& request, const TaskRequest& task, Session& session) {
  check_outputs({{request.output, {".json", ".onnx"}}, {task.hand_on, {".npz", ".npy", ".h5", ".hdf5", ".csv"}}}, request.data.paths());
  const Control control = session.control(request.run);
  const auto source = request.data.open(control);
  FirstLayerOptions options = task.options;
  options.units = request.options.units;
  if (request.options.method != "auto") options.method = request.options.method;
  options.unit = UnitFunction::parse(task.unit);
  options.refine = !task.no_refine;
  options.seed = request.options.seed;
  options.threads = request.run.threads;
  options.time_limit = request.run.time_limit;
  options.observer = &session.terminal();
  const auto oracle = task.ask.empty() ? nullptr : oracle_in(task.ask);
  if (oracle && task.task == "halfspaces") throw std::invalid_argument("--ask goes with --task lowest-layer --unit step");
  if (oracle && oracle->inputs() != source->inputs())
    throw std::invalid_argument(fmt::format("{} has {} inputs, the data {}", task.ask, oracle->inputs(), source->inputs()));
  options.oracle = oracle.get();
  const FirstLayerResult result = task.task == "halfspaces" ? learn_halfspaces(*source, options) : learn_lowest_layer(*source, options);
  if (result.usable() && !request.output.empty()) {
    write_threshold_model(result.model, request.output);
    session.say("wrote " + request.output);
  } else if (!request.output.empty()) {
    session.say(request.output + " is not written: there is no first layer to write");
  }
  if (result.usable() && !task.hand_on.empty()) {
    write_samples(*handed_on_samples(*source, result.model), task.hand_on, Precision::float64, control);
    session.say("wrote the first layer's values to " + task.hand_on);
  }
  session.print(request.json ? result.json() + "\n" : request.brief ? result.brief() + "\n" : result.full());
  session.exit_code = exit_code_of(result.status);
}

}  // namespace

void add_first_layer_task(Command& command, const std::shared_ptr<LearnRequest>& request) {
  auto task = std::make_shared<TaskRequest>();
  command
      .add_text(
          "--task",
          [request, task](const std::string& name) {
            task->task = name;
            request->run_instead = [task](const LearnRequest& asked, Session& session) { run_task(asked, *task, session); };
          },
          "halfspaces: a union or intersection from 0/1 labels; lowest-layer: units with thresholds under anything")
      .one_of({"halfspaces", "lowest-layer"})
      .type_name("NAME");
  command
      .add_option("--unit", task->unit, "With --task lowest-layer: relu, step, sigmoid, exponential:RATE, abs, cosine:F, gaussian, power:P")
      .type_name("NAME")
      .shows_default();
  command.add_option("--threshold", task->options.threshold, "With --task: the threshold where it is known").type_name("T");
  command
      .add_option("--degree", task->options.degree, "With --task lowest-layer: different units in a product of the upper part; 0: unknown")
      .type_name("D")
      .shows_default();
  command.add_option("--power", task->options.power, "With --task lowest-layer: highest power of one unit in the upper part, at least")
      .type_name("P")
      .shows_default();
  command.add_flag("--first-step-only", task->no_refine, "With --task: directions from moments alone");
  command
      .add_option(
          "--ask", task->ask,
          "With --task lowest-layer: a model that can be asked (.json or .onnx); its boundaries are placed by questions (GP Algorithm 1)")
      .type_name("FILE");
  command.add_option("--rounds", task->options.rounds, "With --ask: steps of the refinement of each unit").type_name("N").shows_default();
  command.add_option("--questions", task->options.questions_per_band, "With --ask: questions for each band that a step looks at")
      .type_name("N")
      .shows_default();
  command.add_option("--hand-on", task->hand_on, "With --task lowest-layer: where the first layer's values go, as inputs of a new problem")
      .type_name("FILE");
}

namespace {

struct ThresholdSampleRequest {
  PlantedThresholdOptions planted;
  ThresholdSampleOptions samples;
  RunOptions run;
  Precision precision = Precision::float64;
  double biased = 0;
  std::string unit = "relu", model, output, truth;
};

/// Samples of an oracle: as they come, or in proportion to its answers.
std::unique_ptr<SampleSource> samples_of(std::shared_ptr<const Oracle> oracle, const ThresholdSampleRequest& request) {
  if (request.biased == 0) return oracle_samples(std::move(oracle), request.samples);
  if (request.samples.noise > 0 || request.samples.flips > 0)
    throw std::invalid_argument("--biased samples have no labels of their own: leave out --noise and --flips");
  return biased_oracle_samples(std::move(oracle), request.samples.samples, request.biased, request.samples.seed);
}

void make_samples(ThresholdSampleRequest request, Session& session) {
  check_outputs({{request.output, {".npz", ".npy", ".h5", ".hdf5", ".csv"}}, {request.truth, {".json", ".onnx"}}}, {request.model});
  request.planted.unit = UnitFunction::parse(request.unit);
  request.planted.seed = request.samples.seed;
  std::unique_ptr<SampleSource> source;
  if (std::filesystem::path(request.model).extension() == ".onnx" && !holds_threshold_model(request.model)) {
    if (!request.truth.empty())
      throw std::invalid_argument("--truth goes with models with thresholds: another ONNX model is its own truth");
    source = samples_of(onnx_teacher(request.model), request);
  } else {
    const ThresholdModel model = request.model.empty() ? planted_threshold_model(request.planted) : read_threshold_model(request.model);
    source = request.biased > 0 ? samples_of(model_oracle(model), request) : threshold_samples(model, request.samples);
    if (!request.truth.empty()) write_threshold_model(model, request.truth);
  }
  write_samples(*source, request.output, request.precision, session.control(request.run));
  session.say(fmt::format("wrote {}: {} samples, {} inputs", request.output, source->samples(), source->inputs()));
}

}  // namespace

void add_sample_threshold(Program& program, Session& session) {
  Command command = program.add_command("sample-threshold", "Make planted data of a first layer with thresholds");
  auto request = std::make_shared<ThresholdSampleRequest>();
  using Upper = UpperPart::Kind;
  using Weights = PlantedThresholdOptions::Weights;
  command.add_option("--model", request->model, "The teacher, instead of drawing one: a model from --truth, or a deep network as .onnx")
      .type_name("FILE");
  command.add_option("--inputs", request->planted.inputs, "Inputs").type_name("N");
  command.add_option("--units", request->planted.units, "Units of the first layer").type_name("D");
  command.add_option("--unit", request->unit, "relu, step, sigmoid, exponential:RATE, abs, cosine:F, gaussian, power:P").shows_default();
  command.add_option("--threshold", request->planted.threshold, "Threshold").type_name("T").shows_default();
  command.add_option("--threshold-high", request->planted.threshold_high, "Draw thresholds between --threshold and this").type_name("T");
  command
      .add_choice("--weights", request->planted.weights,
                  {{"mild", Weights::mild},
                   {"orthonormal", Weights::orthonormal},
                   {"gaussian", Weights::gaussian},
                   {"supports", Weights::supports}},
                  "mild, orthonormal, gaussian or supports")
      .shows_default("mild");
  command.add_option("--support", request->planted.support, "Inputs of a unit, with --weights supports").type_name("S");
  command
      .add_choice("--upper", request->planted.upper,
                  {{"polynomial", Upper::polynomial}, {"any", Upper::any}, {"all", Upper::all}, {"layers", Upper::layers}},
                  "polynomial, any (union), all (intersection) or layers (deep)")
      .shows_default("polynomial");
  command.add_flag("!--products-only", request->planted.linear_terms,
                   "All pairs of units and no unit alone in the polynomial (GP section 3)");
  command.add_flag("--powers", request->planted.powers, "Squares and cubes of single units in the polynomial");
  command.add_flag("--monotone", request->planted.monotone, "No negative coefficients in the polynomial");
  command.add_option("--product-scale", request->planted.product_scale, "Largest coefficient of a product of units").shows_default();
  command.add_flag("--mixed-signs", request->planted.mixed_signs, "Upper layers of both signs");
  command.add_option("--samples", request->samples.samples, "Samples").type_name("N").required();
  command.add_option("--noise", request->samples.noise, "Standard deviation of label noise").type_name("S");
  command.add_option("--flips", request->samples.flips, "Probability that a 0/1 label is flipped").type_name("P");
  command.add_option("--seed", request->samples.seed, "Seed of model and samples").type_name("I").shows_default();
  command
      .add_option("--biased", request->biased,
                  "Inputs in proportion to f, up to this value of f, with labels 1 (GP B.6); f must not be negative")
      .positive()
      .type_name("HIGHEST");
  add_precision_option(command, request->precision);
  command.add_option("-o,--output", request->output, "Where the samples go").type_name("FILE").required();
  command.add_option("--truth", request->truth, "Where the model goes: .json or .onnx").type_name("FILE");
  add_run_options(command, request->run);
  command.footer(R"(f(x) = P(u(w_1.x - t_1), ..., u(w_d.x - t_d)) on standard Gaussian inputs.

Example:
  relucover sample-threshold --inputs 10 --units 5 --unit step --upper any --samples 1000000 -o union.npz --truth union.json
  relucover learn union.npz --task halfspaces --units 5 -o learned.json
  relucover sample-threshold --inputs 6 --units 3 --unit step --upper any --biased 1 --samples 200000 -o biased.npz
  relucover learn biased.npz --task lowest-layer --unit step --units 3
  relucover sample-threshold --model deep.onnx --samples 1000000 -o deep.npz
  relucover learn deep.npz --task lowest-layer --unit relu -o first_layer.json)");
  command.runs([&session, request] { make_samples(*request, session); });
}

}  // namespace relucover::cli
