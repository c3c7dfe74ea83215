#pragma once
// Label noise of any kind that is independent of Gaussian inputs, one or two units (BJW Algorithm 8). Its net over all matrices
// is infeasible as printed; rows decouple, so a net of directions u in the outputs is enough: the signs of u·y about their
// median are noisy labels of a halfspace, whose normal is the mean of sign × x. The units that explain most are kept.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct DirectionNetOptions {
  Index directions = 48;
  Index samples = 200000;  // at most
};
struct DirectionNet {
  Network network;
  std::string problem;
  double explained = 0;  // of the clipped labels' squares, by the units kept
};
DirectionNet direction_net_start(const SampleSource& source, Index units, const Control& control, const DirectionNetOptions& options = {});

}  // namespace relucover
