#include "learners/vector/higher_order_tensor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "decompose/rank_one_span.hpp"
#include "moments/moment_source.hpp"
#include "moments/symmetric_packing.hpp"

namespace relucover {

namespace {

constexpr Index most_inputs = 40;  // all products of pairs are stored

struct Tensor {
  SymmetricTensor values;
  Whitening whitening;
  double noise = 0;
};

Tensor score_tensor(const SampleSource& source, const Vector& combination, Index order, const Control& control) {
  const InputMoments inputs = input_moments(source, control);
  Whitening whitening = whitening_of(inputs);
  const EstimatedMoments estimated(source, inputs, whitening, combination);
  HermiteMoments moments = estimated.moments(Matrix::Identity(whitening.size(), whitening.size()), order, control);
  return {std::move(moments.tensors[static_cast<std::size_t>(order)]), std::move(whitening),
          moments.noise[static_cast<std::size_t>(order)]};
}

/// Slices of a symmetric tensor of order 3, or the tensor of order 4, as rows of packed symmetric matrices.
Matrix packed_rows(const SymmetricTensor& tensor) {
  const int d = static_cast<int>(tensor.dimension);
  const bool third = tensor.order == 3;
  Matrix rows(third ? d : packed_size(d), packed_size(d));
  Index row = 0;
  for (int s = 0; s < d; ++s)
    for (int t = third ? d - 1 : s; t < d; ++t, ++row) {
      Matrix slice(d, d);
      for (int i = 0; i < d; ++i)
        for (int j = 0; j <= i; ++j) slice(i, j) = slice(j, i) = third ? tensor.at({i, j, s}) : tensor.at({i, j, s, t});
      rows.row(row) = pack_symmetric(slice).transpose() * (third || s == t ? 1.0 : std::numbers::sqrt2);
    }
  return rows;
}

void directions_of(const Matrix& span, Index units, const Tensor& tensor, std::uint64_t seed, const Control& control,
                   HigherOrderStart& start) {
  RandomStream random(seed, purpose::pencil, 2);
  const RankOneVectors found = rank_one_vectors(span, tensor.whitening.size(), random, control);
  if (found.rows.rows() < units) {
    start.problem = fmt::format("the tensor's span holds {} separate rank-one elements, {} were expected", found.rows.rows(), units);
    return;
  }
  Matrix forms = Matrix::Zero(units, tensor.whitening.size() + 1);
  forms.leftCols(tensor.whitening.size()) = found.rows;
  start.directions = tensor.whitening.forms_to_inputs(forms).leftCols(tensor.whitening.inputs);
}

bool measured(const Tensor& tensor, HigherOrderStart& start) {
  start.norm = std::sqrt(tensor.values.squared_norm());
  start.noise = tensor.noise;
  return start.norm > 2 * start.noise;
}

}  // namespace

HigherOrderStart order_three_directions(const SampleSource& source, Index units, std::uint64_t seed, const Control& control) {
  HigherOrderStart start;
  if (units > source.inputs() || source.inputs() > most_inputs) {
    start.problem = fmt::format("order 3 needs at most as many units as inputs, and at most {} inputs", most_inputs);
    return start;
  }
  RandomStream random(seed, purpose::sketch, 3);
  const Tensor tensor = score_tensor(source, random.normal_vector(source.outputs()), 3, control);  // steps 1 to 3, without G
  if (!measured(tensor, start)) {
    start.problem = fmt::format(
        "the tensor of order 3 has norm {:.2e}, its sampling error alone gives {:.2e}: no signal. For ReLU without "
        "bias there is none "
        "to have, E[relu(z) He_3(z)] = 0; use order-two",
        start.norm, start.noise);
    return start;
  }
  const Svd svd = thin_svd(packed_rows(tensor.values), SingularVectors::right);
  directions_of(svd.right.leftCols(units), units, tensor, seed, control, start);
  return start;
}

HigherOrderStart order_four_directions(const SampleSource& source, Index units, std::uint64_t seed, const Control& control) {
  HigherOrderStart start;
  if (units > packed_size(source.inputs()) || source.inputs() > most_inputs) {
    start.problem = fmt::format("order 4 needs at most as many units as products of inputs, and at most {} inputs", most_inputs);
    return start;
  }
  RandomStream random(seed, purpose::sketch, 4);
  const Vector combination = source.outputs() == 1 ? Vector(Vector::Ones(1)) : random.normal_vector(source.outputs());
  const Tensor tensor = score_tensor(source, combination, 4, control);
  if (!measured(tensor, start)) {
    start.problem = fmt::format("the tensor of order 4 has norm {:.2e}, its sampling error alone gives {:.2e}: no signal above the noise",
                                start.norm, start.noise);
    return start;
  }
  const Svd svd = thin_svd(packed_rows(tensor.values), SingularVectors::right);
  directions_of(svd.right.leftCols(units), units, tensor, seed, control, start);
  return start;
}

}  // namespace relucover
