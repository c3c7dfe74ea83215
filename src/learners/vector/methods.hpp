#pragma once
// The main function of every method for vector outputs.
#include "learners/vector/pure_neuron_start.hpp"
#include "relucover/learn.hpp"

namespace relucover {

// GKLW
void learn_pure_neurons(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_single_neurons(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_pure_neurons_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_pure_neurons_noise(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_pure_neurons_wide(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_pure_neurons_als(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

// BJW
void learn_order_two_tensor(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_order_three_tensor(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_order_four_tensor(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_independent_components(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_proportional_labels(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_cells(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_cells_by_linear_programs(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_dead_band(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_dead_band_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_direction_net(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_corrupted_labels(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_rectified_square(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_rectified_cube(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
void learn_rectified_exponential(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
