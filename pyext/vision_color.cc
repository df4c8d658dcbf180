#include "pyext/vision_color.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/mean.h>
#include <c10/core/DefaultDtype.h>

#include <optional>
#include <string_view>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/pillow_pixels.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_image.h"
#include "pyext/vision_serve.h"

namespace kwker::pyext {

Counters color_counters("vision.color");

namespace {

using image::ColorKind;
using image::ColorOp;

constexpr std::int64_t kExactInFloat = 1 << 24;

// A chain cut where a contrast needs the mean of all that came before.
using Segment = std::vector<ColorOp>;

bool IsContrast(const Segment& segment) {
  return !segment.empty() &&
         (segment[0].kind == ColorKind::kBlend || segment[0].kind == ColorKind::kPillowBlend);
}

ColorOp MakeOp(const Adjustment& a, bool pillow) {
  // What Pillow's degenerate images have in the fourth byte, and what its conversion to RGB
  // leaves there.
  constexpr float kBlack = 0, kOpaque = 255, kConverted = 0;
  const auto factor = static_cast<float>(a.factor), rest = static_cast<float>(1.0 - a.factor);
  switch (a.kind) {
    case AdjustmentKind::kBrightness:
      return {ColorKind::kScale, factor, rest, kBlack};
    case AdjustmentKind::kContrast:
      return {pillow ? ColorKind::kPillowBlend : ColorKind::kBlend, factor, rest, kOpaque};
    case AdjustmentKind::kSaturation:
      return {pillow ? ColorKind::kPillowSaturation : ColorKind::kSaturation, factor, rest,
              kOpaque};
    case AdjustmentKind::kHue:
      break;
  }
  if (!pillow) return {ColorKind::kHue, factor};
  // Cut to an integer, then to eight bits, as NumPy does.
  const auto shift = static_cast<std::uint8_t>(static_cast<int>(a.factor * 255));
  return {ColorKind::kPillowHue, static_cast<float>(shift), 0, kConverted};
}

std::vector<Segment> Segments(std::span<const Adjustment> chain, bool pillow) {
  std::vector<Segment> segments(1);
  for (const Adjustment& adjustment : chain) {
    if (adjustment.kind == AdjustmentKind::kContrast) segments.emplace_back();
    segments.back().push_back(MakeOp(adjustment, pillow));
  }
  return segments;
}

// Runs segment after segment: the first from pass.in to pass.out, the others there in place.
// `mean` makes the mean of each image of the sums.
template <typename Means>
void RunSegments(image::ColorPass pass, std::span<const Segment> segments, image::Gray gray,
                 const ParallelFor& threads, const Means& means) {
  const image::Pixels<std::uint8_t> out = pass.out;
  std::vector<std::int64_t> sums(static_cast<std::size_t>(pass.images));
  std::vector<float> values;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool is_last = i + 1 == segments.size();
    if (IsContrast(segments[i])) {
      values = means(sums, segments[i][0]);
      pass.means = values.data();
    }
    // A first segment may be empty: then it only counts, and the next one begins from the input.
    pass.out = segments[i].empty() ? image::Pixels<std::uint8_t>{} : out;
    pass.ops = segments[i];
    pass.gray = is_last ? image::Gray::kNone : gray;
    std::fill(sums.begin(), sums.end(), 0);
    pass.sums = sums.data();
    image::Color(pass, TorchIsa(), threads);
    if (!segments[i].empty()) {
      pass.in = {out.data, out.image_step, out.row_step, out.pixel_step, out.channel_step};
    }
  }
}

}  // namespace

void RequireColor(const Geometry& g) {
  Require(g.channels == 3, Reason::kChannels);
  const bool planar = g.pixel_step == 1 && g.row_step >= g.width;
  const bool packed = g.pixel_step == 3 && g.channel_step == 1 && g.row_step >= 3 * g.width;
  Require(planar || packed, Reason::kLayout);
}

double RequireFactor(PyObject* value, AdjustmentKind kind, bool pillow) {
  const std::optional<Number> factor = PlainNumber(value);
  Require(factor.has_value(), Reason::kTensorHyperparameter);
  const double x = factor->value;
  if (kind == AdjustmentKind::kHue) {
    Require(x >= -0.5 && x <= 0.5, Reason::kHyperparameter);
  } else {
    // An int would leave the product of a brightness in eight bits.
    Require(x >= 0 && x <= image::kLargestFactor && (!factor->is_int || pillow),
            Reason::kHyperparameter);
  }
  return x;
}

at::Tensor AdjustTensor(const at::Tensor& image, std::span<const Adjustment> chain) {
  Require(image.scalar_type() == at::kByte, Reason::kPixels);
  Require(c10::get_default_dtype_as_scalartype() == at::kFloat, Reason::kDtype);
  const Geometry in = RequireGeometry(image);
  RequireColor(in);
  Require(CheckThreads(image.numel()));

  // A hue is put together anew from its channels; all else keeps the order of the dimensions.
  const bool hue = std::any_of(chain.begin(), chain.end(),
                               [](const Adjustment& a) { return a.kind == AdjustmentKind::kHue; });
  at::Tensor out =
      hue ? at::empty(image.sizes(), image.options())
          : at::empty_strided(image.sizes(), PointwiseStrides(image.sizes(), {image.strides()}),
                              image.options());
  const Geometry go = GeometryOf(out.sizes(), out.strides());
  RequireColor(go);

  image::ColorPass pass = {};
  pass.in = PixelsOf(image.const_data_ptr<std::uint8_t>(), in);
  pass.out = PixelsOf(out.mutable_data_ptr<std::uint8_t>(), go);
  pass.images = in.images;
  pass.rows = in.rows;
  pass.width = in.width;
  const std::vector<Segment> segments = Segments(chain, /*pillow=*/false);

  // A sum of floats that stays below 2^24 is exact in whatever order; else torch must make it.
  const std::int64_t pixels = in.rows * in.width;
  at::Tensor plane;
  if (segments.size() > 1 && pixels * 255 > kExactInFloat) {
    plane = at::empty({in.images, 1, in.rows, in.width}, at::kFloat);
    pass.plane = plane.mutable_data_ptr<float>();
  }
  const auto means = [&](const std::vector<std::int64_t>& sums, const ColorOp& op) {
    std::vector<float> values;
    for (const std::int64_t sum : sums) {
      values.push_back(static_cast<float>(sum) / static_cast<float>(pixels));
    }
    if (std::any_of(sums.begin(), sums.end(), [](auto sum) { return sum > kExactInFloat; })) {
      const pybind11::gil_scoped_acquire locked;
      const at::Tensor mean = at::mean(plane, {-3, -2, -1}, /*keepdim=*/true);
      values.assign(mean.const_data_ptr<float>(), mean.const_data_ptr<float>() + in.images);
    }
    for (const float mean : values) {
      Require(image::BlendIsTheSame(op.factor, op.rest, mean, TorchIsa()), Reason::kRounding);
    }
    return values;
  };
  RunKernel(color_counters, "kwker::color", image.numel(),
            [&] { RunSegments(pass, segments, image::Gray::kTorch, TorchThreads(), means); });
  return out;
}

PyObject* AdjustPillow(PyObject* object, std::span<const Adjustment> chain) {
  const PillowImage image = RequirePillow(object);
  // Blending goes on from the degenerate image, which has no info unless it was converted.
  bool keep_info = true;
  for (const Adjustment& a : chain) {
    keep_info = keep_info && a.kind == AdjustmentKind::kSaturation;
  }
  if (keep_info) RequireNoTransparency(image);
  NewPillowImage made = MakePillow(image, keep_info);
  image::ColorPass pass = {};
  pass.in = {image.pixels.data(), 0, 4 * image.width, 4, 1};
  pass.out = {made.pixels.data(), 0, 4 * image.width, 4, 1};
  pass.images = 1;
  pass.rows = image.height;
  pass.width = image.width;
  const std::vector<Segment> segments = Segments(chain, /*pillow=*/true);
  const std::int64_t pixels = image.width * image.height;
  const auto means = [&](const std::vector<std::int64_t>& sums, const ColorOp&) {
    const double mean = static_cast<double>(sums[0]) / static_cast<double>(pixels);
    return std::vector<float>{static_cast<float>(static_cast<int>(mean + 0.5))};
  };
  // On this thread alone, as Pillow.
  RunKernel(color_counters, "kwker::color_pillow", 3 * pixels,
            [&] { RunSegments(pass, segments, image::Gray::kPillow, Serial(), means); });
  return made.object.release().ptr();
}

namespace {

bool ServeOne(const Signature<2>& signature, const Call& call, AdjustmentKind kind, bool pillow,
              PyObject** result) {
  return ServeColor(
      signature, call,
      [&](const auto& a) {
        const Adjustment one[] = {{kind, RequireFactor(a[1], kind, pillow)}};
        if (pillow) return AdjustPillow(a[0], one);
        const TensorImage image = RequireImage(a[0]);
        const bool floats = image.tensor->scalar_type() == at::kFloat;
        return WrapLike(
            floats ? AdjustFloats(*image.tensor, one[0]) : AdjustTensor(*image.tensor, one), image);
      },
      result);
}

}  // namespace

bool BrightnessEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"image", "brightness_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kBrightness, false, result);
}

bool ContrastEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"image", "contrast_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kContrast, false, result);
}

bool SaturationEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"image", "saturation_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kSaturation, false, result);
}

bool HueEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"image", "hue_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kHue, false, result);
}

bool PillowBrightnessEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "brightness_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kBrightness, true, result);
}

bool PillowContrastEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "contrast_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kContrast, true, result);
}

bool PillowSaturationEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "saturation_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kSaturation, true, result);
}

bool PillowHueEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "hue_factor"}, 2);
  return ServeOne(signature, call, AdjustmentKind::kHue, true, result);
}

}  // namespace kwker::pyext
