#include "moments/summed_moments.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

/// Entry of a tensor on (1, x): the mean of Π x_i over the given inputs.
double mean_of(const SymmetricTensor& extended, std::vector<int> inputs) {
  for (int& i : inputs) ++i;
  inputs.insert(inputs.end(), static_cast<std::size_t>(extended.order) - inputs.size(), 0);
  return extended.at(std::move(inputs));
}

/// Of a tensor on (1, z): the part of the given order on z alone.
SymmetricTensor part_of_order(const SymmetricTensor& extended, Index order) {
  SymmetricTensor part(extended.dimension - 1, order);
  const PackedIndex index(part.dimension, order);
  std::vector<int> tuple(static_cast<std::size_t>(extended.order), 0);
  const auto zeros = extended.order - order;
  for (Index place = 0; place < index.size(); ++place) {
    for (Index t = 0; t < order; ++t) tuple[static_cast<std::size_t>(zeros + t)] = index.tuple(place)[t] + 1;
    part.values[place] = extended.values[PackedIndex::place(tuple.data(), extended.order)];
  }
  return part;
}

/// The tensor on (1, z) of a lower order: contracted with the constant.
SymmetricTensor lowered(const SymmetricTensor& extended, Index order) {
  SymmetricTensor low(extended.dimension, order);
  const PackedIndex index(extended.dimension, order);
  std::vector<int> tuple(static_cast<std::size_t>(extended.order), 0);
  for (Index place = 0; place < index.size(); ++place) {
    std::copy(index.tuple(place), index.tuple(place) + order, tuple.end() - order);
    low.values[place] = extended.values[PackedIndex::place(tuple.data(), extended.order)];
  }
  return low;
}

/// E[p q] for the monomials p of one order and q of another, all on (1, z).
Matrix products(const SymmetricTensor& extended, Index rows, Index columns) {
  const SymmetricTensor low = lowered(extended, rows + columns);
  const auto places = joined_places(PackedIndex(low.dimension, rows), PackedIndex(low.dimension, columns));
  return places.unaryExpr([&](Index place) { return low.values[place]; }).cast<double>();
}

}  // namespace

SymmetricTensor mapped(const SymmetricTensor& tensor, const Matrix& map) {
  // One slot after the other: rows are tuples of slots that are mapped, columns those that are not.
  const Index from = tensor.dimension, to = map.rows();
  Matrix state = tensor.values.transpose();
  for (Index done = 0; done < tensor.order; ++done) {
    const PackedIndex left(from, tensor.order - done - 1), rows(to, done);
    const auto joined = joined_places(left, PackedIndex(from, 1));
    Matrix next(packed_size(to, done + 1), left.size());
    Matrix slices(left.size(), from);
    std::vector<int> tuple(static_cast<std::size_t>(done) + 1);
    for (Index row = 0; row < rows.size(); ++row) {
      for (Index i = 0; i < from; ++i)
        for (Index at = 0; at < left.size(); ++at) slices(at, i) = state(row, joined(at, i));
      std::copy(rows.tuple(row), rows.tuple(row) + done, tuple.begin());
      const Index least = done > 0 ? rows.tuple(row)[done - 1] : 0;
      const Matrix images = slices * map.bottomRows(to - least).transpose();
      for (Index p = least; p < to; ++p) {
        tuple.back() = static_cast<int>(p);
        next.row(PackedIndex::place(tuple.data(), done + 1)) = images.col(p - least).transpose();
      }
    }
    state = std::move(next);
  }
  SymmetricTensor answer(to, tensor.order);
  answer.values = state.col(0);
  return answer;
}

SummedMoments::SummedMoments(const PowerSums& sums) {
  check_equal("outputs of the moments", sums.outputs, 1);
  const double n = static_cast<double>(sums.samples);
  input_powers_ = SymmetricTensor(sums.inputs + 1, sums.input_order);
  input_powers_.values = sums.of_inputs / n;
  label_powers_ = SymmetricTensor(sums.inputs + 1, sums.order);
  label_powers_.values = sums.of_labels.col(0) / n;
  const SymmetricTensor pairs = lowered(input_powers_, 2), label_first = lowered(label_powers_, 1);
  const Index d = sums.inputs;
  moments_.samples = sums.samples;
  moments_.mean.resize(d);
  moments_.covariance.resize(d, d);
  moments_.label_mean = Vector::Constant(1, label_first.values[0]);
  for (int i = 0; i < d; ++i) moments_.mean[i] = mean_of(pairs, {i});
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) moments_.covariance(i, j) = mean_of(pairs, {i, j}) - moments_.mean[i] * moments_.mean[j];
  moments_.cross_covariance = label_first.values.tail(d) - moments_.mean * moments_.label_mean;
  moments_.label_covariance = sums.label_products / n - moments_.label_mean * moments_.label_mean.transpose();
  whitening_ = whitening_of(moments_);
  combination_ = Vector::Ones(1);
}

Matrix SummedMoments::second_moment(const Control& control) const {
  const SymmetricTensor packed = moments(Matrix::Identity(inputs(), inputs()), 2, control).tensors[2];
  Matrix square(inputs(), inputs());
  for (int i = 0; i < square.rows(); ++i)
    for (int j = 0; j <= i; ++j) square(i, j) = square(j, i) = packed.at({i, j});
  return square;
}

HermiteMoments SummedMoments::moments(const Matrix& directions, Index max_order, const Control& control) const {
  check_equal("columns of the directions", directions.cols(), inputs());
  if (max_order > label_powers_.order)
    throw std::invalid_argument("these moments go to order " + std::to_string(label_powers_.order) + ", the units asked for need order " +
                                std::to_string(max_order) + ": make them again with a higher --order");
  const Index q = directions.rows();
  // (1, z) = map (1, x)
  Matrix forms = Matrix::Zero(q, inputs() + 1);
  forms.leftCols(inputs()) = directions;
  const Matrix on_inputs = whitening_.forms_to_inputs(forms);
  Matrix map = Matrix::Zero(q + 1, whitening_.inputs + 1);
  map(0, 0) = 1;
  map.bottomRightCorner(q, whitening_.inputs) = on_inputs.leftCols(whitening_.inputs);
  map.bottomLeftCorner(q, 1) = on_inputs.col(whitening_.inputs);
  const Index highest = std::max<Index>(max_order, 1);
  const Index input_order = std::min(input_powers_.order, std::max<Index>(2, 2 * highest - 1));
  control.check();
  const SymmetricTensor z = mapped(lowered(input_powers_, input_order), map);
  control.check();
  const SymmetricTensor yz = mapped(lowered(label_powers_, highest), map);

  const double n = static_cast<double>(moments_.samples);
  HermiteMoments answer;
  double factorial = 1;
  for (Index k = 0; k <= max_order; ++k) {
    control.check();
    factorial *= std::max<double>(1, static_cast<double>(k));
    const Index degree = k < 2 ? 0 : std::min(k - 1, input_order - k);
    SymmetricTensor residual = lowered(yz, k);
    double spread = label_variance();
    if (k >= 2) {
      Matrix gram = products(z, degree, degree);
      const Vector cross = lowered(yz, degree).values;
      const Vector fit = solve_semidefinite(std::move(gram), cross);
      residual.values -= products(z, k, degree) * fit;
      spread = std::max(0.0, spread + moments_.label_mean[0] * moments_.label_mean[0] - fit.dot(cross));
    }
    std::vector<SymmetricTensor> raw;
    for (Index order = k; order >= 0; order -= 2) raw.push_back(part_of_order(residual, order));
    answer.tensors.push_back(hermite_from_raw(raw));
    // |He_k(z)|² is k! C(q + k - 1, k) in the mean
    answer.noise.push_back(std::sqrt(spread * factorial * static_cast<double>(packed_size(q, k)) / n));
  }
  return answer;
}

double SummedMoments::fourth_moment_score() const {
  if (input_powers_.order < 4) return 0;
  const Index d = inputs();
  Matrix forms = Matrix::Zero(d, d + 1);
  forms.leftCols(d).setIdentity();
  const Matrix on_inputs = whitening_.forms_to_inputs(forms);
  Matrix map(d, whitening_.inputs + 1);
  map << on_inputs.col(whitening_.inputs), on_inputs.leftCols(whitening_.inputs);
  const SymmetricTensor z = mapped(lowered(input_powers_, 4), map);
  double fourth = 0;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) fourth += z.at({i, i, j, j});
  // z has mean 0 and covariance I by construction, so what varies is |z|⁴ - 2(d + 2)|z|²: variance 8 d(d + 2)
  const double k = static_cast<double>(d);
  return (fourth - k * (k + 2)) / std::sqrt(8 * k * (k + 2) / static_cast<double>(moments_.samples));
}

}  // namespace relucover
