#include "verify/reduced.hpp"

#include <cmath>
#include <vector>

namespace relucover {

namespace {

/// a relu(t) with t = w·x + b, |w| = 1, the largest weight positive.
struct Bend {
  Vector w;
  double b;
  Vector a;
  double size;  // of all that was added up to a
};

}  // namespace

Network reduced(const Network& network, double tolerance) {
  if (network.activation != Activation::relu || network.deep()) return network;
  Network rest(network.inputs(), 0, network.outputs());
  rest.skip = network.skip;
  rest.offset = network.offset;
  std::vector<Bend> bends;
  for (Index i = 0; i < network.units(); ++i) {
    const double length = network.W.row(i).norm();
    if (!(length > 0)) {
      rest.offset += network.A.col(i) * std::max(network.b[i], 0.0);
      continue;
    }
    Bend bend{network.W.row(i).transpose() / length, network.b[i] / length, network.A.col(i) * length, network.A.col(i).norm() * length};
    Index largest = 0;
    bend.w.cwiseAbs().maxCoeff(&largest);
    if (bend.w[largest] < 0) {  // relu(-t) = relu(t) - t
      bend.w = -bend.w;
      bend.b = -bend.b;
      rest.skip -= bend.a * bend.w.transpose();
      rest.offset -= bend.a * bend.b;
    }
    Bend* same = nullptr;
    double side = 1;
    for (Bend& other : bends)
      for (const double sign : {1.0, -1.0})  // two weights may be all but equally large, and the other one the larger
        if ((other.w - sign * bend.w).norm() + std::abs(other.b - sign * bend.b) <= tolerance * (1 + std::abs(bend.b))) {
          same = &other;
          side = sign;
        }
    if (!same) {
      bends.push_back(std::move(bend));
      continue;
    }
    if (side < 0) {
      rest.skip -= bend.a * same->w.transpose();
      rest.offset -= bend.a * same->b;
      // relu(t) of the turned form is relu(-t) of the kept one: a relu(-t) = a relu(t) - a t
    }
    same->a += bend.a;
    same->size += bend.size;
  }
  std::erase_if(bends, [&](const Bend& bend) { return bend.a.norm() <= tolerance * bend.size; });
  Network result(network.inputs(), static_cast<Index>(bends.size()), network.outputs());
  result.link = network.link;
  result.skip = rest.skip;
  result.offset = rest.offset;
  for (Index i = 0; i < result.units(); ++i) {
    const Bend& bend = bends[static_cast<std::size_t>(i)];
    result.W.row(i) = bend.w.transpose();
    result.b[i] = bend.b;
    result.A.col(i) = bend.a;
  }
  return result;
}

}  // namespace relucover
