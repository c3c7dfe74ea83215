#include "core/median.hpp"

#include <algorithm>

namespace relucover {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_of(const Vector& values) { return median_of(std::vector<double>(values.begin(), values.end())); }

}  // namespace relucover
