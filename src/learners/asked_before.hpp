#pragma once
// What a model said before an answer was there, and on queries that nothing was learned from: no certified answer may contradict it.
#include <string>

#include "relucover/learn.hpp"
#include "relucover/samples.hpp"
#include "samples/asking.hpp"
#include "samples/query_law.hpp"
#include "verify/unlinked.hpp"

namespace relucover {

/// Whether the answer predicts what it was not learned from: to the rounding, or the noise, that it was certified with. `what`: the name
/// of the figures.
bool predicts(const SampleSource& fresh, const Control& control, Result& result, const std::string& what, double allowed = 1);

/// What was asked and kept (Asking::keep), no further out than samples of the law lie.
MemorySource<double> asked_within(const Asking& asking, const QueryLaw& law);

/// Whether a certified answer explains these; if not, it is no longer certified, and says so.
bool explains_look(const SampleSource& asked, const Control& control, Result& result);

/// What an answer leaves of the numbers that a model gave, and the most that rounding explains: root mean squares.
struct LeftOfAnswers {
  double rms = 0, rounding = 0;
  bool rounding_alone() const { return rms <= rounding; }
};
/// `network` serves what the model does. Of rounding there is that of the answers themselves (decimals, digits, float32, half precision)
/// and that of what computed them, in no better precision than theirs. `unlink`: what the network was learned through, or none.
LeftOfAnswers left_of_answers(const Network& network, const SampleSource& answers, const Unlink* unlink, const Control& control);

/// Queries to keep for asking some again.
Index kept_for_asking_again(Index budget);

/// `recovered` is about noise, and a model that answers the same queries with the same numbers has none: there what is left must be
/// rounding. If it isn't, the answer is no longer certified, and says so. `again`: how many of the answers may be asked for again.
bool left_is_noise(const SampleSource& answers, const Unlink* unlink, Index again, Asking& asking, const Control& control, Result& result);

/// What moves the answers of such a model otherwise than its network, seen from steps of the inputs so short that the network changes by
/// a hundredth of what is left; empty: nothing shows. Asks `short_step_queries` at most.
std::string moved_by_short_steps(const Network& network, const SampleSource& answers, double left, Asking& asking, const QueryLaw& law,
                                 const Control& control);
Index short_step_queries(Index inputs);

}  // namespace relucover
