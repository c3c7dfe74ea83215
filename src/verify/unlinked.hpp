#pragma once
// Labels taken back through the link that a model serves them by: from probabilities to what the network puts out.
#include <memory>
#include <optional>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

/// The link that labels like these have gone through, as far as labels alone can tell: softmax (probabilities that add up to 1),
/// log-softmax, sigmoid (numbers strictly between 0 and 1 that come near both, or near one of them).
Link likely_link(const Eigen::Ref<const RowMatrix>& labels);

/// The outputs before the link, a row for each sample whose labels carry enough digits for it: sigmoid by log-odds, softmax and
/// log-softmax by the differences to the first class (one column fewer).
class Unlink {
 public:
  /// `labels`: of the kind that will come, to see how they were rounded.
  Unlink(Link link, const SampleSource& labels, const Control& control);
  Link link() const { return link_; }
  Index outputs() const { return outputs_; }
  /// Whether a row of labels is not saturated.
  bool carries(const Eigen::Ref<const Vector>& labels) const;
  Vector before(const Eigen::Ref<const Vector>& labels) const;
  /// All samples that carry, in memory. Labels that were float32 stay so. Those that were rounded to few digits carry more of the rounding
  /// the nearer they are to 0 or 1: noise is added until all carry as much as the worst, so that it is the same everywhere, which claims
  /// and error bars rest on.
  MemorySource<double> samples(const SampleSource& source, const Control& control) const;
  /// A network for `before` as one that serves what the labels were.
  Network served(Network network) const;
  /// Standard deviation, before the link, of the rounding of a probability that just carries; 0: labels are not rounded.
  double noise() const { return noise_; }

 private:
  Link link_;
  Index outputs_;  // before the link
  bool float32_ = false;
  double least_ = 0;  // probability, and distance from 1 where that is subtracted from
  LabelGrid grid_;
  double noise_ = 0;

  Vector rounding_before(const Vector& labels) const;
  Vector with_even_noise(const Vector& x, const Vector& labels) const;
};

}  // namespace relucover
