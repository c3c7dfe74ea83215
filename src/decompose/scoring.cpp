#include "decompose/scoring.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

struct ScoreSums {
  using Scalar = double;
  const View* view;
  const std::vector<Candidate>* candidates;
  Index samples = 0;
  std::vector<Matrix> grams;  // of (|forms|, z, 1, y); lower triangle
  ScoreSums(const View& view_, const std::vector<Candidate>& candidates_, Index outputs) : view(&view_), candidates(&candidates_) {
    for (const Candidate& candidate : *candidates) {
      const Index columns = candidate.forms.rows() + candidate.forms.cols() + outputs;
      grams.push_back(Matrix::Zero(columns, columns));
    }
  }
  void add(const Block<double>& block) {
    const Matrix z = view->variables(block);
    Matrix joint;
    for (std::size_t i = 0; i < grams.size(); ++i) {
      const Matrix& forms = (*candidates)[i].forms;
      const Index units = forms.rows(), q = z.cols();
      joint.resize(z.rows(), grams[i].cols());
      joint.leftCols(units).noalias() = z * forms.leftCols(q).transpose();
      joint.leftCols(units).rowwise() += forms.col(q).transpose();
      joint.leftCols(units) = joint.leftCols(units).cwiseAbs();
      joint.middleCols(units, q) = z;
      joint.col(units + q).setOnes();
      joint.rightCols(block.y.cols()) = block.y;
      grams[i].selfadjointView<Eigen::Lower>().rankUpdate(joint.transpose());
    }
    samples += block.rows();
  }
  void fields(auto& visit) { visit(samples, grams); }
};

}  // namespace

void score_candidates(const SampleSource& source, const View& view, std::vector<Candidate>& candidates, Index samples,
                      const Control& control) {
  std::erase_if(candidates, [](const Candidate& candidate) { return !candidate.forms.allFinite(); });
  const Index outputs = source.outputs();
  const ScoreSums sums = reduce(source, ScoreSums(view, candidates, outputs), control, 0, std::min(samples, source.samples()));
  const double n = static_cast<double>(std::max<Index>(sums.samples, 1));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[i];
    const Matrix gram = Matrix(sums.grams[i].selfadjointView<Eigen::Lower>()) / n;
    const Index features = gram.rows() - outputs, units = candidate.forms.rows();
    Matrix normal = gram.topLeftCorner(features, features);
    normal.diagonal() *= 1 + 1e-13;  // two candidates may be the same unit
    const Matrix cross = gram.topRightCorner(features, outputs);
    const Matrix solution = solve_semidefinite(std::move(normal), cross);
    candidate.output = solution.topRows(units).transpose();
    candidate.affine = solution.bottomRows(features - units).transpose();
    candidate.residual = std::max(0.0, gram.bottomRightCorner(outputs, outputs).trace() - cross.cwiseProduct(solution).sum());
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.residual < b.residual; });
}

}  // namespace relucover
