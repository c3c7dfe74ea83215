#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "relucover/samples.hpp"

namespace relucover {

namespace {

constexpr std::uint64_t network_stream = 0, deep_network_stream = 1;

double draw(InputDistribution::Kind kind, RandomStream& random) {
  using Kind = InputDistribution::Kind;
  // Every distribution has mean 0 and variance 1.
  switch (kind) {
    case Kind::uniform: return std::sqrt(12.0) * (random.uniform() - 0.5);
    case Kind::laplace: {
      const double u = random.uniform() - 0.5;
      return -std::copysign(std::log1p(-2 * std::abs(u)), u) / std::numbers::sqrt2;
    }
    case Kind::rademacher: return random.sign();
    case Kind::exponential: return -std::log(random.uniform()) - 1;
    default: return random.normal();
  }
}

/// Linear map of the drawn values: a Cholesky factor, or a random basis with the eigenvalues of a given condition.
std::optional<Matrix> input_factor(const InputDistribution& distribution, Index inputs, std::uint64_t seed) {
  if (distribution.factor.size() > 0) return distribution.factor;
  if (distribution.kind != InputDistribution::Kind::correlated) return std::nullopt;
  RandomStream random(seed, purpose::covariance);
  const Matrix basis = random_orthonormal(inputs, inputs, random);
  Vector root(inputs);  // square roots of eigenvalues in the proportion 1 .. 1/condition
  for (Index i = 0; i < inputs; ++i)
    root[i] = std::pow(distribution.condition, inputs > 1 ? -0.5 * static_cast<double>(i) / static_cast<double>(inputs - 1) : 0);
  root *= std::sqrt(static_cast<double>(inputs)) / root.norm();  // mean variance 1, as for the other distributions
  return Matrix(basis * root.asDiagonal() * basis.transpose());
}

class SyntheticSource : public SampleSource {
 public:
  SyntheticSource(Network network, const SyntheticOptions& options)
      : network_(std::move(network)), options_(options), factor_(input_factor(options.distribution, network_.inputs(), options.seed)) {
    if (options.distribution.kind == InputDistribution::Kind::mixture) {
      // Two Gaussians at ±mean, so that x and -x are equally likely; |mean| grows like |x|.
      RandomStream random(options.seed, purpose::covariance);
      mixture_mean_ = random.normal_vector(network_.inputs());
    }
  }
  Index samples() const override { return options_.samples; }
  Index inputs() const override { return network_.inputs(); }
  Index outputs() const override { return network_.outputs(); }
  std::string name() const override { return "synthetic samples"; }

  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override {
    check_range(name(), first, rows, samples());
    buffer.x.resize(rows, inputs());
    buffer.y.resize(rows, outputs());
    Index done = 0;
    while (done < rows) {
      const Index tile = (first + done) / tile_rows, from = (first + done) % tile_rows;
      const Index count = std::min(rows - done, tile_rows - from);
      const auto [x, y] = draw_tile(tile);
      buffer.x.middleRows(done, count) = x.middleRows(from, count);
      buffer.y.middleRows(done, count) = y.middleRows(from, count);
      done += count;
    }
    return view_of(first, buffer);
  }
  using SampleSource::read;

 private:
  // The last bit of a matrix product depends on its shape, so samples are always made in the same groups, whatever is
  // read.
  static constexpr Index tile_rows = 256;

  struct Tile {
    RowMatrix x, y;
  };

  Tile draw_tile(Index tile) const {
    Tile result{RowMatrix(tile_rows, inputs()), {}};
    const Index first = tile * tile_rows;
    for (Index i = 0; i < tile_rows; ++i) draw_row(first + i, result.x.row(i));
    if (factor_) result.x *= factor_->transpose();
    result.y = network_.evaluate(result.x);
    if (options_.noise > 0)
      for (Index i = 0; i < tile_rows; ++i) {
        RandomStream random(options_.seed, purpose::noise, static_cast<std::uint64_t>(first + i));
        for (Index j = 0; j < outputs(); ++j) result.y(i, j) += options_.noise * random.normal();
      }
    return result;
  }

  template <class Row>
  void draw_row(Index sample, Row row) const {
    RandomStream random(options_.seed, purpose::inputs, static_cast<std::uint64_t>(sample));
    for (Index j = 0; j < row.size(); ++j) row[j] = draw(options_.distribution.kind, random);
    if (mixture_mean_.size() > 0) row += random.sign() * mixture_mean_.transpose();
  }

  Network network_;
  SyntheticOptions options_;
  std::optional<Matrix> factor_;
  Vector mixture_mean_;
};

}  // namespace

InputDistribution InputDistribution::parse(const std::string& text) {
  const std::string kind = text.substr(0, text.find(':'));
  const std::string argument = text.find(':') == std::string::npos ? "" : text.substr(text.find(':') + 1);
  InputDistribution result;
  for (const auto candidate :
       {Kind::gaussian, Kind::correlated, Kind::mixture, Kind::uniform, Kind::laplace, Kind::rademacher, Kind::exponential}) {
    result.kind = candidate;
    if (kind != result.name().substr(0, result.name().find(':'))) continue;
    if ((candidate == Kind::correlated) == argument.empty()) break;
    if (candidate == Kind::correlated) {
      std::size_t used = 0;
      try {
        result.condition = std::stod(argument, &used);
      } catch (const std::exception&) {
        used = 0;
      }
      if (used != argument.size() || !(result.condition >= 1) || !std::isfinite(result.condition)) break;
    }
    return result;
  }
  throw std::invalid_argument(
      fmt::format("unknown distribution \"{}\"; there are gaussian, correlated:C (C >= 1), mixture, uniform, laplace, "
                  "rademacher, exponential",
                  text));
}

std::string InputDistribution::name() const {
  switch (kind) {
    case Kind::gaussian: return "gaussian";
    case Kind::correlated: return fmt::format("correlated:{}", condition);
    case Kind::mixture: return "mixture";
    case Kind::uniform: return "uniform";
    case Kind::laplace: return "laplace";
    case Kind::rademacher: return "rademacher";
    case Kind::exponential: return "exponential";
  }
  throw std::invalid_argument("unknown distribution");
}

std::unique_ptr<SampleSource> synthetic_samples(Network network, const SyntheticOptions& options) {
  check_no_problems("network", network.problems());
  if (options.samples < 0 || !(options.noise >= 0) || !std::isfinite(options.noise))
    throw std::invalid_argument("samples and noise must not be negative");
  return std::make_unique<SyntheticSource>(std::move(network), options);
}

std::vector<std::string> PlantedOptions::problems() const {
  std::vector<std::string> found;
  if (inputs <= 0) found.push_back(fmt::format("inputs is {}, expected at least 1", inputs));
  if (units <= 0) found.push_back(fmt::format("units is {}, expected at least 1", units));
  if (outputs <= 0) found.push_back(fmt::format("outputs is {}, expected at least 1", outputs));
  if (!(bias >= 0) || !std::isfinite(bias)) found.push_back(fmt::format("bias is {}, expected 0 or more", bias));
  if (weights == Weights::condition && !(condition >= 1)) found.push_back("condition must be at least 1");
  if (weights != Weights::gaussian && units > inputs)
    found.push_back(fmt::format("{} units in {} inputs can't be orthonormal or of given condition", units, inputs));
  return found;
}

namespace {

Matrix planted_weights(const PlantedOptions& options, RandomStream& random) {
  using Weights = PlantedOptions::Weights;
  if (options.weights == Weights::gaussian) return random.normal_matrix(options.units, options.inputs).rowwise().normalized();
  Matrix rows = random_orthonormal(options.inputs, options.units, random).transpose();
  if (options.weights == Weights::condition) {
    // Singular values from 1 to 1/condition in a random basis; rows are not normalised, or the condition would change.
    const Matrix left = random_orthonormal(options.units, options.units, random);
    Vector singular(options.units);
    for (Index i = 0; i < options.units; ++i)
      singular[i] = std::pow(options.condition, options.units > 1 ? -static_cast<double>(i) / static_cast<double>(options.units - 1) : 0);
    rows = left * singular.asDiagonal() * rows;
  }
  return rows;
}

}  // namespace

std::vector<std::string> DeepPlantedOptions::problems() const {
  std::vector<std::string> found;
  if (inputs <= 0) found.push_back(fmt::format("inputs is {}, expected at least 1", inputs));
  if (outputs <= 0) found.push_back(fmt::format("outputs is {}, expected at least 1", outputs));
  if (layers.empty()) found.push_back("layers is empty, expected the width of each hidden layer");
  for (const Index width : layers)
    if (width <= 0) found.push_back(fmt::format("a layer has {} units, expected at least 1", width));
  return found;
}

Network planted_deep_network(const DeepPlantedOptions& options) {
  check_no_problems("planted network", options.problems());
  constexpr double weight_spread = 1.4, bias_spread = 0.3;
  RandomStream random(options.seed, purpose::network, deep_network_stream);
  const auto weights = [&](Index units, Index below) {
    return Matrix(weight_spread / std::sqrt(static_cast<double>(below)) * random.normal_matrix(units, below));
  };
  Network network(options.inputs, options.layers.front(), options.outputs);
  network.W = weights(network.units(), options.inputs);
  network.b = bias_spread * random.normal_vector(network.units());
  for (std::size_t l = 1; l < options.layers.size(); ++l) {
    const Index units = options.layers[l];
    HiddenLayer layer{weights(units, options.layers[l - 1]), {}, {}};
    layer.b = bias_spread * random.normal_vector(units);
    network.upper.push_back(std::move(layer));
  }
  network.A = random.normal_matrix(options.outputs, options.layers.back());
  network.offset = random.normal_vector(options.outputs);
  return network;
}

Network planted_network(const PlantedOptions& options) {
  check_no_problems("planted network", options.problems());
  RandomStream random(options.seed, purpose::network, network_stream);
  Network network(options.inputs, options.units, options.outputs);
  network.W = planted_weights(options, random);
  network.b = options.bias * random.normal_vector(options.units);
  for (Index j = 0; j < options.units; ++j)
    for (Index i = 0; i < options.outputs; ++i) network.A(i, j) = random.sign() * (0.5 + random.uniform());
  return network;
}

}  // namespace relucover
