#pragma once
// Products of dense matrices, as one function for all kinds of operands.
//
// Eigen generates three algorithms for every pair of operand types: coefficient by coefficient for small sizes, matrix times
// vector, and blocks. That was half of the time to compile this project. Here a product hands pointers and strides to one
// function per scalar, which chooses between the same three at run time. Every file of the project reads this header
// (cmake/Precompiled.cmake), so that a product is rounded in the same way wherever it stands.
#include <Eigen/Core>
#include <type_traits>

namespace relucover {

/// A matrix as it lies in memory. Neighbours in a row (by_rows) or in a column are 1 apart, unless it is a vector.
template <class Scalar>
struct Strided {
  Scalar* data;
  Eigen::Index rows, columns, row_step, column_step;
  bool by_rows;
};

/// to = factor a b, or to += factor a b.
void multiply(const Strided<double>& to, const Strided<const double>& a, const Strided<const double>& b, double factor, bool add);
void multiply(const Strided<float>& to, const Strided<const float>& a, const Strided<const float>& b, float factor, bool add);
/// Lower half of `to`, which is stored by columns, += factor a aᵀ.
void add_square(const Strided<double>& to, const Strided<const double>& a, double factor);
void add_square(const Strided<float>& to, const Strided<const float>& a, float factor);

template <class Expression>
auto strided(Expression& values) {
  constexpr bool by_rows = Expression::IsRowMajor;
  const Eigen::Index inner = values.innerStride(), outer = values.outerStride();
  return Strided<std::remove_pointer_t<decltype(values.data())>>{values.data(),           values.rows(),           values.cols(),
                                                                 by_rows ? outer : inner, by_rows ? inner : outer, by_rows};
}

/// What can be written to as it lies in memory.
template <class Expression>
concept InMemory = (int(Expression::Flags) & Eigen::DirectAccessBit) != 0 &&
                   (bool(Expression::IsVectorAtCompileTime) || int(Eigen::internal::inner_stride_at_compile_time<Expression>::ret) == 1);

template <class Lhs, class Rhs>
concept RealFactors = std::is_same_v<typename Lhs::Scalar, typename Rhs::Scalar> && std::is_floating_point_v<typename Lhs::Scalar> &&
                      sizeof(typename Lhs::Scalar) <= sizeof(double);

/// Eigen's interface of a product: the four ways in which one is asked for.
template <class Lhs, class Rhs>
struct StridedProduct {
  using Scalar = typename Lhs::Scalar;
  using LhsTraits = Eigen::internal::blas_traits<Lhs>;
  using RhsTraits = Eigen::internal::blas_traits<Rhs>;

  // NOLINTBEGIN(readability-identifier-naming): Eigen's names
  template <class Target>
  static void evalTo(Target& target, const Lhs& lhs, const Rhs& rhs) {
    run(target, lhs, rhs, Scalar(1), false);
  }
  template <class Target>
  static void addTo(Target& target, const Lhs& lhs, const Rhs& rhs) {
    run(target, lhs, rhs, Scalar(1), true);
  }
  template <class Target>
  static void subTo(Target& target, const Lhs& lhs, const Rhs& rhs) {
    run(target, lhs, rhs, Scalar(-1), true);
  }
  template <class Target>
  static void scaleAndAddTo(Target& target, const Lhs& lhs, const Rhs& rhs, const Scalar& factor) {
    run(target, lhs, rhs, factor, true);
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  template <class Target>
  static void run(Target& target, const Lhs& lhs, const Rhs& rhs, Scalar factor, bool add) {
    if constexpr (InMemory<Target>) {
      // Transposes and factors are taken off; what is computed gets memory of its own.
      const typename LhsTraits::DirectLinearAccessType& a = LhsTraits::extract(lhs);
      const typename RhsTraits::DirectLinearAccessType& b = RhsTraits::extract(rhs);
      factor *= LhsTraits::extractScalarFactor(lhs) * RhsTraits::extractScalarFactor(rhs);
      multiply(strided(target), strided(a), strided(b), factor, add);
    } else {
      typename Eigen::Product<Lhs, Rhs>::PlainObject product(lhs.rows(), rhs.cols());
      run(product, lhs, rhs, factor, false);
      if (add)
        target += product;
      else
        target = product;
    }
  }
};

}  // namespace relucover

namespace Eigen::internal {

template <class Lhs, class Rhs>
requires relucover::RealFactors<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct> : relucover::StridedProduct<Lhs, Rhs> {
};

template <class Lhs, class Rhs>
requires relucover::RealFactors<Lhs, Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemvProduct> : relucover::StridedProduct<Lhs, Rhs> {
};

}  // namespace Eigen::internal

namespace Eigen {

/// SelfAdjointView::rankUpdate, which BLAS does in any case: Eigen compiles its own way beside it, in vain.
template <class Target, class Factor>
requires(relucover::RealFactors<Target, Factor>&& relucover::InMemory<Target> &&
         !Target::IsRowMajor) struct selfadjoint_product_selector<Target, Factor, Lower, false> {
  using Scalar = typename Target::Scalar;
  using FactorTraits = internal::blas_traits<Factor>;
  static void run(Target& target, const Factor& factor, const Scalar& scale) {
    const typename FactorTraits::DirectLinearAccessType& a = FactorTraits::extract(factor);
    relucover::add_square(relucover::strided(target), relucover::strided(a), scale * FactorTraits::extractScalarFactor(factor));
  }
};

}  // namespace Eigen
