// GKLW section 4: the algorithm as printed, the paper's practical variant (alternating least squares, gradient descent)
// and relucover's default, on the same samples. Errors are summed squared distances, averaged over trials as in the
// paper.
#include <fmt/format.h>

#include <algorithm>

#include "learners/studies.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "networks/squared_errors.hpp"
#include "relucover/relucover.hpp"
#include "samples/vector_instances.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

struct FigurePoint {
  std::string panel;
  double point = 0;  // what the figure's axis shows
  VectorNetworkOptions network;
  SyntheticOptions samples;
};

struct Errors {
  double weights = 0, outputs = 0, mean_square = 0;
};

Errors errors_of(const Network& truth, const Network& found, const SampleSource& source, const Control& control) {
  const Network answer = found.units() > 0 ? found : Network(source.inputs(), 0, source.outputs());  // what a failed algorithm predicts
  const SquaredErrors squares = squared_errors(truth, answer);
  const double rms = network_error(answer, source, control).rms;
  return {squares.weights, squares.outputs, rms * rms};
}

void add(Errors& sum, const Errors& more, int trials) {
  sum.weights += more.weights / trials;
  sum.outputs += more.outputs / trials;
  sum.mean_square += more.mean_square / trials;
}

/// Stops a row when the time is over. A time limit handed to `learn` would share it out among methods: another answer, not only an
/// earlier end.
class UntilTimeIsOver : public Observer {
 public:
  explicit UntilTimeIsOver(const Watched& watched) : watched_(watched) {}
  void progress(std::string_view stage, double fraction, std::string_view detail) override {
    if (watched_.observer != nullptr) watched_.observer->progress(stage, fraction, detail);
  }
  bool cancelled() const override {
    return watched_.control.seconds_left() <= 0 || (watched_.observer != nullptr && watched_.observer->cancelled());
  }

 private:
  const Watched& watched_;
};

TableRow row_of(const FigurePoint& setting, const StudySize& size, const Watched& watched) {
  const Control& control = watched.control;
  Errors printed, practical, ours;
  for (int trial = 0; trial < size.trials; ++trial) {
    VectorNetworkOptions network = setting.network;
    SyntheticOptions samples = setting.samples;
    network.seed = samples.seed = 1000 + static_cast<std::uint64_t>(trial);
    const Network truth = vector_network(network);
    const auto source = synthetic_samples(truth, samples);
    const bool noisy = samples.noise > 0;
    const auto start = [&](PrintedPureNeuron variant) {
      variant.noise_correction = noisy;
      return printed_pure_neuron(*source, network.units, variant, samples.seed, control).network;
    };
    add(printed, errors_of(truth, start({.split_samples = noisy}), *source, control), size.trials);
    add(practical, errors_of(truth, start({.alternating = true}), *source, control), size.trials);
    LearnOptions learning;
    learning.seed = samples.seed;
    learning.threads = control.threads();
    UntilTimeIsOver until(watched);
    learning.observer = &until;
    const Result result = learn(*source, learning);
    control.check_here();
    add(ours, errors_of(truth, result.network, *source, control), size.trials);
  }
  TableRow row{setting.panel, fmt::format("{:g}", setting.point)};
  for (const Errors& errors : {printed, practical, ours})
    for (const double value : {errors.weights, errors.outputs, errors.mean_square}) row.push_back(fmt::format("{:.2e}", value));
  return row;
}

Study study_of(const std::string& axis, const std::vector<FigurePoint>& settings, const StudySize& size) {
  Study study{{"panel", axis, "printed_W", "printed_A", "printed_mse", "practical_W", "practical_A", "practical_mse", "default_W",
               "default_A", "default_mse"},
              {}};
  const std::size_t points = size.points > 0 ? std::min(settings.size(), static_cast<std::size_t>(size.points)) : settings.size();
  for (std::size_t i = 0; i < points; ++i)
    study.rows.push_back([setting = settings[i], size](const Watched& watched) { return row_of(setting, size, watched); });
  return study;
}

VectorNetworkOptions square(Index side) { return {.inputs = side, .units = side, .outputs = side}; }

}  // namespace

Study gklw_sample_efficiency(const StudySize& size) {
  std::vector<FigurePoint> settings;
  for (const Index samples : {500, 1000, 2000, 5000, 10000, 20000})
    settings.push_back({"10x10", static_cast<double>(samples), square(10), {.samples = samples}});
  for (const Index samples : {2000, 5000, 10000})
    settings.push_back({"32x32", static_cast<double>(samples), square(32), {.samples = samples}});
  for (const Index side : {10, 16, 22, 32}) settings.push_back({"dimension", static_cast<double>(side), square(side), {.samples = 10000}});
  return study_of("samples_or_dimension", settings, size);
}

Study gklw_noise(const StudySize& size) {
  std::vector<FigurePoint> settings;
  for (const char* distribution : {"gaussian", "mixture"})
    for (const double noise : {0.1, 0.2, 0.3, 0.5, 0.7, 1.0})
      settings.push_back(
          {distribution, noise, square(10), {.samples = 10000, .distribution = InputDistribution::parse(distribution), .noise = noise}});
  return study_of("noise", settings, size);
}

Study gklw_condition(const StudySize& size) {
  std::vector<FigurePoint> settings;
  const SyntheticOptions samples{.samples = 20000, .distribution = InputDistribution::parse("mixture")};
  for (const bool of_weights : {true, false})
    for (const double condition : {1.0, 2.0, 5.0, 10.0, 30.0, 100.0}) {
      VectorNetworkOptions network = square(10);
      (of_weights ? network.weight_condition : network.output_condition) = condition;
      settings.push_back({of_weights ? "W" : "A", condition, network, samples});
    }
  return study_of("condition", settings, size);
}

}  // namespace relucover
