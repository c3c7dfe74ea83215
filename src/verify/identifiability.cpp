#include "verify/identifiability.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "solve/signs.hpp"

namespace relucover {

SignIdentifiability sign_identifiability(const Network& network, Index limit) {
  check_no_problems("network", network.problems());
  const Network units = network;
  const Index m = units.units(), d = units.inputs(), l = units.outputs();
  if (units.activation != Activation::relu) throw std::invalid_argument("sign identifiability is about ReLU units");
  Matrix rows(m, l * (d + 1));
  for (Index i = 0; i < m; ++i)
    for (Index o = 0; o < l; ++o) rows.row(i).segment(o * (d + 1), d + 1) << units.A(o, i) * units.W.row(i), units.A(o, i) * units.b[i];
  const Vector target = rows.colwise().sum();
  constexpr double rounding = 1e-10;
  const SignSolution found = find_signs(rows, target, rounding * std::max(rows.rowwise().norm().sum(), 1e-300), limit);
  SignIdentifiability answer;
  answer.complete = found.complete;
  answer.signs = found.signs;
  const std::vector<int> as_it_stands(static_cast<std::size_t>(m), 1);
  const auto at = std::find(answer.signs.begin(), answer.signs.end(), as_it_stands);
  if (at != answer.signs.end()) std::rotate(answer.signs.begin(), at, at + 1);
  else answer.signs.insert(answer.signs.begin(), as_it_stands);  // beyond the reach of the search, but always true
  answer.unique = answer.complete && answer.signs.size() == 1;
  return answer;
}

Network turned_around(const Network& network, const std::vector<int>& signs) {
  check_equal("signs", static_cast<Index>(signs.size()), network.units());
  Network turned = network;
  for (Index i = 0; i < turned.units(); ++i) {
    turned.W.row(i) *= signs[static_cast<std::size_t>(i)];
    turned.b[i] *= signs[static_cast<std::size_t>(i)];
  }
  return turned;
}

}  // namespace relucover
