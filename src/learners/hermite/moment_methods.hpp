#pragma once
// Units from Hermite moments, exact or estimated: the pencil (default) and the algorithms as ATV prints them.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decompose/jennrich.hpp"
#include "decompose/relu_units.hpp"
#include "moments/moment_source.hpp"
#include "relucover/learn.hpp"

namespace relucover {

struct MomentMethodOptions {
  /// 0: from the rank of the moments.
  Index units = 0;
  /// ℓ; 0: the smallest with room for the units.
  Index tuple_order = 0;
  Decomposition decomposition = Decomposition::jennrich;
  SignRule signs = SignRule::margin;
  /// Singular values and weights above eta1, eta2 count; directions nearer than eta3 up to sign are the same.
  /// 0: eta1 = max(1e-9 |T|, 2 noise/√(rows)), eta2 = eta1/2, eta3 = 1e-4 (exact) or 0.3 (samples).
  double eta1 = 0, eta2 = 0, eta3 = 0;
  Index draws = 40;
  std::uint64_t seed = 0;
};

struct MomentAnswer {
  ReluUnits units;  // turned the right way round as far as the moments tell
  Index tuple_order = 0;
  bool signs_resolved = false, signs_unique = false;
  /// Other sign vectors with the same function, if any were found (each relative to `units`).
  std::vector<std::vector<int>> equivalent;
  double risk = 0;  // Σ_{k=2}^{2ℓ+2} |T_k - T̂_k|²/k!
  Vector skip;      // what the units leave of T_1 and T_0
  double offset = 0;
  Network network() const;
};

/// Units on whitened inputs as a network on the inputs themselves.
Network on_inputs(const MomentAnswer& answer, const Whitening& whitening);

/// The smallest ℓ whose tuples have room for the units: ℓ = 1 if units <= inputs.
Index tuple_order_for(Index inputs, Index units);

/// Default: pencils of T_{2ℓ}, T_{2ℓ+1}, T_{2ℓ+2}; the draw of least risk, then refined on the moments.
MomentAnswer pencil_units(const MomentSource& source, const MomentMethodOptions& options, const Control& control);
/// As printed: Jennrich (or an alternative) on T_{2ℓ+1} and T_{2ℓ+2} apart, merged up to sign, scalars, signs.
/// ATV Algorithm 1 on exact moments, Algorithms 4 and 6 on estimates.
MomentAnswer printed_units(const MomentSource& source, const MomentMethodOptions& options, const Control& control);

/// What learning from moments has in common, wherever they come from: options checked (`problems` are added to theirs), the
/// method named, time and interruption filed. `from` completes "learn from ...".
Result learn_from_moments(const LearnOptions& options, const std::string& from, std::vector<std::string> problems,
                          const std::string& reason, const std::function<void(const Control&, Result&)>& work);

/// From settings by name ("order", "eta1", "eta2", "eta3", "decomposition", "draws", "printed_signs").
MomentMethodOptions moment_options(const LearnOptions& options);

}  // namespace relucover
