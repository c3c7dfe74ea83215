#include "learners/best_so_far.hpp"

#include <algorithm>

#include "samples/views.hpp"
#include "solve/relu_form.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

NetworkError error_on_some(const SampleSource& source, const Network& network) {
  constexpr Index some = 5000;
  return network_error(network, RowRange(source, 0, std::min(some, source.samples())), Control(1));
}

void keep(Network network, const NetworkError& error, Result& result) {
  result.network = std::move(network);
  result.residual_rms = result.holdout_rms = error.rms;
  result.residual_relative = error.relative;
}

}  // namespace

void keep_as_best_so_far(const SampleSource& source, const SignFreeModel& model, Result& result) {
  Network network = relu_network(model, std::vector<int>(static_cast<std::size_t>(model.units()), 1));
  if (!network.problems().empty()) return;
  result.sign_ambiguous = model.units() > 0;
  const NetworkError error = error_on_some(source, network);
  keep(std::move(network), error, result);
}

void keep_as_best_so_far(const SampleSource& source, Network network, Result& result) {
  if (!network.problems().empty()) return;
  if (const NetworkError error = error_on_some(source, network); error.relative < 1) keep(std::move(network), error, result);
}

}  // namespace relucover
