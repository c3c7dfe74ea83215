#include "learners/best_so_far.hpp"

#include <algorithm>

#include "samples/views.hpp"
#include "solve/relu_form.hpp"
#include "verify/network_error.hpp"

namespace relucover {

void keep_as_best_so_far(const SampleSource& source, const SignFreeModel& model, Result& result) {
  Network network = relu_network(model, std::vector<int>(static_cast<std::size_t>(model.units()), 1));
  if (!network.problems().empty()) return;
  result.network = std::move(network);
  result.sign_ambiguous = model.units() > 0;
  constexpr Index some = 5000;
  const RowRange rows(source, 0, std::min(some, source.samples()));
  const NetworkError error = network_error(result.network, rows, Control(1));
  result.residual_rms = result.holdout_rms = error.rms;
  result.residual_relative = error.relative;
}

}  // namespace relucover
