#pragma once
// Outputs whose noise differs in size, made alike: least squares is at the limit of the data then, in whatever units outputs are measured.
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Powers of two, which change no digit of a label; all 1 where the noise is alike already, or some output has none.
Vector equalising_scales(const Vector& noise);

/// The model of labels that were multiplied by `scale`.
SignFreeModel scaled_outputs(SignFreeModel model, const Vector& scale);

/// What was found for scaled labels, for the labels of `source` as they are.
void unscale(const SampleSource& source, const Vector& scale, Result& result);

}  // namespace relucover
