#pragma once
// What a model that can be asked looks like, from its first thousand answers: before a budget is spent on what can't be found.
#include <optional>
#include <string>

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
  /// No number of queries would show a network with one hidden layer.
  bool hopeless() const {
    return kind == Kind::deeper || kind == Kind::smooth || kind == Kind::constant || kind == Kind::few_values || kind == Kind::steps;
  }
};

/// `link`: known; none: found out.
FirstLook first_look(Asking& asking, const QueryLaw& law, std::optional<Link> link, std::uint64_t seed, const Control& control);

}  // namespace relucover
