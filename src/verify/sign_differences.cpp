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

double least_sign_difference_of(const SampleSource& source, const SignFreeModel& model, const Control& control) {
  const Matrix sums = reduce(source, SignProducts{&model, Matrix::Zero(model.units(), model.units())}, control).sums;
  double least = 1;
  for (Index i = 0; i < sums.rows(); ++i)
    for (Index j = 0; j < i; ++j) least = std::min(least, (1 - std::abs(sums(i, j)) / static_cast<double>(source.samples())) / 2);
  return least;
}

}  // namespace relucover
