#pragma once
// The main function of every method for vector outputs.
#include "learners/vector/pure_neuron_start.hpp"
#include "relucover/learn.hpp"

namespace relucover {

// GKLW
void learn_pure_neurons(const SampleSource& source, const LearnOptions& options, const Control& control,
                        Result& result);
void learn_single_neurons(const SampleSource& source, const LearnOptions& options, const Control& control,
                          Result& result);
void learn_pure_neurons_printed(const SampleSource& source, const LearnOptions& options, const Control& control,
                                Result& result);
void learn_pure_neurons_noise(const SampleSource& source, const LearnOptions& options, const Control& control,
                              Result& result);
void learn_pure_neurons_wide(const SampleSource& source, const LearnOptions& options, const Control& control,
                             Result& result);
void learn_pure_neurons_als(const SampleSource& source, const LearnOptions& options, const Control& control,
                            Result& result);

}  // namespace relucover
