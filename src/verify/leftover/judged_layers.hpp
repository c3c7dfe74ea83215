#pragma once
// An answer of several layers beside the samples that it is claimed for, in the coordinates that tests look at it in.
#include <vector>

#include "relucover/samples.hpp"
#include "solve/layered.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// Levels count from below: 0 the inputs, 1 to depth the hidden layers, depth + 1 the outputs.
struct JudgedLayers {
  /// t: of the units of all layers. tangent: derivatives of every output by every parameter, more than the answer can do where there are
  /// several outputs.
  Judged answer;
  LayeredModel model;                          // plain; of inputs about their means, times powers of two
  MemorySource<double> samples;                // those: the rows of `answer`
  Vector output_scale;                         // labels there, over labels as they are
  std::vector<Matrix> values;                  // of levels 0 to depth: rows by units
  std::vector<Matrix> arguments;               // of levels 1 to depth, w·h + b
  std::vector<std::vector<Matrix>> by_values;  // [level - 1][output]: derivative of the output, as labels are, by the values of a level

  Index depth() const { return model.depth(); }
  Index outputs() const { return answer.outputs(); }
  const Matrix& arguments_of(Index level) const { return arguments[static_cast<std::size_t>(level - 1)]; }
  /// Derivative of an output by the values of a level, or by what these are the ReLUs of; of outputs by themselves.
  Matrix derivative_by_values(Index level, Index output) const;
  Matrix derivative_by_arguments(Index level, Index output) const;
};

JudgedLayers judged_layers(const MemorySource<double>& samples, const Network& network, const LabelGrid& grid);

/// Derivatives of all outputs by all parameters, rows of the outputs below each other, outputs turned by `decorrelation`.
Matrix stacked_jacobian(const JudgedLayers& judged, const Matrix& decorrelation);

}  // namespace relucover
