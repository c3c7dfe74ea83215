#include "samples/views.hpp"

#include <gtest/gtest.h>

namespace relucover {
namespace {

MemorySource<double> counting(Index rows, Index cols) {
  RowMatrix x(rows, cols), y(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) x(i, j) = static_cast<double>(100 * i + j);
    y(i, 0) = static_cast<double>(-i);
  }
  return {x, y, "counting"};
}

TEST(RowRange, ShowsItsRowsWithoutCopy) {
  const auto whole = counting(10, 3);
  const RowRange part(whole, 4, 9);
  BlockBuffer<double> buffer;
  const auto block = part.read(1, 3, buffer);
  EXPECT_EQ(part.samples(), 5);
  EXPECT_EQ(block.first, 1);
  EXPECT_EQ(block.x, whole.x().middleRows(5, 3));
  EXPECT_EQ(block.y, whole.y().middleRows(5, 3));
  EXPECT_EQ(buffer.x.size(), 0);
  EXPECT_EQ(part.origin(1).row, 5);
  BlockBuffer<float> narrow;
  EXPECT_EQ(part.read(0, 5, narrow).x, whole.x().middleRows(4, 5).cast<float>());
  EXPECT_THROW(part.read(3, 3, buffer), std::invalid_argument);
  EXPECT_THROW(RowRange(whole, 4, 11), std::invalid_argument);
  EXPECT_THROW(RowRange(whole, 5, 4), std::invalid_argument);
}

TEST(SelectedColumns, ShowsNeighboursWithoutCopyAndGathersOthers) {
  const auto whole = counting(10, 5);
  BlockBuffer<double> buffer;
  const SelectedColumns neighbours(whole, {1, 2, 3});
  EXPECT_EQ(neighbours.read(2, 4, buffer).x, whole.x().block(2, 1, 4, 3));
  EXPECT_EQ(buffer.x.size(), 0);
  const SelectedColumns chosen(whole, {4, 0});
  const auto block = chosen.read(2, 4, buffer);
  EXPECT_EQ(chosen.inputs(), 2);
  EXPECT_EQ(block.x.col(0), whole.x().col(4).segment(2, 4));
  EXPECT_EQ(block.x.col(1), whole.x().col(0).segment(2, 4));
  EXPECT_EQ(block.y, whole.y().middleRows(2, 4));
  EXPECT_THROW(SelectedColumns(whole, {5}), std::invalid_argument);
  EXPECT_THROW(SelectedColumns(whole, {-1}), std::invalid_argument);
  EXPECT_THROW(SelectedColumns(whole, {}), std::invalid_argument);
}

/// Of a source that has to write into the buffer, as those of another precision do.
TEST(ScaledOutputs, KeepsTheInputsOfAViewIntoTheBuffer) {
  const auto whole = counting(10, 5);
  const MemorySource<float> narrow(whole.x().cast<float>(), whole.y().cast<float>());
  for (const std::vector<Index>& columns : {std::vector<Index>{0, 1, 2}, {1, 2, 3}, {4, 0}}) {
    const SelectedColumns some(narrow, columns);
    const ScaledOutputs scaled(some, Vector::Constant(1, 4));
    BlockBuffer<double> buffer;
    const auto block = scaled.read(2, 4, buffer);
    EXPECT_EQ(block.x, RowMatrix(whole.x()(Eigen::seqN(2, 4), columns)));
    EXPECT_EQ(block.y, 4 * whole.y().middleRows(2, 4));
    BlockBuffer<float> single;
    EXPECT_EQ(scaled.read(2, 4, single).x.cast<double>(), RowMatrix(whole.x()(Eigen::seqN(2, 4), columns)));
  }
}

}  // namespace
}  // namespace relucover
