#pragma once
// The vocabulary of sizes and arrays. Sizes are 64 bit; samples are rows, as in the files people have.
#include <Eigen/Core>
#include <cstdint>

namespace relucover {

using Index = std::int64_t;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
template <class Scalar>
using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMatrix = RowMajor<double>;

enum class Precision { float32, float64 };

}  // namespace relucover
