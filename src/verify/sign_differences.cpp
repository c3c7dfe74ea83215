#include "verify/sign_differences.hpp"

#include <algorithm>
#include <cmath>

#include "reduce/reduce.hpp"
#include "solve/sums.hpp"

namespace relucover {

namespace {

struct SignProducts {
  using Scalar = double;
  const SignFreeModel* model;
  Matrix sums;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const RowMatrix signs = seen.signs();
    sums.noalias() += signs.transpose() * signs;
  }
  void fields(auto& visit) { visit(sums); }
};

}  // namespace

Index fewest_between_units(const SampleSource& source, const SignFreeModel& model, const Control& control) {
  if (model.units() < 2) return -1;
  const Matrix sums = reduce(source, SignProducts{&model, Matrix::Zero(model.units(), model.units())}, control).sums;
  const double n = static_cast<double>(source.samples());
  double fewest = n;
  for (Index i = 0; i < sums.rows(); ++i)
    for (Index j = 0; j < i; ++j) fewest = std::min(fewest, (n - std::abs(sums(i, j))) / 2);
  return static_cast<Index>(std::lround(fewest));
}

}  // namespace relucover
