// Units of a first layer with thresholds, and their Hermite coefficients.
#include <array>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "networks/hermite_series.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

using Kind = UnitFunction::Kind;

constexpr std::array<std::pair<Kind, const char*>, 8> unit_names = {{{Kind::relu, "relu"},
                                                                     {Kind::step, "step"},
                                                                     {Kind::sigmoid, "sigmoid"},
                                                                     {Kind::exponential, "exponential"},
                                                                     {Kind::abs, "abs"},
                                                                     {Kind::cosine, "cosine"},
                                                                     {Kind::gaussian, "gaussian"},
                                                                     {Kind::power, "power"}}};

bool has_parameter(Kind kind) { return kind == Kind::exponential || kind == Kind::cosine || kind == Kind::power; }

double density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }
double upper_tail(double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

// E[u(g - t) He_k(g)] of each function. MATH section 3, first step.
double relu_moment(int k, double t) {
  if (k == 0) return density(t) - t * upper_tail(t);
  if (k == 1) return upper_tail(t);
  return density(t) * hermite_polynomial(k - 2, t);
}

double step_moment(int k, double t) { return k == 0 ? upper_tail(t) : density(t) * hermite_polynomial(k - 1, t); }

double abs_moment(int k, double t) { return 2 * relu_moment(k, t) + (k == 0 ? t : 0) - (k == 1 ? 1 : 0); }

double cosine_moment(int k, double t, double frequency) {
  // E[e^(i w g) He_k(g)] = (i w)^k e^(-w^2/2)
  return std::pow(frequency, k) * std::exp(-0.5 * frequency * frequency) * std::cos(0.5 * std::numbers::pi * k - frequency * t);
}

double gaussian_moment(int k, double t) {
  // E[e^(-(g-t)^2)] = 3^(-1/2) e^(-t^2/3); order k is its k-th derivative by -t.
  const double width = std::sqrt(1.5);
  return std::pow(width, -k) * hermite_polynomial(k, t / width) * std::exp(-t * t / 3) / std::sqrt(3.0);
}

double power_moment(int k, double t, int exponent) {
  if (k > exponent) return 0;
  double falling = 1;
  for (int j = 0; j < k; ++j) falling *= exponent - j;
  double before = 0, moment = 1;  // E[(g - t)^j] by recurrence
  for (int j = 1; j <= exponent - k; ++j) {
    const double next = -t * moment + (j - 1) * before;
    before = moment;
    moment = next;
  }
  return falling * moment;
}

}  // namespace

double hermite_polynomial(int order, double x) {
  double before = 0, value = 1;
  for (int r = 0; r < order; ++r) {
    const double next = x * value - r * before;
    before = value;
    value = next;
  }
  return value;
}

GaussHermite::GaussHermite(Index points) {
  // Golub and Welsch: nodes are the eigenvalues of the Jacobi matrix of He_k.
  Vector beside(points - 1);
  for (Index i = 0; i + 1 < points; ++i) beside[i] = std::sqrt(static_cast<double>(i + 1));
  const SymmetricEigen eigen = tridiagonal_eigen(Vector::Zero(points), std::move(beside));
  nodes = eigen.values;
  weights = eigen.vectors.row(0).transpose().cwiseAbs2();
}

double UnitFunction::operator()(double a) const {
  switch (kind) {
    case Kind::relu: return a > 0 ? a : 0;
    case Kind::step: return a > 0 ? 1 : 0;
    case Kind::sigmoid: return 1 / (1 + std::exp(-a));
    case Kind::exponential: return std::exp(parameter * a);
    case Kind::abs: return std::abs(a);
    case Kind::cosine: return std::cos(parameter * a);
    case Kind::gaussian: return std::exp(-a * a);
    case Kind::power: return std::pow(a, static_cast<int>(parameter));
  }
  throw std::invalid_argument("unknown unit function");
}

void UnitFunction::apply(RowMatrix& a) const {
  switch (kind) {
    case Kind::relu: a = a.cwiseMax(0); return;
    case Kind::step: a = (a.array() > 0).cast<double>(); return;
    case Kind::sigmoid: a = 1 / (1 + (-a.array()).exp()); return;
    case Kind::exponential: a = (parameter * a.array()).exp(); return;
    case Kind::abs: a = a.cwiseAbs(); return;
    case Kind::cosine: a = (parameter * a.array()).cos(); return;
    case Kind::gaussian: a = (-a.array().square()).exp(); return;
    case Kind::power: a = a.unaryExpr([p = static_cast<int>(parameter)](double v) { return std::pow(v, p); }); return;
  }
}

double UnitFunction::hermite_coefficient(int order, double threshold) const {
  if (order < 0) throw std::invalid_argument("the order of a Hermite coefficient is negative");
  const double scale = 1 / std::sqrt(std::tgamma(order + 1.0));
  switch (kind) {
    case Kind::relu: return scale * relu_moment(order, threshold);
    case Kind::step: return scale * step_moment(order, threshold);
    case Kind::abs: return scale * abs_moment(order, threshold);
    case Kind::cosine: return scale * cosine_moment(order, threshold, parameter);
    case Kind::gaussian: return scale * gaussian_moment(order, threshold);
    case Kind::power: return scale * power_moment(order, threshold, static_cast<int>(parameter));
    case Kind::exponential: return scale * std::pow(parameter, order) * std::exp(-parameter * threshold + 0.5 * parameter * parameter);
    case Kind::sigmoid: {
      static const GaussHermite rule(160);
      return scale * rule.mean([&](double g) { return (*this)(g - threshold) * hermite_polynomial(order, g); });
    }
  }
  throw std::invalid_argument("unknown unit function");
}

UnitFunction UnitFunction::parse(const std::string& text) {
  const std::string word = text.substr(0, text.find(':'));
  std::string known;
  for (const auto& [kind, name] : unit_names) {
    known += std::string(known.empty() ? "" : ", ") + name + (has_parameter(kind) ? ":P" : "");
    if (word != name) continue;
    UnitFunction unit{kind, kind == Kind::power ? 2.0 : 1.0};
    if (word.size() == text.size()) return unit;
    std::size_t used = 0;
    try {
      unit.parameter = std::stod(text.substr(word.size() + 1), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    const bool whole = kind != Kind::power || (unit.parameter == std::floor(unit.parameter) && unit.parameter >= 1);
    if (has_parameter(kind) && used > 0 && used == text.size() - word.size() - 1 && std::isfinite(unit.parameter) && whole) return unit;
    throw std::invalid_argument(
        fmt::format("\"{}\": expected {}{}", text, name, has_parameter(kind) ? " or " + std::string(name) + ":NUMBER" : ""));
  }
  throw std::invalid_argument(fmt::format("unknown unit function \"{}\"; there are {}", text, known));
}

std::string UnitFunction::name() const {
  for (const auto& [value, text] : unit_names)
    if (value == kind) return has_parameter(kind) ? fmt::format("{}:{}", text, parameter) : text;
  throw std::invalid_argument("unknown unit function");
}

bool UnitFunction::even() const {
  if (kind == Kind::power) return static_cast<int>(parameter) % 2 == 0;
  return kind == Kind::abs || kind == Kind::cosine || kind == Kind::gaussian;
}

}  // namespace relucover
