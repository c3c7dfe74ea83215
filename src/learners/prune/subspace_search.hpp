#pragma once
// Samples as a search wants them (some of them, whitened and scaled, perhaps projected), and a search in the subspace where labels
// are curved.
#include "learners/prune/label_subspace.hpp"
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Samples to search on: some to fit, some to judge by, inputs whitened, each output scaled to variance 1.
struct SearchData {
  MemorySource<double> fit, judge;
};

struct Scaling {
  Whitening inputs;
  Vector outputs;  // standard deviations
  Vector centre;   // of labels far from zero, else 0: their last digits would drown in it
};

Scaling scaling_of(const InputMoments& moments);

/// `wanted` samples to fit and some to judge by; with a basis, whitened inputs on its columns only.
SearchData search_data(const SampleSource& source, const Scaling& scaling, Index wanted, std::uint64_t seed, const Control& control,
                       const Matrix& basis = {});

/// A model of whitened inputs and scaled labels as one of the data.
SignFreeModel unscaled(const SignFreeModel& model, const Scaling& scaling);
/// The other way.
SignFreeModel scaled(const SignFreeModel& model, const Scaling& scaling, const InputMoments& moments);

/// Equations per unknown of the over-parameterised fit: enough for nearly every network, and enough for the others.
constexpr Index few_per_unknown = 5, many_per_unknown = 10;
Index samples_wanted(const SampleSource& source, Index inputs, Index wide_units, Index per_unknown);

/// How much a search in a subspace may cost: little where a search in all inputs comes after it anyway, least where that is cheap.
enum class Effort { thorough, rough, quick };

/// A model of whitened inputs and scaled labels, with a quarter more units than asked for, in the subspace where the labels are
/// curved: some more directions than units.
SignFreeModel found_in_subspace(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, Index units,
                                std::uint64_t seed, Effort effort, const Control& control, Result& result);

}  // namespace relucover
