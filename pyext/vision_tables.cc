// Solarize, autocontrast, equalize and gamma of 8-bit tensors: a table for each channel.
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/image/byte_tables.h"
#include "kernels/image/tables.h"
#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/vision_color.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_image.h"
#include "pyext/vision_serve.h"

namespace kwker::pyext {
namespace {

using image::ByteCounts;
using image::ByteTable;

struct Input {
  const at::Tensor& tensor;
  Geometry geometry;
  image::Pixels<const std::uint8_t> pixels;
  image::PlaneSizes sizes;
};

Input RequireInput(const at::Tensor& tensor) {
  Require(tensor.scalar_type() == at::kByte, Reason::kPixels);
  const Geometry g = RequireGeometry(tensor);
  Require(CheckThreads(tensor.numel()));
  return {tensor,
          g,
          {tensor.const_data_ptr<std::uint8_t>(), g.image_step, g.row_step, g.pixel_step,
           g.channel_step},
          {g.images, g.channels, g.rows, g.width}};
}

void Apply(const Input& in, const at::Tensor& out, std::span<const ByteTable> tables) {
  const Geometry g = GeometryOf(out.sizes(), out.strides());
  image::ApplyTables(in.pixels,
                     {out.mutable_data_ptr<std::uint8_t>(), g.image_step, g.row_step, g.pixel_step,
                      g.channel_step},
                     in.sizes, tables, TorchThreads());
}

std::vector<ByteCounts> Count(const Input& in) {
  std::vector<ByteCounts> counts(static_cast<std::size_t>(in.sizes.images * in.sizes.channels));
  image::CountBytes(in.pixels, in.sizes, counts, TorchThreads());
  return counts;
}

// 255 - x where x >= threshold, compared as float32 where the threshold is a float.
at::Tensor Solarized(const at::Tensor& tensor, const Number& threshold) {
  if (tensor.scalar_type() == at::kFloat) return SolarizeFloats(tensor, threshold.value);
  Require(threshold.value >= 0 && threshold.value <= 255, Reason::kHyperparameter);
  Require(c10::get_default_dtype_as_scalartype() == at::kFloat, Reason::kDtype);
  const Input in = RequireInput(tensor);
  const at::IntArrayRef sizes = tensor.sizes();
  const std::vector<std::int64_t> dense = PointwiseStrides(sizes, {tensor.strides()});
  at::Tensor out = at::empty_strided(
      sizes, PointwiseStrides(sizes, {dense, dense, tensor.strides()}), tensor.options());
  ByteTable table;
  for (int x = 0; x < 256; ++x) {
    const bool inverted = static_cast<float>(x) >= static_cast<float>(threshold.value);
    table[x] = static_cast<std::uint8_t>(inverted ? 255 - x : x);
  }
  RunKernel(color_counters, "kwker::solarize", tensor.numel(),
            [&] { Apply(in, out, {&table, 1}); });
  return out;
}

at::Tensor Autocontrasted(const at::Tensor& tensor) {
  const Input in = RequireInput(tensor);
  Require(in.sizes.channels == 1 || in.sizes.channels == 3, Reason::kChannels);
  at::Tensor out = at::empty_strided(tensor.sizes(), CopiedStrides(tensor), tensor.options());
  RunKernel(color_counters, "kwker::autocontrast", tensor.numel(), [&] {
    std::vector<ByteTable> tables;
    for (const ByteCounts& counts : Count(in))
      tables.push_back(image::TorchAutocontrastTable(counts));
    Apply(in, out, tables);
  });
  return out;
}

at::Tensor Equalized(const at::Tensor& tensor) {
  const Input in = RequireInput(tensor);
  Require(in.sizes.rows > 1 && in.sizes.width > 1, Reason::kLayout);
  // The result is chosen between the equalised image, which is contiguous, and the image, by a
  // condition of one element a plane.
  const at::IntArrayRef sizes = tensor.sizes();
  const std::size_t n = sizes.size();
  std::vector<std::int64_t> contiguous(n), plane(n);
  std::int64_t elements = 1, planes = 1;
  for (std::size_t i = n; i-- > 0;) {
    contiguous[i] = elements;
    elements *= sizes[i];
    plane[i] = i + 2 < n ? planes : 0;
    if (i + 2 < n) planes *= sizes[i];
  }
  at::Tensor out = at::empty_strided(
      sizes, PointwiseStrides(sizes, {plane, contiguous, tensor.strides()}), tensor.options());
  RunKernel(color_counters, "kwker::equalize", tensor.numel(), [&] {
    std::vector<ByteTable> tables;
    for (const ByteCounts& counts : Count(in)) tables.push_back(image::EqualizeTable(counts));
    Apply(in, out, tables);
  });
  return out;
}

// What torchvision makes of each byte, by torch's own operators, with torch.pow's vectors or with
// what it has for single elements: of a strided tensor it takes one by one.
at::Tensor GammaBytes(double gamma, double gain, bool one_by_one) {
  const auto unit = static_cast<double>(1.0 / 255.0), back = 255.0 + 1.0 - 1e-3;
  at::Tensor x = at::arange(256, at::kFloat).mul_(unit);
  if (one_by_one) {
    const at::Tensor spread = at::empty({512}, at::kFloat).slice(0, 0, 512, 2);
    spread.copy_(x);
    x = spread;
  }
  x.pow_(gamma);
  if (gain != 1.0) x.mul_(gain).clamp_(0.0, 1.0);
  return x.mul(back).to(at::kByte).contiguous();
}

// Elements from which on the powers of 256 bytes, made in two ways, cost less than those of all.
constexpr std::int64_t kWorthATable = 2048;

at::Tensor GammaAdjusted(const at::Tensor& tensor, double gamma, double gain) {
  Require(gamma >= 0, Reason::kHyperparameter);
  Require(tensor.numel() >= kWorthATable, Reason::kTooSmall);
  const Input in = RequireInput(tensor);
  // Which elements torch.pow takes one by one depends on their place and on the threads.
  const at::Tensor bytes = GammaBytes(gamma, gain, false);
  Require(bytes.equal(GammaBytes(gamma, gain, true)), Reason::kRounding);
  at::Tensor out = at::empty_strided(
      tensor.sizes(), PointwiseStrides(tensor.sizes(), {CopiedStrides(tensor)}), tensor.options());
  ByteTable table;
  std::copy_n(bytes.const_data_ptr<std::uint8_t>(), table.size(), table.begin());
  RunKernel(color_counters, "kwker::gamma", tensor.numel(), [&] { Apply(in, out, {&table, 1}); });
  return out;
}

// adjust(tensor, arguments).
template <std::size_t N, typename Adjust>
bool Serve(const Signature<N>& signature, const Call& call, const Adjust& adjust,
           PyObject** result) {
  return ServeColor(
      signature, call,
      [&](const auto& a) {
        const TensorImage image = RequireImage(a[0]);
        return WrapLike(adjust(*image.tensor, a), image);
      },
      result);
}

}  // namespace

bool SolarizeEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"image", "threshold"}, 2);
  return Serve(
      signature, call,
      [](const at::Tensor& image, const auto& a) {
        const std::optional<Number> threshold = PlainNumber(a[1]);
        Require(threshold.has_value(), Reason::kTensorHyperparameter);
        return Solarized(image, *threshold);
      },
      result);
}

bool GammaEntry(const Call& call, PyObject** result) {
  static const Signature<3> signature({"image", "gamma", "gain?"}, 3);
  return Serve(
      signature, call,
      [](const at::Tensor& image, const auto& a) {
        const std::optional<Number> gamma = PlainNumber(a[1]);
        const std::optional<Number> gain =
            a[2] == nullptr ? Number{1, false, false} : PlainNumber(a[2]);
        Require(gamma && gain, Reason::kTensorHyperparameter);
        return GammaAdjusted(image, gamma->value, gain->value);
      },
      result);
}

bool AutocontrastEntry(const Call& call, PyObject** result) {
  static const Signature<1> signature({"image"}, 1);
  return Serve(
      signature, call, [](const at::Tensor& image, const auto&) { return Autocontrasted(image); },
      result);
}

bool EqualizeEntry(const Call& call, PyObject** result) {
  static const Signature<1> signature({"image"}, 1);
  return Serve(
      signature, call, [](const at::Tensor& image, const auto&) { return Equalized(image); },
      result);
}

}  // namespace kwker::pyext
