#pragma once
// Which assumptions of the methods hold on given data, with the figures behind each answer. No solver.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

struct DiagnosticsOptions {
  /// A test says no if one of its statistics has a two-sided tail probability below level / (number of statistics).
  double level = 1e-3;
  /// Random directions of the whitened inputs that are looked at beside the columns.
  Index projections = 32;
  /// T_2 eigenvalue i counts as a unit if |eigenvalue_i| > edge_margin * (noise edge of the spectrum).
  double edge_margin = 1.3;
  /// Random ReLU features behind the bound on the noise.
  Index features = 256;
  std::uint64_t seed = 0;
};

/// A test by several statistics that are standard normal if its hypothesis holds.
struct Test {
  bool passed = false;
  double worst_z = 0;    // largest of the statistics in absolute value
  double threshold = 0;  // that they are compared with
  std::string worst;     // which it was
};

struct InputDiagnostics {
  Index samples = 0, inputs = 0, outputs = 0;

  std::vector<Index> constant_columns;
  std::vector<std::pair<Index, Index>> duplicated_columns;  // the second equals the first in every sample
  std::vector<Index> dependent_columns;                     // linear combinations of columns before them
  double covariance_condition = 1;                          // of the columns kept
  double largest_mean = 0;                                  // |mean of a column| / its standard deviation
  double distance_from_identity = 0;                        // largest |covariance - I|
  bool whitened = false;                                    // mean 0, covariance I, as far as the samples can tell

  Test gaussian;   // skewness and kurtosis of columns and projections; Mardia's kurtosis
  Test symmetric;  // x and -x equally likely: odd moments

  Index label_rank = 0;            // of the covariance of labels
  double affine_fit_residual = 1;  // (y - affine fit)^2 / (y - mean)^2; 0: the labels are affine in x
  LabelGrid grid;
  std::vector<double> t2_spectrum;  // singular values of T_2, largest first
  double t2_noise_edge = 0;
  std::optional<Index> units_at_least;  // only for Gaussian inputs: what T_2 shows
  double noise_at_most = 0;             // standard deviation of what random features leave unexplained, held out
};

/// The test of Gaussian inputs alone.
Test gaussian_inputs(const SampleSource& source, const DiagnosticsOptions& options, const Control& control);

/// Throws std::invalid_argument if there are fewer than 2 samples.
InputDiagnostics diagnose(const SampleSource& source, const DiagnosticsOptions& options, const Control& control);

}  // namespace relucover
