#include "networks/activation.hpp"

#include <array>
#include <utility>

namespace relucover {

namespace {
constexpr std::array<std::pair<Activation, const char*>, 8> names = {{{Activation::relu, "relu"},
                                                                      {Activation::relu2, "relu2"},
                                                                      {Activation::relu3, "relu3"},
                                                                      {Activation::expm1, "expm1"},
                                                                      {Activation::step, "step"},
                                                                      {Activation::sigmoid, "sigmoid"},
                                                                      {Activation::abs, "abs"},
                                                                      {Activation::leaky, "leaky"}}};
}

std::string name_of(Activation activation) {
  for (const auto& [value, name] : names)
    if (value == activation) return name;
  throw std::invalid_argument("unknown activation");
}

Activation activation_named(const std::string& name) {
  std::string known;
  for (const auto& [value, text] : names) {
    if (name == text) return value;
    known += std::string(known.empty() ? "" : ", ") + text;
  }
  throw std::invalid_argument("unknown activation \"" + name + "\"; there are " + known);
}

double apply(Activation activation, double value) {
  Eigen::Array<double, 1, 1> t(value);
  apply_in_place(activation, t);
  return t[0];
}

int homogeneity(Activation activation) {
  switch (activation) {
    case Activation::relu:
    case Activation::abs:
    case Activation::leaky: return 1;
    case Activation::relu2: return 2;
    case Activation::relu3: return 3;
    default: return 0;
  }
}

}  // namespace relucover
