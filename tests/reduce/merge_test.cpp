#include "reduce/merge.hpp"

#include <gtest/gtest.h>

#include "relucover/types.hpp"

namespace relucover {
namespace {

struct Smallest {
  double value = 0;
  void merge(const Smallest& other) { value = std::min(value, other.value); }
  void fields(auto& visit) { visit(value); }
};

struct Inner {
  Vector sum;
  Index count = 0;
  void fields(auto& visit) { visit(sum, count); }
};

struct Outer {
  double total = 0;
  std::vector<Inner> parts;
  std::vector<std::vector<Matrix>> products;
  Smallest least;
  double setting = 0;  // not a field: stays
  void fields(auto& visit) { visit(total, parts, products, least); }
};

Outer some(double scale) {
  Outer value;
  value.total = scale;
  value.parts = {{Vector::Constant(2, scale), 3}, {Vector::Constant(1, 2 * scale), 4}};
  value.products = {{Matrix::Constant(2, 2, scale)}, {}};
  value.least.value = scale;
  value.setting = scale;
  return value;
}

TEST(MergeInto, AddsFieldsAtAnyDepthAndAsksTypesThatHaveAMergeOfTheirOwn) {
  Outer into = some(1);
  const Outer other = some(10);
  merge_into(into, other);
  EXPECT_EQ(into.total, 11);
  EXPECT_EQ(into.parts[0].sum, Vector::Constant(2, 11));
  EXPECT_EQ(into.parts[0].count, 6);
  EXPECT_EQ(into.parts[1].sum, Vector::Constant(1, 22));
  EXPECT_EQ(into.products[0][0], Matrix::Constant(2, 2, 11));
  EXPECT_EQ(into.least.value, 1);
  EXPECT_EQ(into.setting, 1);
  EXPECT_EQ(pack(other), pack(some(10)));
}

TEST(MergeInto, AMatrixWithoutSizeTakesThatOfTheOther) {
  Inner sized{Vector::Ones(3), 1}, empty;
  merge_into(sized, empty);
  EXPECT_EQ(sized.sum, Vector::Ones(3));
  merge_into(empty, sized);
  EXPECT_EQ(empty.sum, Vector::Ones(3));
  EXPECT_EQ(empty.count, 1);
}

}  // namespace
}  // namespace relucover
