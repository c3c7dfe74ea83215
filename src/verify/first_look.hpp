#pragma once
// What a model that can be asked looks like, from its first thousand answers: before a budget is spent on what can't be found.
#include <optional>
#include <string>

#include "relucover/network.hpp"
#include "samples/asking.hpp"
#include "samples/query_law.hpp"

namespace relucover {

struct FirstLook {
  enum class Kind { kinked, affine, deeper, smooth, constant, few_values, steps, noisy, unknown };
  Kind kind = Kind::unknown;
  /// In words, with the figure that shows it.
  std::string words;
  /// What the answers have gone through.
  Link link = Link::identity;
  /// Between neighbouring answers, where they are rounded to decimals or digits; else 0.
  double step = 0;
  /// No number of queries would show a network with one hidden layer.
  bool hopeless() const {
    return kind == Kind::deeper || kind == Kind::smooth || kind == Kind::constant || kind == Kind::few_values || kind == Kind::steps;
  }
};

/// `link`: known; none: found out.
FirstLook first_look(Asking& asking, const QueryLaw& law, std::optional<Link> link, std::uint64_t seed, const Control& control);

/// What shows beside a network that explains most of a model without a link: kinks hide what is small, and jumps and bends show where
/// these are taken off. `step`: as in FirstLook. Only what is smooth, or jumps, is told: a kink that is not quite where the network has
/// it looks like many things.
std::optional<FirstLook> look_beside(const Network& network, Asking& asking, const QueryLaw& law, double step, std::uint64_t seed,
                                     const Control& control);

}  // namespace relucover
