#include "learners/hermite/hidden_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "moments/hermite.hpp"
#include "solve/uncertainty.hpp"
#include "verify/normal_statistics.hpp"

namespace relucover {

namespace {

/// On which side of unit i most samples are: +1 if θ·x̃ is positive at the mean input.
double major_side(const SignFreeModel& model, Index i, const Vector& mean) {
  return model.theta.row(i).head(model.inputs()).dot(mean) + model.theta(i, model.inputs()) >= 0 ? 1 : -1;
}

struct Rest {
  double size = std::numeric_limits<double>::infinity();  // of the smallest leftover over all signs
  double bias = 0;  // least offset over slope among leftovers that are linear units (beyond what is seen); 0: none is
};

/// The affine part less the linear parts of the separated units, for every choice of their signs, in whitened inputs.
Rest rest_of_affine(const Matrix& units, const Vector& affine, double largest_bias_seen) {
  constexpr Index most_units = 16;
  Rest rest;
  const Index m = units.rows(), d = affine.size() - 1;
  const Index turned = m > most_units ? 0 : m;  // beyond that, only the signs as they stand
  Vector left = affine - units.colwise().sum().transpose();
  std::vector<int> signs(static_cast<std::size_t>(m), 1);
  for (std::uint32_t code = 0;; ++code) {  // Gray code: one sign changes at a time
    rest.size = std::min(rest.size, left.norm());
    const double bias = std::abs(left[d]) / std::max(left.head(d).norm(), 1e-300);
    if (bias >= largest_bias_seen && (rest.bias == 0 || bias < rest.bias)) rest.bias = bias;
    if (code + 1 == (std::uint32_t{1} << turned)) break;
    const auto i = static_cast<std::size_t>(__builtin_ctz(code + 1));
    left += 2.0 * signs[i] * units.row(static_cast<Index>(i)).transpose();
    signs[i] = -signs[i];
  }
  return rest;
}

}  // namespace

HiddenUnits find_hidden_units(const SampleSource& source, const SignFreeModel& model, const Whitening& whitening, Index asked,
                              double relative_error, const Control& control) {
  const Index d = model.inputs(), needed = d + 2;
  const double samples = static_cast<double>(source.samples());
  HiddenUnits answer;
  if (samples < 4.0 * static_cast<double>(needed) || whitening.size() < d) return answer;
  answer.largest_bias_seen = two_sided_threshold(2 * static_cast<double>(needed) / samples);
  const auto barely = barely_split_units(source, model, needed, control);
  answer.separated = model.units() - static_cast<Index>(barely.size());
  Matrix units(answer.separated, d + 1);
  Vector affine = model.affine.row(0).transpose();
  Index at = 0;
  for (Index i = 0; i < model.units(); ++i) {
    const Vector part = model.output(0, i) * model.theta.row(i).transpose();
    if (std::binary_search(barely.begin(), barely.end(), i))
      affine += major_side(model, i, whitening.mean) * part;
    else
      units.row(at++) = part.transpose();
  }
  Matrix forms(answer.separated + 1, d + 1);
  forms << units, affine.transpose();
  forms = whitening.forms_to_whitened(forms, whitening.mean);
  const Rest rest = rest_of_affine(forms.topRows(answer.separated), forms.row(answer.separated).transpose(), answer.largest_bias_seen);
  const double scale = answer.separated > 0 ? forms.topRows(answer.separated).rowwise().norm().mean() : 1;
  const double nothing = std::max(1e-6, 20 * relative_error) * scale;
  const bool has_linear = rest.size > nothing;
  answer.hidden = std::max<Index>(asked > 0 ? asked - answer.separated : static_cast<Index>(barely.size()), has_linear ? 1 : 0);
  answer.linear = has_linear ? 1 : 0;
  answer.zero = std::max<Index>(0, answer.hidden - answer.linear);
  constexpr double beyond_all_samples = 30;
  if (has_linear && rest.bias < beyond_all_samples) answer.linear_bias = rest.bias;
  const auto samples_to_see = [&](double bias) { return static_cast<double>(needed) / normal_distribution(-bias); };
  if (answer.linear_bias > 0) answer.samples_for_linear = samples_to_see(answer.linear_bias);
  answer.next_bias = answer.largest_bias_seen + 0.5;
  answer.samples_for_next = samples_to_see(answer.next_bias);
  return answer;
}

void report_hidden_units(const HiddenUnits& hidden, Index samples, Result& result) {
  result.figures["units_separated"] = static_cast<double>(hidden.separated);
  result.figures["units_like_linear"] = static_cast<double>(hidden.linear);
  result.figures["units_like_zero"] = static_cast<double>(hidden.zero);
  result.figures["largest_bias_seen"] = hidden.largest_bias_seen;
  if (hidden.hidden == 0 || (result.certified() && hidden.linear == 0)) return;  // certified: not needed, and said so
  result.figures["samples_to_separate"] = hidden.samples_for_linear > 0 ? hidden.samples_for_linear : hidden.samples_for_next;
  std::string note =
      fmt::format("{} unit{} could not be separated: on these {} samples", hidden.hidden, hidden.hidden == 1 ? "" : "s", samples);
  if (hidden.linear_bias > 0)
    note += fmt::format(
        " 1 is like a linear function (the affine part can be that of one unit with bias {:.2f} or more; {:.0e} samples or more would show "
        "its kink)",
        hidden.linear_bias, hidden.samples_for_linear);
  else if (hidden.linear > 0)
    note += " at least 1 is like a linear function (or the network has a linear term of its own)";
  if (hidden.zero > 0)
    note += fmt::format("{} {} {} like zero{}", hidden.linear > 0 ? " and" : "", hidden.zero, hidden.zero == 1 ? "is" : "are",
                        hidden.linear > 0 ? " or part of the same linear function" : "");
  note += fmt::format("; kinks further out than {:.2f} standard deviations are not seen, about {:.0e} samples would show one at {:.2f}",
                      hidden.largest_bias_seen, hidden.samples_for_next, hidden.next_bias);
  result.notes.push_back(std::move(note));
}

}  // namespace relucover
