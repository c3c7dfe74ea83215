#include "decompose/joint_diagonalisation.hpp"

#include <cmath>

#include "core/check.hpp"

namespace relucover {

namespace {

/// The angle that minimises Σ m_pq² over all matrices (Cardoso and Souloumiac 1996, real case).
double best_angle(const std::vector<Matrix>& matrices, Index p, Index q) {
  double spread = 0, mixed = 0;
  for (const Matrix& m : matrices) {
    const double difference = m(p, p) - m(q, q), twice = 2 * m(p, q);
    spread += difference * difference - twice * twice;
    mixed += 2 * difference * twice;
  }
  return 0.5 * std::atan2(mixed, spread + std::hypot(spread, mixed));
}

void rotate(Matrix& m, Index p, Index q, double cosine, double sine) {
  const Vector column_p = m.col(p), column_q = m.col(q);
  m.col(p) = cosine * column_p + sine * column_q;
  m.col(q) = cosine * column_q - sine * column_p;
}

}  // namespace

JointDiagonalisation jointly_diagonalise(std::vector<Matrix> matrices, const Control& control, const JointDiagonalisationOptions& options) {
  check_positive("matrices to diagonalise", static_cast<Index>(matrices.size()));
  const Index n = matrices.front().rows();
  for (Matrix& m : matrices) {
    check_equal("rows", m.rows(), n);
    check_equal("columns", m.cols(), n);
    m = (m + m.transpose()).eval() / 2;
  }
  JointDiagonalisation answer;
  answer.vectors = Matrix::Identity(n, n);
  while (answer.sweeps < options.max_sweeps && !answer.converged) {
    control.check();
    double largest = 0;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const double angle = best_angle(matrices, p, q);
        largest = std::max(largest, std::abs(angle));
        if (std::abs(angle) <= options.angle_tolerance) continue;
        const double cosine = std::cos(angle), sine = std::sin(angle);
        for (Matrix& m : matrices) {
          rotate(m, p, q, cosine, sine);
          const Eigen::RowVectorXd row_p = m.row(p), row_q = m.row(q);
          m.row(p) = cosine * row_p + sine * row_q;
          m.row(q) = cosine * row_q - sine * row_p;
        }
        rotate(answer.vectors, p, q, cosine, sine);
      }
    ++answer.sweeps;
    answer.converged = largest <= options.angle_tolerance;
  }
  answer.diagonals.resize(static_cast<Index>(matrices.size()), n);
  double all = 0, diagonal = 0;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    answer.diagonals.row(static_cast<Index>(k)) = matrices[k].diagonal().transpose();
    all += matrices[k].squaredNorm();
    diagonal += matrices[k].diagonal().squaredNorm();
  }
  answer.off_diagonal = all > 0 ? std::max(0.0, (all - diagonal) / all) : 0;
  return answer;
}

}  // namespace relucover
