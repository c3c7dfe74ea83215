#pragma once
// What a model said before an answer was there, and on queries that nothing was learned from: no certified answer may contradict it.
#include <string>

#include "relucover/learn.hpp"
#include "relucover/samples.hpp"
#include "samples/asking.hpp"
#include "samples/query_law.hpp"

namespace relucover {

/// Whether the answer predicts what it was not learned from: to the rounding, or the noise, that it was certified with. `what`: the name
/// of the figures.
bool predicts(const SampleSource& fresh, const Control& control, Result& result, const std::string& what, double allowed = 1);

/// What was asked and kept (Asking::keep), no further out than samples of the law lie.
MemorySource<double> asked_within(const Asking& asking, const QueryLaw& law);

/// Whether a certified answer explains these; if not, it is no longer certified, and says so.
bool explains_look(const SampleSource& asked, const Control& control, Result& result);

}  // namespace relucover
