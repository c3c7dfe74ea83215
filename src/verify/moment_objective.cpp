#include "verify/moment_objective.hpp"

#include <cmath>

#include "core/check.hpp"
#include "moments/moment_source.hpp"

namespace relucover {

namespace {

/// The network as a function of whitened inputs.
Network on_whitened(const Network& network, const Whitening& whitening, const Vector& all_means) {
  const Index m = network.units(), d = network.inputs(), q = whitening.size();
  Matrix forms(m + 1, d + 1);
  forms.topLeftCorner(m, d) = network.W;
  forms.topRightCorner(m, 1) = network.b;
  forms.row(m) << network.skip.row(0), network.offset[0];
  const Matrix mapped = whitening.forms_to_whitened(forms, all_means);
  Network answer(q, m, 1, network.activation);
  answer.W = mapped.topLeftCorner(m, q);
  answer.b = mapped.topRightCorner(m, 1);
  answer.A = network.A;
  answer.skip = mapped.row(m).head(q);
  answer.offset[0] = mapped(m, q);
  return answer;
}

}  // namespace

MomentObjective moment_objective(const Network& network, const SampleSource& source, Index max_order, const Control& control) {
  check_no_problems("network", network.problems());
  require_one_hidden_layer(network, "the error by order of moments");
  check_equal("inputs of the data", source.inputs(), network.inputs());
  check_equal("outputs of the data", source.outputs(), 1);
  check_range("highest order", max_order, 0, max_tensor_order + 1);
  constexpr Index most_entries = 2000000;
  if (packed_size(source.inputs(), max_order) > most_entries)
    throw std::invalid_argument("moments of this order have too many entries for so many inputs: ask for a lower order");
  const InputMoments inputs = input_moments(source, control);
  const Whitening whitening = whitening_of(inputs);
  if (whitening.size() < source.inputs())
    throw std::invalid_argument("some inputs are constant or depend on others: leave them out to compare moments");
  const EstimatedMoments estimated(source, inputs, whitening, Vector::Ones(1));
  const ExactMoments exact(on_whitened(network, whitening, inputs.mean));
  const Matrix all = Matrix::Identity(whitening.size(), whitening.size());
  const HermiteMoments of_labels = estimated.moments(all, max_order, control), of_network = exact.moments(all, max_order, control);
  MomentObjective answer;
  answer.label_variance = estimated.label_variance();
  double factorial = 1;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(max_order); ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    SymmetricTensor difference = of_labels.tensors[k];
    difference.values -= of_network.tensors[k].values;
    answer.by_order.push_back(difference.squared_norm() / factorial);
    answer.by_chance.push_back(of_labels.noise[k] * of_labels.noise[k] / factorial);
    answer.total += answer.by_order.back();
  }
  return answer;
}

}  // namespace relucover
