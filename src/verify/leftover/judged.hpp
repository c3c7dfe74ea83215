#pragma once
// An answer beside the samples that it is claimed for, in the coordinates that tests look at it in.
#include <vector>

#include "relucover/network.hpp"
#include "relucover/samples.hpp"
#include "solve/rectifier.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

struct Judged {
  Matrix x, y;      // distinct samples, a row each
  Matrix z;         // whitened inputs
  Matrix t;         // w_i·x + b_i over its spread, a column for each unit
  Matrix fit;       // what the answer says
  Matrix residual;  // y - fit
  Matrix rounding;  // what the rounding of the labels can do to each of them
  Matrix tangent;   // {z~, 1[t_i > 0] z~}, or f(t_i) and f'(t_i) x: all that the answer can do by moving a little, free for each output
  Vector nearness;  // rank / rows of the distance from the nearest kink; empty: there is none
  std::vector<bool> kept;  // rows that the answer was fitted to
  Rectifier unit;          // what its units compute
  Index repeated = 0;      // rows that were left out because inputs and labels stand in another row

  Index rows() const { return x.rows(); }
  Index inputs() const { return x.cols(); }
  Index outputs() const { return y.cols(); }
  Index units() const { return t.cols(); }
  Index left_out() const;
  std::vector<Index> kept_rows() const;
};

/// `kept`: one for each sample; empty: all.
/// `unit`: its activation, if not ReLU; the network is then A f(W x), and only its weights count.
Judged judged(const MemorySource<double>& samples, const Network& network, const LabelGrid& grid, const std::vector<bool>& kept,
              const Rectifier& unit = {});

/// Rank / rows of each row by its distance from the nearest kink; t: rows by units.
Vector nearness_of(const Matrix& t);
/// {z~, 1[t_i > 0] z~}.
Matrix tangent_of(const Matrix& z, const Matrix& t);
/// {f(t_i), f'(t_i) x} of A f(W x), which has neither biases nor an affine part. `t` = W x, rows by units.
Matrix tangent_of(const Matrix& x, const Matrix& t, const Rectifier& unit);

}  // namespace relucover
