#include <gtest/gtest.h>

#include <cmath>

#include "verify/unlinked.hpp"

namespace relucover {
namespace {

MemorySource<double> served(Link link, Index outputs) {
  Network network = planted_network({.inputs = 4, .units = 3, .outputs = outputs, .seed = 5});
  network.link = link;
  const auto source = synthetic_samples(network, {.samples = 3000, .seed = 1});
  BlockBuffer<double> buffer;
  const auto block = source->read(0, 3000, buffer);
  return MemorySource<double>(block.x, through_link(link, block.y));
}

TEST(Unlinked, LikelyLinks) {
  EXPECT_EQ(likely_link(served(Link::softmax, 3).y()), Link::softmax);
  EXPECT_EQ(likely_link(served(Link::log_softmax, 3).y()), Link::log_softmax);
  EXPECT_EQ(likely_link(served(Link::identity, 3).y()), Link::identity);
  RowMatrix middle = RowMatrix::Constant(10, 1, 0.4);
  middle(0, 0) = 0.6;
  EXPECT_EQ(likely_link(middle), Link::identity);
  middle(0, 0) = 0.99;
  EXPECT_EQ(likely_link(middle), Link::sigmoid);
}

TEST(Unlinked, GivesTheOutputsBackAndLeavesSaturatedOnesAside) {
  for (const Link link : {Link::sigmoid, Link::softmax, Link::log_softmax}) {
    const MemorySource<double> labels = served(link, 3);
    const Unlink unlink(link, labels, Control(1));
    const MemorySource<double> before = unlink.samples(labels, Control(1));
    EXPECT_GT(before.samples(), 100);
    Network truth = planted_network({.inputs = 4, .units = 3, .outputs = 3, .seed = 5});
    truth.link = link;
    const RowMatrix y = in_first_class_gauge(truth).evaluate(before.x());
    EXPECT_LT((y.rightCols(before.outputs()) - before.y()).cwiseAbs().maxCoeff(), 1e-13) << name_of(link);
  }
  const Unlink unlink(Link::sigmoid, served(Link::sigmoid, 1), Control(1));
  EXPECT_FALSE(unlink.carries(Vector::Constant(1, 1 - 1e-12)));
  EXPECT_TRUE(unlink.carries(Vector::Constant(1, 0.3)));
}

}  // namespace
}  // namespace relucover
