#pragma once
// Were rows chosen by their labels (only those above a limit were kept)? Noise that lifted a label over the limit was kept, what lowered
// it was not, and the answer is off there.
#include "relucover/types.hpp"

namespace relucover {

/// Chance that no label lies below the least one, or above the largest, if each row had the noise of any other, over its own spread.
/// `parameters`: of the answer.
double no_labels_beyond(const Matrix& fit, const Matrix& labels, const Matrix& noise, Index parameters);

}  // namespace relucover
