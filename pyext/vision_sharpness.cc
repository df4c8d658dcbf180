// Sharpness of tensors and of PIL images.
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>

#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/image/sharpen.h"
#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/pillow_pixels.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_image.h"
#include "pyext/vision_serve.h"

namespace kwker::pyext {
namespace {

constexpr double kLargestFactor = 1e6;

double RequireFactor(PyObject* value) {
  const std::optional<Number> factor = PlainNumber(value);
  Require(factor.has_value(), Reason::kTensorHyperparameter);
  Require(factor->value >= 0 && factor->value <= kLargestFactor, Reason::kHyperparameter);
  return factor->value;
}

// How to walk through an image: planes, or rows of pixels whose channels are side by side.
struct Walk {
  std::int64_t planes, plane_step, step;
};

Walk RequireWalk(const Geometry& g) {
  if (g.pixel_step == 1 && g.row_step >= g.width) {
    const bool even = g.images == 1 || g.image_step == g.channels * g.channel_step;
    Require(g.channels == 1 || even, Reason::kLayout);
    return {g.images * g.channels, g.channels == 1 ? g.image_step : g.channel_step, 1};
  }
  Require(g.pixel_step == g.channels && g.channel_step == 1 && g.row_step >= g.channels * g.width,
          Reason::kLayout);
  return {g.images, g.image_step, g.channels};
}

void Run(const image::SharpenPass<std::uint8_t>& pass) {
  image::SharpenBytes(pass, TorchIsa(), TorchThreads());
}
void Run(const image::SharpenPass<float>& pass) {
  image::SharpenFloats(pass, TorchIsa(), TorchThreads());
}

template <typename T>
image::SharpenPass<T> MakePass(const at::Tensor& image, const at::Tensor& out, double factor) {
  const Geometry in = RequireGeometry(image);
  const Walk from = RequireWalk(in);
  const Geometry go = GeometryOf(out.sizes(), out.strides());
  const Walk to = RequireWalk(go);
  Require(from.step == to.step, Reason::kLayout);
  return {image.const_data_ptr<T>(),
          from.plane_step,
          in.row_step,
          out.mutable_data_ptr<T>(),
          to.plane_step,
          go.row_step,
          from.planes,
          in.rows,
          in.width,
          from.step,
          static_cast<float>(factor),
          static_cast<float>(1.0 - factor)};
}

at::Tensor EmptyLike(const at::Tensor& image) {
  return at::empty_strided(image.sizes(), CopiedStrides(image), image.options());
}

// Whether torch's convolution, on an image made up, rounds as the kernel does: that hangs on
// which instructions oneDNN uses, which need not be those of torch's own kernels.
bool ConvolutionIsTheSame() {
  const at::NoGradGuard no_grad;
  const double factor = 0.3;
  const at::Tensor image = at::arange(3 * 23 * 41, at::kFloat).mul_(0.754877666).frac_();
  at::Tensor weights = at::full({3, 1, 3, 3}, static_cast<float>(1.0 / 13.0), at::kFloat);
  weights.select(2, 1).select(2, 1).fill_(static_cast<float>(5.0 / 13.0));
  for (const bool by_pixels : {false, true}) {
    const at::Tensor x =
        by_pixels ? image.view({23, 41, 3}).permute({2, 0, 1}) : image.view({3, 23, 41});
    at::Tensor expected = x.clone();
    const at::Tensor inner = expected.slice(1, 1, 22).slice(2, 1, 40);
    const at::Tensor smooth = at::conv2d(expected, weights, {}, at::IntArrayRef{1},
                                         at::IntArrayRef{0}, at::IntArrayRef{1}, 3);
    inner.add_(smooth.sub(inner), 1.0 - factor);
    expected.clamp_(0, 1);
    at::Tensor actual = EmptyLike(x);
    Run(MakePass<float>(x, actual, factor));
    if (!expected.equal(actual)) return false;
  }
  return true;
}

void RequireConvolution(bool of_floats) {
  const at::Context& context = at::globalContext();
  const at::Float32Precision precision =
      context.float32Precision(at::Float32Backend::MKLDNN, at::Float32Op::CONV);
  Require(precision == at::Float32Precision::NONE || precision == at::Float32Precision::IEEE,
          Reason::kOptions);
  if (!of_floats) return;
  Require(TorchIsa() != Isa::kDefault && context.userEnabledMkldnn(), Reason::kOptions);
  static const bool is_the_same = ConvolutionIsTheSame();
  Require(is_the_same, Reason::kOptions);
}

at::Tensor Sharpened(const at::Tensor& image, double factor) {
  const bool floats = image.scalar_type() == at::kFloat;
  Require(floats || image.scalar_type() == at::kByte, Reason::kPixels);
  const Geometry g = RequireGeometry(image);
  Require(image.dim() <= 4, Reason::kOptions);
  // With one channel floats are convolved in another way.
  Require(g.channels == 3 || (g.channels == 1 && !floats), Reason::kChannels);
  Require(g.rows >= 3 && g.width >= 3, Reason::kTooSmall);
  Require(CheckThreads(image.numel()));
  RequireConvolution(floats);
  at::Tensor out = EmptyLike(image);
  const auto run = [&](const auto& pass) {
    RunKernel(color_counters, "kwker::sharpness", image.numel(), [&] { Run(pass); });
  };
  if (floats) {
    run(MakePass<float>(image, out, factor));
    BumpVersion(out, 2);  // blended and clamped in place
  } else {
    run(MakePass<std::uint8_t>(image, out, factor));
  }
  return out;
}

PyObject* PillowSharpened(PyObject* object, double factor) {
  const PillowImage image = RequirePillow(object);
  Require(image.width >= 3 && image.height >= 3, Reason::kTooSmall);
  NewPillowImage made = MakePillow(image, /*keep_info=*/true);
  const std::int64_t row = 4 * image.width;
  const image::SharpenPass<std::uint8_t> pass = {image.pixels.data(),
                                                 0,
                                                 row,
                                                 made.pixels.data(),
                                                 0,
                                                 row,
                                                 /*planes=*/1,
                                                 image.height,
                                                 image.width,
                                                 /*step=*/4,
                                                 static_cast<float>(factor),
                                                 static_cast<float>(1.0 - factor)};
  // On this thread alone, as Pillow.
  RunKernel(color_counters, "kwker::sharpness_pillow", 3 * image.width * image.height,
            [&] { image::SharpenPillow(pass, TorchIsa(), Serial()); });
  return made.object.release().ptr();
}

// sharpen(image, factor).
template <typename Sharpen>
bool Serve(const Signature<2>& signature, const Call& call, const Sharpen& sharpen,
           PyObject** result) {
  return ServeColor(
      signature, call, [&](const auto& a) { return sharpen(a[0], RequireFactor(a[1])); }, result);
}

}  // namespace

bool SharpnessEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"image", "sharpness_factor"}, 2);
  return Serve(
      signature, call,
      [](PyObject* object, double factor) {
        const TensorImage image = RequireImage(object);
        return WrapLike(Sharpened(*image.tensor, factor), image);
      },
      result);
}

bool PillowSharpnessEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "sharpness_factor"}, 2);
  return Serve(signature, call, &PillowSharpened, result);
}

}  // namespace kwker::pyext
