#include "learners/linked.hpp"

#include <fmt/format.h>

namespace relucover {

void say_link(const Unlink& unlink, Index saturated, Index samples, Result& result) {
  const char* gauge = unlink.link() == Link::sigmoid
                          ? "the network gives the log-odds"
                          : "it knows its inputs up to one function of x, so the first class is 0 by convention and the others are "
                            "differences to it";
  result.notes.push_back(fmt::format("link {}: {}", name_of(unlink.link()), gauge));
  if (saturated > 0)
    result.notes.push_back(
        fmt::format("{} of {} samples were too near to 0 or 1 to carry digits, and were left aside", saturated, samples));
  if (unlink.noise() > 0)
    result.notes.push_back(fmt::format(
        "probabilities are rounded: noise was added so that all samples carry as much of it as the worst, {:.1e} before the link",
        unlink.noise()));
}

}  // namespace relucover
