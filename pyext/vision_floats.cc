// Hue, saturation and solarize of float32 tensors.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include "kernels/image/float_color.h"
#include "pyext/optim_common.h"
#include "pyext/vision_color.h"
#include "pyext/vision_entries.h"

namespace kwker::pyext {
namespace {

image::FloatPass MakePass(const at::Tensor& image, const at::Tensor& out, double factor) {
  const Geometry in = RequireGeometry(image), go = GeometryOf(out.sizes(), out.strides());
  RequireColor(in);
  RequireColor(go);
  return {PixelsOf(image.const_data_ptr<float>(), in),
          PixelsOf(out.mutable_data_ptr<float>(), go),
          in.images,
          in.rows,
          in.width,
          static_cast<float>(factor),
          static_cast<float>(1.0 - factor)};
}

}  // namespace

at::Tensor AdjustFloats(const at::Tensor& image, const Adjustment& adjustment) {
  Require(CheckThreads(image.numel()));
  const at::IntArrayRef sizes = image.sizes();
  if (adjustment.kind == AdjustmentKind::kHue) {
    at::Tensor out = at::empty(sizes, image.options());
    const image::FloatPass pass = MakePass(image, out, adjustment.factor);
    RunKernel(color_counters, "kwker::hue", image.numel(),
              [&] { Require(image::FloatHue(pass, TorchIsa(), TorchThreads()), Reason::kPixels); });
    return out;
  }
  // Others gain nothing, or, a contrast, hang on which elements a compiler put into a loop's tail.
  Require(adjustment.kind == AdjustmentKind::kSaturation, Reason::kPixels);
  RequireGeometry(image);
  at::Tensor out =
      at::empty_strided(sizes, PointwiseStrides(sizes, {image.strides()}), image.options());
  const image::FloatPass pass = MakePass(image, out, adjustment.factor);
  RunKernel(color_counters, "kwker::saturation", image.numel(),
            [&] { image::FloatSaturation(pass, TorchIsa(), TorchThreads()); });
  BumpVersion(out, 2);  // blended and clamped in place
  return out;
}

at::Tensor SolarizeFloats(const at::Tensor& image, double threshold) {
  Require(threshold <= 1, Reason::kHyperparameter);  // torchvision's error
  Require(image.numel() > 0, Reason::kEmpty);
  Require(CheckThreads(image.numel()));
  Require(image.is_non_overlapping_and_dense(), Reason::kLayout);
  const at::IntArrayRef sizes = image.sizes(), strides = image.strides();
  at::Tensor out = at::empty_strided(sizes, strides, image.options());
  // Chosen by a condition between two images, all of these strides.
  Require(PointwiseStrides(sizes, {strides, strides, strides}) == strides.vec(), Reason::kLayout);
  RunKernel(color_counters, "kwker::solarize", image.numel(), [&] {
    image::FloatSolarize(image.const_data_ptr<float>(), out.mutable_data_ptr<float>(),
                         image.numel(), static_cast<float>(threshold), TorchIsa(), TorchThreads());
  });
  return out;
}

}  // namespace kwker::pyext
