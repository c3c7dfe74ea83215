#pragma once
// What held-out data say about a learned first layer. No code of the fits is used here.
#include <utility>
#include <vector>

#include "learners/threshold/labels.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Labels against "some unit is above its threshold". Samples within `distance` of a boundary don't count as far.
struct ActivityCheck {
  Index samples = 0, wrong = 0;
  Index far_rest = 0, far_rest_wrong = 0;      // predicted at rest
  Index far_active = 0, far_active_wrong = 0;  // predicted active
  Vector wrong_rest_sum;                       // Σ x over far_rest_wrong

  void fields(auto& visit) { visit(samples, wrong, far_rest, far_rest_wrong, far_active, far_active_wrong, wrong_rest_sum); }
  double error() const;
  /// Wrong labels far from every boundary.
  double flips() const;
  /// Flipped labels are as frequent on both sides and have no direction; a missing unit shows on the side at rest only.
  bool nothing_missing() const;
};
ActivityCheck check_activity(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, double distance,
                             Index begin, Index end, const Control& control);

/// f - rest against the unit's own curve where that unit alone is active. Labels carry an error of `rounding`.
struct CellCheck {
  std::vector<Index> samples;              // per unit
  Vector largest;                          // per unit, beyond what rounding explains, relative to max(1, |f - rest|)
  Index rest_samples = 0, rest_wrong = 0;  // no unit active: the label must be at rest
};
CellCheck check_cells(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, const Matrix& curve,
                      double rounding, Index begin, Index end, const Control& control);

/// The whole model against labels, on samples where none of the products in `unseen` is active.
struct UpperCheck {
  Index samples = 0, covered = 0;
  double error = 0, spread = 0;  // root mean square of label - model over the covered, of label - mean over all
};
UpperCheck check_upper(const SampleSource& source, const struct ThresholdModel& model,
                       const std::vector<std::vector<std::pair<Index, int>>>& unseen, Index begin, Index end, const Control& control);

/// Root mean square of label - rest where every unit is below -distance, without what is further off than `cut`.
double noise_at_rest(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, double distance, double cut,
                     Index begin, Index end, const Control& control);

/// Largest angle between rows of the same index.
double largest_angle(const Matrix& a, const Matrix& b);

/// Relative rms error of a model.
double relative_error(const SampleSource& source, const struct ThresholdModel& model, Index begin, Index end, const Control& control);

}  // namespace relucover
