#pragma once
// Large planted networks whose data leave one direction of the parameters free, or none.
#include "core/random.hpp"
#include "learners/finish/finish.hpp"
#include "relucover/learn.hpp"

namespace relucover::test {

enum class Freedom { none, constant_input, in_a_plane, proportional_inputs, few_samples };

inline const char* words_of(Freedom kind) {
  switch (kind) {
    case Freedom::constant_input: return "an input constant beyond";
    case Freedom::in_a_plane: return "a plane beyond";
    case Freedom::proportional_inputs: return "proportional inputs beyond";
    case Freedom::few_samples: return "few samples beyond";
    case Freedom::none: break;
  }
  return "nothing free";
}

struct PlantedLarge {
  Network network;
  MemorySource<double> samples;
};

/// Where the first unit is active its samples are moved along what the kind leaves free, without leaving their side of any of its kinks.
inline PlantedLarge planted_large(Index inputs, Index units, Freedom kind, std::uint64_t seed) {
  Network network = planted_network({.inputs = inputs, .units = units, .seed = seed});
  const Index samples = 8 * (units + 1) * (inputs + 1);
  RandomStream random(seed, purpose::study, 7);
  const Vector w = network.W.row(0).transpose();
  Vector plane = random.normal_vector(inputs);  // a normal across which nothing may vary beyond the kink
  if (kind == Freedom::constant_input) plane = Vector::Unit(inputs, static_cast<Index>(seed % static_cast<std::uint64_t>(inputs)));
  if (kind == Freedom::proportional_inputs) plane = Vector::Unit(inputs, 0) - 0.7 * Vector::Unit(inputs, 1);
  // The unit itself does not see the plane's normal, so that samples stay on their side.
  network.W.row(0) -= (w.dot(plane) / plane.squaredNorm()) * plane.transpose();
  if (kind == Freedom::few_samples) network.b[0] = -network.W.row(0).norm() * 9;  // beyond all samples, but for those that are put there
  RowMatrix x(samples, inputs);
  for (Index i = 0; i < samples; ++i) {
    Vector row = random.normal_vector(inputs);
    const double t = network.W.row(0).dot(row) + network.b[0];
    if (kind == Freedom::few_samples) {
      if (i % (samples / inputs) == 0 && i / (samples / inputs) < inputs)
        row += (1 - t) / network.W.row(0).squaredNorm() * network.W.row(0).transpose();
    } else if (kind != Freedom::none && t > 0) {
      row -= ((plane.dot(row) - 0.3) / plane.squaredNorm()) * plane;
    }
    x.row(i) = row.transpose();
  }
  RowMatrix y = network.evaluate(x);
  return {network, MemorySource<double>(std::move(x), std::move(y))};
}

/// The end of every learner, from near the truth.
inline Result finished_near(const PlantedLarge& planted, double distance = 1e-7) {
  SignFreeModel start = sign_free(planted.network);
  RandomStream random(1, purpose::study, 8);
  for (Index i = 0; i < start.units(); ++i)
    start.theta.row(i) += distance * start.theta.row(i).norm() * random.normal_vector(start.inputs() + 1).normalized().transpose();
  Result result;
  LearnOptions options{.units = planted.network.units(), .threads = 1};
  finish(planted.samples, std::move(start), options, Control(1), result);
  return result;
}

}  // namespace relucover::test
