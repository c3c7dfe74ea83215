#include "learners/asked_before.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/network_error.hpp"

namespace relucover {

bool predicts(const SampleSource& fresh, const Control& control, Result& result, const std::string& what, double allowed) {
  const NetworkError error = network_error(result.network, fresh, control);
  const double spread = error.relative > 0 ? error.rms / error.relative : 0;
  const double level =
      std::max({result.residual_rms, result.holdout_rms, result.noise_estimate, 16 * std::numeric_limits<double>::epsilon() * spread});
  // Rounding and noise stay below these; a unit that the sample did not see reaches far above.
  constexpr double typical = 2, worst = 30;
  result.figures[what] = static_cast<double>(error.samples);
  result.figures[what + "_worst"] = error.max_abs;
  return error.rms <= allowed * typical * level && error.max_abs <= allowed * worst * level;
}

MemorySource<double> asked_within(const Asking& asking, const QueryLaw& law) {
  constexpr double bulk = 1.5;  // root mean square of the columns, over their spreads
  std::vector<std::pair<Eigen::RowVectorXd, Eigen::RowVectorXd>> inside;
  for (const auto& [queries, answers] : asking.kept())
    for (Index i = 0; i < queries.rows(); ++i) {
      const Eigen::ArrayXd off = queries.row(i).transpose() - law.center();
      const bool constants_stay = (law.spread().array() > 0 || off == 0).all();
      const double size =
          (law.spread().array() > 0).select(off / law.spread().array(), 0.0).matrix().norm() / std::sqrt(static_cast<double>(law.inputs()));
      if (constants_stay && size <= bulk) inside.emplace_back(queries.row(i), answers.row(i));
    }
  RowMatrix x(static_cast<Index>(inside.size()), law.inputs()), y(x.rows(), std::max<Index>(1, asking.outputs()));
  for (Index i = 0; i < x.rows(); ++i) {
    x.row(i) = inside[static_cast<std::size_t>(i)].first;
    y.row(i) = inside[static_cast<std::size_t>(i)].second;
  }
  return {std::move(x), std::move(y)};
}

bool explains_look(const SampleSource& asked, const Control& control, Result& result) {
  constexpr double allowed = 5;  // float32 models see these queries rounded
  if (asked.samples() == 0 || predicts(asked, control, result, "queries_of_the_look", allowed)) return true;
  result.status = Status::approximate;
  result.message = fmt::format(
      "not certified: queries that were asked to look at the model are not answered as it does (worst difference {:.1e}): it bends "
      "otherwise between the samples",
      result.figures["queries_of_the_look_worst"]);
  return false;
}

}  // namespace relucover
