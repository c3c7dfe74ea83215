#pragma once
// A reduction of any size: what travels between ranks, and nothing that takes time to add.
#include "reduce/reduce.hpp"

namespace relucover::test {

struct VectorSum {
  using Scalar = double;
  Vector sum;
  explicit VectorSum(Index size) : sum(Vector::Zero(size)) {}
  void add(const Block<double>& block) { sum.array() += block.x.sum(); }
  void fields(auto& visit) { visit(sum); }
};

}  // namespace relucover::test
