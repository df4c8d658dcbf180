// Grayscale of 8-bit tensors and of PIL images.
#include <ATen/ops/empty_strided.h>
#include <c10/core/DefaultDtype.h>

#include <optional>
#include <vector>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/pillow_pixels.h"
#include "pyext/vision_color.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_serve.h"

namespace kwker::pyext {
namespace {

// 1 or 3.
int RequireChannels(PyObject* value) {
  if (value == nullptr) return 1;
  const std::optional<Number> channels = PlainNumber(value);
  Require(channels && channels->is_int && (channels->value == 1 || channels->value == 3),
          Reason::kHyperparameter);
  return static_cast<int>(channels->value);
}

// An empty tensor of one channel, in whose memory image follows image and row follows row.
at::Tensor EmptyGray(const at::Tensor& image) {
  std::vector<std::int64_t> sizes = image.sizes().vec(), strides = image.strides().vec();
  const auto channel = static_cast<std::ptrdiff_t>(sizes.size()) - 3;
  sizes.erase(sizes.begin() + channel);
  strides.erase(strides.begin() + channel);
  // Of sums of one channel's pixels, between which the channel is put in again.
  strides = PointwiseStrides(sizes, {strides});
  std::int64_t next = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    Require(sizes[i] == 1 || strides[i] == next, Reason::kLayout);
    next *= sizes[i];
  }
  strides.insert(strides.begin() + channel, sizes[channel] * strides[channel]);
  sizes.insert(sizes.begin() + channel, 1);
  return at::empty_strided(sizes, strides, image.options());
}

at::Tensor Gray(const at::Tensor& image, int channels) {
  Require(image.scalar_type() == at::kByte, Reason::kPixels);
  Require(c10::get_default_dtype_as_scalartype() == at::kFloat, Reason::kDtype);
  const Geometry in = RequireGeometry(image);
  RequireColor(in);
  Require(CheckThreads(image.numel()));
  at::Tensor out = EmptyGray(image);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(in.images));
  image::ColorPass pass = {};
  pass.in = PixelsOf(image.const_data_ptr<std::uint8_t>(), in);
  pass.images = in.images;
  pass.rows = in.rows;
  pass.width = in.width;
  pass.gray = image::Gray::kTorch;
  pass.sums = sums.data();
  pass.bytes = out.mutable_data_ptr<std::uint8_t>();
  RunKernel(color_counters, "kwker::grayscale", image.numel(),
            [&] { image::Color(pass, TorchIsa(), TorchThreads()); });
  return channels == 3 ? out.expand(image.sizes()) : out;
}

PyObject* PillowGray(PyObject* object, int channels) {
  // One channel is Pillow's own conversion, in one pass.
  Require(channels == 3, Reason::kTooSmall);
  const PillowImage image = RequirePillow(object);
  RequireNoTransparency(image);
  // From an array, with no info and with 255 in the fourth byte.
  NewPillowImage made = MakePillow(image, /*keep_info=*/false);
  const image::ColorOp ops[] = {{image::ColorKind::kPillowGray, 1, 0, 255}};
  image::ColorPass pass = {};
  pass.in = {image.pixels.data(), 0, 4 * image.width, 4, 1};
  pass.images = 1;
  pass.rows = image.height;
  pass.width = image.width;
  pass.out = {made.pixels.data(), 0, 4 * image.width, 4, 1};
  pass.ops = ops;
  // On this thread alone, as Pillow.
  RunKernel(color_counters, "kwker::grayscale_pillow", 3 * image.width * image.height,
            [&] { image::Color(pass, TorchIsa(), Serial()); });
  return made.object.release().ptr();
}

// make(image, channels).
template <typename Make>
bool Serve(const Call& call, const Make& make, PyObject** result) {
  static const Signature<2> signature({"image", "num_output_channels?"}, 2);
  return ServeColor(
      signature, call, [&](const auto& a) { return make(a[0], RequireChannels(a[1])); }, result);
}

}  // namespace

bool GrayscaleEntry(const Call& call, PyObject** result) {
  return Serve(
      call,
      [](PyObject* object, int channels) {
        const TensorImage image = RequireImage(object);
        return WrapLike(Gray(*image.tensor, channels), image);
      },
      result);
}

bool PillowGrayscaleEntry(const Call& call, PyObject** result) {
  return Serve(call, &PillowGray, result);
}

}  // namespace kwker::pyext
