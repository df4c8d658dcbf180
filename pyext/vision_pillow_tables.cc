// Solarize, posterize, invert, autocontrast, equalize and gamma of PIL images.
#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/image/byte_tables.h"
#include "kernels/image/tables.h"
#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/pillow_pixels.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_serve.h"

namespace kwker::pyext {
namespace {

using image::ByteRule;
using image::ByteTable;

// `run(in, out, pixels)` fills an image that has the info of the one it is made of, as
// Image.point leaves it.
template <typename Run>
PyObject* Mapped(PyObject* object, const Run& run) {
  const PillowImage image = RequirePillow(object);
  NewPillowImage made = MakePillow(image, /*keep_info=*/true);
  const std::int64_t pixels = image.width * image.height;
  // On this thread alone, as Pillow.
  RunKernel(color_counters, "kwker::map_pillow", 3 * pixels,
            [&] { run(image.pixels.data(), made.pixels.data(), pixels); });
  return made.object.release().ptr();
}

PyObject* ByRule(PyObject* object, ByteRule rule) {
  return Mapped(object, [&](const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels) {
    image::ApplyRule(in, out, pixels, rule);
  });
}

// By tables made of each band's counts.
PyObject* ByCounts(PyObject* object, ByteTable (*make)(const image::ByteCounts&)) {
  return Mapped(object, [&](const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels) {
    const auto counts = image::CountBytes(in, pixels);
    image::ApplyTables(in, out, pixels, {make(counts[0]), make(counts[1]), make(counts[2])});
  });
}

Number RequireNumber(PyObject* value) {
  const std::optional<Number> number = PlainNumber(value);
  Require(number.has_value(), Reason::kTensorHyperparameter);
  return *number;
}

}  // namespace

bool PillowSolarizeEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "threshold"}, 2);
  return ServeColor(
      signature, call,
      [](const auto& a) {
        // The first whole number that is not below it.
        const double first = std::ceil(RequireNumber(a[1]).value);
        return ByRule(a[0], {static_cast<int>(std::clamp(first, 0.0, 256.0)), 0xFF});
      },
      result);
}

bool PillowPosterizeEntry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"img", "bits"}, 2);
  return ServeColor(
      signature, call,
      [](const auto& a) {
        const Number bits = RequireNumber(a[1]);
        Require(bits.is_int && bits.value >= 1 && bits.value <= 8, Reason::kHyperparameter);
        const int dropped = 8 - static_cast<int>(bits.value);
        return ByRule(a[0], {256, static_cast<std::uint8_t>(0xFF << dropped)});
      },
      result);
}

bool PillowInvertEntry(const Call& call, PyObject** result) {
  static const Signature<1> signature({"img"}, 1);
  return ServeColor(signature, call, [](const auto& a) { return ByRule(a[0], {0, 0xFF}); }, result);
}

bool PillowAutocontrastEntry(const Call& call, PyObject** result) {
  static const Signature<1> signature({"img"}, 1);
  return ServeColor(
      signature, call,
      [](const auto& a) { return ByCounts(a[0], &image::PillowAutocontrastTable); }, result);
}

bool PillowEqualizeEntry(const Call& call, PyObject** result) {
  static const Signature<1> signature({"img"}, 1);
  return ServeColor(
      signature, call, [](const auto& a) { return ByCounts(a[0], &image::EqualizeTable); }, result);
}

bool PillowGammaEntry(const Call& call, PyObject** result) {
  static const Signature<3> signature({"img", "gamma", "gain?"}, 3);
  return ServeColor(
      signature, call,
      [](const auto& a) {
        const double gamma = RequireNumber(a[1]).value;
        const double gain = a[2] == nullptr ? 1 : RequireNumber(a[2]).value;
        Require(gamma >= 0, Reason::kHyperparameter);
        const std::optional<ByteTable> table = image::PillowGammaTable(gamma, gain);
        Require(table.has_value(), Reason::kHyperparameter);
        return Mapped(a[0], [&](const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels) {
          image::ApplyTables(in, out, pixels, {*table, *table, *table});
        });
      },
      result);
}

}  // namespace kwker::pyext
