// Chains of colour adjustments on tensors and PIL images.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <span>

#include "kernels/image/color.h"
#include "pyext/vision_image.h"

namespace kwker::pyext {

enum class AdjustmentKind { kBrightness, kContrast, kSaturation, kHue };

struct Adjustment {
  AdjustmentKind kind;
  double factor;
};

// Throws FallBack for what is not three channels, as planes or side by side.
void RequireColor(const Geometry& geometry);

// Where a tensor of that geometry has its pixels.
template <typename T>
image::Pixels<T> PixelsOf(T* data, const Geometry& g) {
  return {data, g.image_step, g.row_step, g.pixel_step, g.channel_step};
}

// A factor as torchvision takes it. Throws FallBack for what it refuses, and for what is no
// plain number.
double RequireFactor(PyObject* value, AdjustmentKind kind, bool pillow);

// The results of torchvision's adjust_brightness and so on, one after the other; at least one.
// Both throw FallBack for what is not covered.
at::Tensor AdjustTensor(const at::Tensor& image, std::span<const Adjustment> chain);
PyObject* AdjustPillow(PyObject* image, std::span<const Adjustment> chain);

// The same of float32 tensors, one at a time.
at::Tensor AdjustFloats(const at::Tensor& image, const Adjustment& adjustment);
at::Tensor SolarizeFloats(const at::Tensor& image, double threshold);

}  // namespace kwker::pyext
