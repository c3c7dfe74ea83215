#include "verify/unlinked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string_view>

#include "core/random.hpp"
#include "samples/subsample.hpp"

namespace relucover {

namespace {

bool by_differences(Link link) { return link == Link::softmax || link == Link::log_softmax; }

Matrix with_first_zero(const Matrix& rows) {
  Matrix all = Matrix::Zero(rows.rows() + 1, rows.cols());
  all.bottomRows(rows.rows()) = rows;
  return all;
}

}  // namespace

Link likely_link(const Eigen::Ref<const RowMatrix>& labels) {
  if (labels.rows() < 2 || labels.cols() < 1) return Link::identity;
  constexpr double rounding = 1e-3;  // probabilities of few digits
  const auto values = labels.array();
  if (labels.cols() > 1 && (values <= 0).all() && ((values.exp().rowwise().sum() - 1).abs() < rounding).all()) return Link::log_softmax;
  if ((values < 0).any() || (values > 1).any()) return Link::identity;
  if (labels.cols() > 1 && ((values.rowwise().sum() - 1).abs() < rounding).all()) return Link::softmax;
  constexpr double near = 0.05;
  return values.minCoeff() < near || values.maxCoeff() > 1 - near ? Link::sigmoid : Link::identity;
}

namespace {

/// Answers that a link can't have given are misuse, not saturation: leaving them aside would leave nothing.
void check_served(Link link, const SampleSource& labels, const Control& control) {
  constexpr Index enough = 1000;
  constexpr double rounding = 1e-3;
  if (link == Link::identity || labels.samples() == 0) return;
  const MemorySource<double> some = gather(labels, 0, std::min(enough, labels.samples()), control);
  const double least = some.y().minCoeff(), largest = some.y().maxCoeff();
  if (link == Link::log_softmax ? largest > rounding : least < -rounding || largest > 1 + rounding)
    throw std::invalid_argument(fmt::format("a {} link gives numbers {}, and these go from {:.3g} to {:.3g}: take link identity, or auto",
                                            name_of(link), link == Link::log_softmax ? "below 0" : "between 0 and 1", least, largest));
}

}  // namespace

Unlink::Unlink(Link link, const SampleSource& labels, const Control& control)
    : link_(link), outputs_(labels.outputs() - (by_differences(link) ? 1 : 0)) {
  if (outputs_ < 1)
    throw std::invalid_argument(
        fmt::format("a {} link has two outputs or more, and the labels have one: take sigmoid, or no link", name_of(link)));
  check_served(link, labels, control);
  grid_ = label_grid(labels, control);
  const LabelGrid& grid = grid_;
  float32_ = grid.float32 && !grid.rounded();
  // log p carries the rounding of p over p, log(1 - p) that over 1 - p. Two probabilities of which one is 1 less the other are as one.
  constexpr double enough = 0.02, steps = 20, tiny = 1e-30;
  const bool subtracted = link == Link::sigmoid || labels.outputs() == 2;
  if (link != Link::log_softmax)
    least_ = std::max({subtracted ? enough : tiny, grid.rounded() ? std::max(enough, steps * grid.step()) : 0.0});
  if (!grid.rounded() || (link != Link::sigmoid && link != Link::softmax)) return;
  // Decimals are coarsest, next to their size, at the least probability; significant digits at powers of ten.
  double p = 0.1;
  while (p > least_) {
    noise_ = std::max(noise_, rounding_before(Vector::Constant(1, p))[0]);
    p /= 10;
  }
  noise_ = std::max(noise_, rounding_before(Vector::Constant(1, least_))[0]);
}

/// Standard deviation of what rounding does to log p (to the log-odds, for sigmoid), label by label.
Vector Unlink::rounding_before(const Vector& labels) const {
  const Vector rounding = grid_.half_step(labels) / std::sqrt(3.0);
  if (link_ == Link::sigmoid) return rounding.array() / (labels.array() * (1 - labels.array()));
  return rounding.array() / labels.array();
}

/// Labels as they would be with the noise of the worst: drawn by the inputs, so that equal samples stay equal.
Vector Unlink::with_even_noise(const Vector& x, const Vector& labels) const {
  const std::string_view bytes(reinterpret_cast<const char*>(x.data()), static_cast<std::size_t>(x.size()) * sizeof(double));
  RandomStream random(std::hash<std::string_view>{}(bytes), purpose::judge, std::uint64_t{1} << 41);
  const Vector own = rounding_before(labels);
  Vector more(labels.size());
  for (Index j = 0; j < more.size(); ++j) more[j] = std::sqrt(std::max(0.0, noise_ * noise_ - own[j] * own[j])) * random.normal();
  if (link_ == Link::sigmoid) return before(labels) + more;
  return before(labels) + (more.tail(outputs_).array() - more[0]).matrix();
}

bool Unlink::carries(const Eigen::Ref<const Vector>& labels) const {
  if (link_ == Link::identity || link_ == Link::log_softmax) return labels.allFinite();
  if (!(labels.minCoeff() >= least_)) return false;
  return link_ == Link::softmax || labels.maxCoeff() <= 1 - least_;
}

Vector Unlink::before(const Eigen::Ref<const Vector>& labels) const {
  switch (link_) {
    case Link::identity: return labels;
    case Link::sigmoid: return labels.unaryExpr([](double p) { return std::log(p) - std::log1p(-p); });
    case Link::softmax: {
      const Vector logs = labels.array().log();
      return logs.tail(outputs_).array() - logs[0];
    }
    case Link::log_softmax: return labels.tail(outputs_).array() - labels[0];
  }
  return labels;
}

MemorySource<double> Unlink::samples(const SampleSource& source, const Control& control) const {
  const MemorySource<double> all = gather(source, 0, source.samples(), control);
  std::vector<Index> kept;
  for (Index i = 0; i < all.samples(); ++i)
    if (carries(all.y().row(i).transpose())) kept.push_back(i);
  RowMatrix y(std::ssize(kept), outputs_);
  for (Index i = 0; i < y.rows(); ++i) {
    const Index row = kept[static_cast<std::size_t>(i)];
    const Vector labels = all.y().row(row).transpose();
    y.row(i) = (noise_ > 0 ? with_even_noise(all.x().row(row).transpose(), labels) : before(labels)).transpose();
  }
  if (float32_) y = y.cast<float>().cast<double>();
  return MemorySource<double>(RowMatrix(all.x()(kept, Eigen::all)), std::move(y), source.name());
}

Network Unlink::served(Network network) const {
  network.link = link_;
  if (!by_differences(link_)) return network;
  network.A = with_first_zero(network.A);
  network.skip = with_first_zero(network.skip);
  network.offset = with_first_zero(network.offset);
  if (network.around.size() > 0) network.around = with_first_zero(network.around);
  return network;
}

}  // namespace relucover
