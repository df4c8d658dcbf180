// Chains of colour adjustments on tensors and PIL images.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <span>

#include "kernels/image/color.h"

namespace kwker::pyext {

enum class AdjustmentKind { kBrightness, kContrast, kSaturation, kHue };

struct Adjustment {
  AdjustmentKind kind;
  double factor;
};

// A factor as torchvision takes it. Throws FallBack for what it refuses, and for what is no
// plain number.
double RequireFactor(PyObject* value, AdjustmentKind kind, bool pillow);

// The results of torchvision's adjust_brightness and so on, one after the other; at least one.
// Both throw FallBack for what is not covered.
at::Tensor AdjustTensor(const at::Tensor& image, std::span<const Adjustment> chain);
PyObject* AdjustPillow(PyObject* image, std::span<const Adjustment> chain);

}  // namespace kwker::pyext
