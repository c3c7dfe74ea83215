#include <array>
#include <stdexcept>
#include <utility>

#include "relucover/network.hpp"

namespace relucover {

namespace {
constexpr std::array<std::pair<Link, const char*>, 4> link_names = {
    {{Link::identity, "identity"}, {Link::sigmoid, "sigmoid"}, {Link::softmax, "softmax"}, {Link::log_softmax, "log-softmax"}}};
}

std::string name_of(Link link) {
  for (const auto& [value, name] : link_names)
    if (value == link) return name;
  throw std::invalid_argument("unknown link");
}

Link link_named(const std::string& name) {
  std::string known;
  for (const auto& [value, text] : link_names) {
    if (name == text) return value;
    known += std::string(known.empty() ? "" : ", ") + text;
  }
  throw std::invalid_argument("unknown link \"" + name + "\"; there are " + known);
}

RowMatrix through_link(Link link, RowMatrix outputs) {
  if (link == Link::identity || outputs.size() == 0) return outputs;
  if (link == Link::sigmoid) return ((-outputs.array()).exp() + 1).inverse();
  outputs.colwise() -= outputs.rowwise().maxCoeff().eval();
  const Vector sums = outputs.array().exp().rowwise().sum();
  if (link == Link::log_softmax) return outputs.colwise() - sums.array().log().matrix();
  return outputs.array().exp().colwise() / sums.array();
}

Network in_first_class_gauge(const Network& network) {
  if ((network.link != Link::softmax && network.link != Link::log_softmax) || network.outputs() == 0) return network;
  Network gauged = network;
  const auto against_first = [](auto& rows) {
    if (rows.size() > 0) rows.rowwise() -= rows.row(0).eval();
  };
  against_first(gauged.A);
  against_first(gauged.skip);
  against_first(gauged.around);
  gauged.offset.array() -= network.offset[0];
  return gauged;
}

}  // namespace relucover
