#include "learners/deep/deep_data.hpp"

#include <algorithm>
#include <cmath>

#include "samples/subsample.hpp"

namespace relucover {

MemorySource<double> DeepData::at(const std::vector<Index>& rows) const {
  return {RowMatrix(x(rows, Eigen::all)), RowMatrix(y(rows, Eigen::all)), "batch"};
}

MemorySource<double> DeepData::batch(Index count, std::uint64_t draw) const {
  return at(spread_rows(samples(), std::min(count, samples()), draw));
}

Network DeepScaling::unscaled(const LayeredModel& plain) const {
  Network network = network_of(plain);
  Matrix forms(network.units(), network.inputs() + 1);
  forms << network.W, network.b;
  const Matrix original = whitening.forms_to_inputs(forms);
  network.W = original.leftCols(whitening.inputs);
  network.b = original.col(whitening.inputs);
  network.skip = Matrix::Zero(network.outputs(), whitening.inputs);
  network.A *= label_scale;
  network.offset = label_scale * network.offset + label_mean;
  return network;
}

PreparedDeepData prepare_deep_data(const SampleSource& source, double rounding, const Control& control) {
  const InputMoments moments = input_moments(source, control);
  PreparedDeepData prepared{{}, {whitening_of(moments), moments.label_mean, std::sqrt(moments.label_covariance.trace())}};
  const DeepScaling& scaling = prepared.scaling;
  constexpr Index values_in_memory = Index{1} << 27;
  const Index most = std::max<Index>(values_in_memory / (source.inputs() + source.outputs()), 1);
  const auto all = spread_rows(source.samples(), std::min(source.samples(), most), 0);
  const auto scaled = [&](std::vector<Index> rows, RowMatrix& x, RowMatrix& y) {
    std::sort(rows.begin(), rows.end());
    const auto some = gather(source, rows, control);
    x = scaling.whitening.whiten(some.x());
    y = (some.y().rowwise() - scaling.label_mean.transpose()) / scaling.label_scale;
  };
  const auto middle = all.begin() + std::ssize(all) / 10;
  scaled({all.begin(), middle}, prepared.data.held_x, prepared.data.held_y);
  scaled({middle, all.end()}, prepared.data.x, prepared.data.y);
  const double relative = rounding / scaling.label_scale;
  prepared.data.wrong = std::max(1e-8, 8 * relative);
  prepared.data.exact = std::max(1e-20, 4 * relative * relative * static_cast<double>(source.outputs()));
  return prepared;
}

Index rows_for_parameters(double per_parameter, Index parameters) {
  constexpr Index few = 1500;
  const double count = static_cast<double>(std::min(parameters, few)) + static_cast<double>(std::max<Index>(parameters - few, 0)) / 2;
  return static_cast<Index>(per_parameter * count);
}

std::vector<char> wrong_rows(const LayeredModel& model, const RowMatrix& x, const RowMatrix& y, double tolerance) {
  const RowMatrix predicted = predict(model, x);
  std::vector<char> wrong(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i)
    wrong[static_cast<std::size_t>(i)] = !((predicted.row(i) - y.row(i)).cwiseAbs().maxCoeff() <= tolerance);
  return wrong;
}

std::vector<Index> rows_where(const std::vector<char>& mask, bool value) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < mask.size(); ++i)
    if ((mask[i] != 0) == value) rows.push_back(static_cast<Index>(i));
  return rows;
}

}  // namespace relucover
