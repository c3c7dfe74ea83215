// Noisy labels of deep networks, and of functions that are nearly one, before the gate: what is fitted is the network nearest to the truth,
// the best imitation there is of it. Honest cases should be `recovered`; a claim about any other is false, where the samples tell.
// In brackets: what they say against the answer, in twice the log-likelihood.
//   bench_trust_deep_noise [CASES] [SEED] [SAMPLES] [WIDTHS, as 5,3] [INPUTS] [KIND]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "core/random.hpp"
#include "relucover/relucover.hpp"
#include "solve/layered_descent.hpp"
#include "verify/gate.hpp"
#include "verify/network_error.hpp"

using namespace relucover;

namespace {

Network planted(Index inputs, const std::vector<Index>& widths, RandomStream& random) {
  LayeredModel model;
  model.inputs = inputs;
  Index below = inputs;
  for (const Index width : widths) {
    RowMatrix rows(width, below + 1);
    rows << random.normal_matrix(width, below) * 1.4 / std::sqrt(static_cast<double>(below)), 0.3 * random.normal_vector(width);
    model.theta.push_back(rows);
    below = width;
  }
  model.plain_layers = model.depth();
  model.output.resize(1, below + 1);
  model.output << random.normal_matrix(1, below), 0.3 * random.normal();
  return network_of(model);
}

double least_side(const Network& network, const RowMatrix& x) {
  LayeredValues values;
  evaluate(plain_model(network), x, values);
  double least = 0.5;
  for (const RowMatrix& slope : values.slope) {
    const Eigen::RowVectorXd on = slope.colwise().mean();
    least = std::min({least, on.minCoeff(), 1 - on.maxCoeff()});
  }
  return least;
}

/// The network with other activations in one layer (0: the first), or in all (-1).
Vector with_activation(const Network& network, const RowMatrix& x, Index layer, const std::function<double(double)>& f) {
  const LayeredModel model = plain_model(network);
  RowMatrix h = x;
  for (Index l = 0; l <= model.depth(); ++l) {
    const RowMatrix& rows = model.rows_of(l);
    RowMatrix u = h * rows.leftCols(h.cols()).transpose();
    u.rowwise() += rows.col(rows.cols() - 1).transpose();
    if (l == model.depth()) return u.col(0);
    h = layer == l || layer < 0 ? RowMatrix(u.unaryExpr(f)) : RowMatrix(u.cwiseMax(0));
  }
  return {};
}

LayeredModel without(const Network& network, Index layer, RandomStream& random) {
  const LayeredModel model = plain_model(network);
  return without_unit(model, layer, random.below(model.width(layer)));
}

/// One more unit in the first layer, as the last.
LayeredModel with_random_unit(const Network& network, RandomStream& random) {
  LayeredModel wide = plain_model(network);
  RowMatrix& own = wide.theta[0];
  own.conservativeResize(own.rows() + 1, Eigen::NoChange);
  own.bottomRows(1) = random.normal_matrix(1, own.cols()) * 0.4;
  RowMatrix& above = wide.rows_of(1);
  RowMatrix fed(above.rows(), above.cols() + 1);
  fed << above.leftCols(above.cols() - 1), random.normal_vector(above.rows()), above.rightCols(1);
  above = fed;
  return wide;
}

/// Labels before noise, and where the fit begins.
struct Made {
  Vector labels;
  LayeredModel start;
};
using Kind = std::function<Made(const Network&, const RowMatrix&, double size, RandomStream&)>;

Vector plain_labels(const Network& network, const RowMatrix& x) { return network.evaluate(x).col(0); }

/// A term of this size, in deviations of the noise, beside the network.
Made with_term(const Network& network, const RowMatrix& x, Vector term, double size) {
  term.array() -= term.mean();
  term *= size / std::sqrt(term.squaredNorm() / static_cast<double>(term.size()));
  return {plain_labels(network, x) + term, plain_model(network)};
}

std::map<std::string, Kind> kinds() {
  const auto activation = [](Index layer, std::function<double(double)> f) -> Kind {
    return [=](const Network& network, const RowMatrix& x, double, RandomStream&) {
      return Made{with_activation(network, x, layer, f), plain_model(network)};
    };
  };
  const auto softplus = [](double width) {
    return [=](double t) { return std::max(t, 0.0) + width * std::log1p(std::exp(-std::abs(t) / width)); };
  };
  return {
      {"honest",
       [](const Network& network, const RowMatrix& x, double, RandomStream&) {
         return Made{plain_labels(network, x), plain_model(network)};
       }},
      {"missing unit, layer 1",
       [](const Network& network, const RowMatrix& x, double, RandomStream& random) {
         return Made{plain_labels(network, x), without(network, 0, random)};
       }},
      {"missing unit, layer 2",
       [](const Network& network, const RowMatrix& x, double, RandomStream& random) {
         return Made{plain_labels(network, x), without(network, 1, random)};
       }},
      {"one unit too many, layer 1",
       [](const Network& network, const RowMatrix& x, double, RandomStream& random) {
         LayeredModel wide = plain_model(network);
         RowMatrix& own = wide.theta[0];
         own.conservativeResize(own.rows() + 1, Eigen::NoChange);
         own.bottomRows(1) = random.normal_matrix(1, own.cols());
         RowMatrix& above = wide.rows_of(1);
         RowMatrix fed(above.rows(), above.cols() + 1);
         fed << above.leftCols(above.cols() - 1), 0.01 * random.normal_vector(above.rows()), above.rightCols(1);
         above = fed;
         return Made{plain_labels(network, x), wide};
       }},
      {"small further unit, layer 1",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         LayeredModel wide = with_random_unit(network, random);
         RowMatrix& above = wide.rows_of(1);
         const Index column = above.cols() - 2;
         const Vector plain = plain_labels(network, x);
         for (int round = 0; round < 3; ++round) {  // so large that its effect has this size
           const Vector more = predict(wide, x).col(0) - plain;
           above.col(column) *= size / std::sqrt((more.array() - more.mean()).square().mean());
         }
         return Made{predict(wide, x).col(0), plain_model(network)};
       }},
      {"part of the difference of two networks",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         return with_term(network, x, predict(with_random_unit(network, random), x).col(0) - plain_labels(network, x), size);
       }},
      {"direct unit",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         return with_term(network, x, (x * random.normal_vector(x.cols())).array().cwiseMax(0), size);
       }},
      {"linear term", [](const Network& network, const RowMatrix& x, double size,
                         RandomStream& random) { return with_term(network, x, x * random.normal_vector(x.cols()), size); }},
      {"sine of the answer", [](const Network& network, const RowMatrix& x, double size,
                                RandomStream&) { return with_term(network, x, (3 * plain_labels(network, x)).array().sin(), size); }},
      {"sine along a direction",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         return with_term(network, x, (2 * x * random.normal_vector(x.cols()).normalized()).array().sin(), size);
       }},
      {"product", [](const Network& network, const RowMatrix& x, double size,
                     RandomStream&) { return with_term(network, x, x.col(0).cwiseProduct(x.col(1)), size); }},
      {"square", [](const Network& network, const RowMatrix& x, double size,
                    RandomStream&) { return with_term(network, x, x.col(0).cwiseAbs2(), size); }},
      {"softplus, layer 1", activation(0, softplus(0.03))},
      {"softplus, layer 2", activation(1, softplus(0.03))},
      {"gelu, all", activation(-1, [](double t) { return t * 0.5 * std::erfc(-15 * t / std::numbers::sqrt2); })},
      {"leaky, layer 2", activation(1, [](double t) { return t > 0 ? t : 0.003 * t; })},
      {"leaky, all", activation(-1, [](double t) { return t > 0 ? t : 0.003 * t; })},
      {"tanh, layer 2", activation(1, [](double t) { return t > 0 ? std::tanh(t) : 0; })},
      {"third layer",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         const Vector y = plain_labels(network, x);
         return with_term(network, x, (y.array() - y.mean() - 0.3 * random.normal()).cwiseMax(0), size);
       }},
      {"rare unit",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         return with_term(network, x, ((x * random.normal_vector(x.cols()).normalized()).array() - 2.3).cwiseMax(0), size);
       }},
      {"wrong labels",
       [](const Network& network, const RowMatrix& x, double size, RandomStream& random) {
         Made made{plain_labels(network, x), plain_model(network)};
         for (Index i = 0; i < made.labels.size() / 50; ++i)
           made.labels[random.below(made.labels.size())] += (i % 2 == 0 ? 30 : -30) * size;
         return made;
       }},
  };
}

/// Noise of deviation 1.
Vector noise_of(const std::string& shape, const RowMatrix& x, const Vector& labels, RandomStream& random) {
  Vector noise = random.normal_vector(x.rows());
  if (shape == "uniform")
    for (double& v : noise) v = std::sqrt(12.0) * (random.uniform() - 0.5);
  if (shape == "laplace")
    for (double& v : noise) v = random.sign() * -std::log(random.uniform()) / std::numbers::sqrt2;
  if (shape == "student5")
    for (double& v : noise) v *= std::sqrt(3 / random.normal_vector(5).squaredNorm());
  if (shape == "growing") noise.array() *= (0.5 + 0.5 * labels.array().abs() / labels.array().abs().mean());
  return noise / std::sqrt(noise.squaredNorm() / static_cast<double>(noise.size()));
}

std::vector<Index> widths_of(const std::string& text) {
  std::vector<Index> widths;
  for (std::size_t at = 0; at < text.size(); at = text.find(',', at) == std::string::npos ? text.size() : text.find(',', at) + 1)
    widths.push_back(std::atoi(text.c_str() + at));
  return widths;
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int k, const char* otherwise) { return std::string(k < count ? arguments[k] : otherwise); };
  const Index cases = std::atoi(argument(1, "10").c_str()), samples = std::atoi(argument(3, "20000").c_str());
  const auto first = static_cast<std::uint64_t>(std::atoi(argument(2, "1").c_str()));
  const std::vector<Index> widths = widths_of(argument(4, "5,3"));
  const Index inputs = std::atoi(argument(5, "10").c_str());
  const std::string only = argument(6, "");
  const Control control(1);
  const std::vector<std::string> shapes = {"normal", "uniform", "laplace", "student5", "growing"};
  Index wrong = 0, honest = 0, claimed_honest = 0, others = 0, hidden_ones = 0;
  for (const auto& [name, kind] : kinds()) {
    if (!only.empty() && name.find(only) == std::string::npos) continue;
    Index claimed = 0, tried = 0;
    for (std::uint64_t seed = first; tried < cases; ++seed) {
      RandomStream random(seed, purpose::study, 15);
      const RowMatrix x = random.normal_matrix(samples, inputs);
      const Network truth = planted(inputs, widths, random);
      if (least_side(truth, x.topRows(std::min<Index>(samples, 20000))) < 0.03) continue;
      ++tried;
      const Vector clean = plain_labels(truth, x);
      const double deviation = std::sqrt((clean.array() - clean.mean()).square().mean()), sigma = 0.01 * deviation;
      // Terms beside a network: worth 100 to 3000 in twice the log-likelihood before the network has taken what it can of them.
      const double size = sigma * std::sqrt(100 * std::pow(30.0, random.uniform()) / static_cast<double>(samples));
      const Made made = kind(truth, x, name == "wrong labels" ? sigma : size, random);
      const std::string shape = name == "honest" ? shapes[static_cast<std::size_t>(tried - 1) % shapes.size()] : "normal";
      const Vector noise = sigma * noise_of(shape, x, clean, random);
      const MemorySource<double> source(x, made.labels + noise);
      const MemorySource<double> scaled(x, source.y() / deviation);
      LayeredModel start = made.start;
      start.output /= deviation;
      LayeredModel fitted = descend(start, scaled, {.most_steps = 60, .slow = 1e-7, .patience = 3}, control).model;
      fitted.output *= deviation;
      std::vector<std::string> uncertain;
      const Certificate certificate = Gate::judge_layers({source, network_of(fitted), 0, true, seed}, uncertain, control);
      // What the samples say against the answer, for who knows the truth: below `hidden` nobody else can.
      constexpr double hidden = 60;
      const double against = (network_error(network_of(fitted), source, control).rms *
                                  network_error(network_of(fitted), source, control).rms * static_cast<double>(samples) -
                              noise.squaredNorm()) /
                                 (sigma * sigma) +
                             static_cast<double>(fitted.parameters() - fitted.units());
      const bool right = name == "honest", told = against > hidden || name.starts_with("one unit too many");
      claimed += certificate.given() && (right || told);
      hidden_ones += !right && !told;
      fmt::print("{} {} {} ({:.0f}): {}, {}{}\n", name, shape, seed, against, name_of(certificate.status), certificate.reason,
                 uncertain.empty() ? "" : "; " + uncertain.front());
      if (name == "honest" || certificate.given())
        for (const auto& [figure, value] : certificate.figures)
          if (figure.starts_with("chance") && value < 0.01) fmt::print("    {} {:.1e}\n", figure, value);
      std::fflush(stdout);
    }
    fmt::print("{}: {} of {} claimed\n", name, claimed, tried);
    (name == "honest" ? honest : others) += tried;
    (name == "honest" ? claimed_honest : wrong) += claimed;
  }
  fmt::print("honest: {} of {} claimed; others: {} of {} claimed falsely ({} of them can't be told)\n", claimed_honest, honest, wrong,
             others, hidden_ones);
  return wrong > 0 ? 1 : 0;
}
