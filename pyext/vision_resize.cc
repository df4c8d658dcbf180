#include "pyext/vision_resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/image/resize.h"
#include "kernels/image/resize_numbers.h"
#include "pyext/arguments.h"
#include "pyext/arrow_pixels.h"
#include "pyext/optim_common.h"
#include "pyext/torch_state.h"

namespace kwker::pyext {

Counters resize_counters("vision.resize");

namespace {

namespace py = pybind11;

enum Argument { kSelf, kSize, kResample, kBox, kReducingGap, kArgumentCount };
using Arguments = std::array<PyObject*, kArgumentCount>;

const Signature<kArgumentCount>& ResizeSignature() {
  static const Signature<kArgumentCount> signature(
      {"self", "size", "resample?", "box?", "reducing_gap?"}, kArgumentCount);
  return signature;
}

// Kept for ever: the references are not given back at the end of the process.
struct Pillow {
  PyTypeObject* image = nullptr;  // PIL.Image.Image
  PyTypeObject* core_image = nullptr;
  PyObject* new_core = nullptr;  // PIL.Image.core.new
};
Pillow pillow;

enum class Pixel { kBytes, kFloat, kInt32, kUint16 };

// Pixels as they lie in memory, by mode.
struct Mode {
  std::string_view name;
  Pixel pixel;
  int pixel_bytes;
  std::uint32_t channels;  // of a pixel of 4 bytes, those that Pillow resizes
};

constexpr std::uint32_t kFour = 0xFFFFFFFF, kThree = 0x00FFFFFF, kFirstAndLast = 0xFF0000FF;
constexpr std::array kModes = {
    Mode{"RGB", Pixel::kBytes, 4, kThree},       Mode{"L", Pixel::kBytes, 1, kFour},
    Mode{"RGBa", Pixel::kBytes, 4, kFour},       Mode{"RGBX", Pixel::kBytes, 4, kFour},
    Mode{"CMYK", Pixel::kBytes, 4, kFour},       Mode{"YCbCr", Pixel::kBytes, 4, kThree},
    Mode{"HSV", Pixel::kBytes, 4, kThree},       Mode{"LAB", Pixel::kBytes, 4, kThree},
    Mode{"La", Pixel::kBytes, 4, kFirstAndLast}, Mode{"F", Pixel::kFloat, 4, kFour},
    Mode{"I", Pixel::kInt32, 4, kFour},          Mode{"I;16", Pixel::kUint16, 2, kFour},
};

// Whether Pillow resizes it by way of another mode, and so comes back here.
bool IsConvertedFirst(std::string_view mode) { return mode == "RGBA" || mode == "LA"; }

py::object Attribute(PyObject* object, const char* name) {
  return py::reinterpret_borrow<py::object>(object).attr(name);
}

std::string_view Text(PyObject* text) {
  Py_ssize_t size = 0;
  Require(PyUnicode_CheckExact(text), Reason::kArguments);
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) throw py::error_already_set();
  return {bytes, static_cast<std::size_t>(size)};
}

const Mode* ModeOf(std::string_view name) {
  const auto* at = std::find_if(kModes.begin(), kModes.end(),
                                [&](const Mode& mode) { return mode.name == name; });
  return at == kModes.end() ? nullptr : &*at;
}

// The items of a plain tuple or list of this length.
template <std::size_t N>
std::array<PyObject*, N> Items(PyObject* sequence) {
  Require(PyTuple_CheckExact(sequence) || PyList_CheckExact(sequence), Reason::kArguments);
  Require(PySequence_Fast_GET_SIZE(sequence) == static_cast<Py_ssize_t>(N), Reason::kArguments);
  std::array<PyObject*, N> items;
  std::copy_n(PySequence_Fast_ITEMS(sequence), N, items.begin());
  return items;
}

struct Extent {
  int width, height;
  bool operator==(const Extent&) const = default;
};

Extent ExtentOf(PyObject* sequence) {
  std::array<int, 2> sides;
  const std::array<PyObject*, 2> items = Items<2>(sequence);
  for (std::size_t i = 0; i < 2; ++i) {
    Require(PyLong_CheckExact(items[i]), Reason::kArguments);
    int overflow = 0;
    const long side = PyLong_AsLongAndOverflow(items[i], &overflow);
    // Weights are counted in ints; larger images do not lie in one block anyway.
    constexpr long kMost = 1 << 24;
    Require(overflow == 0 && side >= 1 && side <= kMost, Reason::kArguments);
    sides[i] = static_cast<int>(side);
  }
  return {sides[0], sides[1]};
}

// left, top, right, bottom
using Corners = std::array<double, 4>;

struct Request {
  Extent size;
  image::Filter filter;
  std::optional<Corners> box;
  std::optional<double> reducing_gap;
};

// Only what Pillow takes, as errors are its to make.
Request Parse(const Arguments& a) {
  Request request = {ExtentOf(a[kSize]), image::Filter::kBicubic, {}, {}};
  if (a[kResample] != nullptr && a[kResample] != Py_None) {
    // Numbers and PIL.Image.Resampling, whose members are ints.
    Require(PyLong_Check(a[kResample]), Reason::kArguments);
    const long filter = PyLong_AsLong(a[kResample]);
    if (filter == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
    Require(filter != 0, Reason::kResizeShortcut);
    Require(filter >= 1 && filter <= 7, Reason::kArguments);
    request.filter = static_cast<image::Filter>(filter);
  }
  if (a[kBox] != nullptr && a[kBox] != Py_None) {
    Corners corners;
    const std::array<PyObject*, 4> items = Items<4>(a[kBox]);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::optional<Number> number = PlainNumber(items[i]);
      Require(number && !number->is_numpy, Reason::kArguments);
      corners[i] = number->value;
    }
    request.box = corners;
  }
  if (a[kReducingGap] != nullptr && a[kReducingGap] != Py_None) {
    const std::optional<Number> gap = PlainNumber(a[kReducingGap]);
    Require(gap && !gap->is_numpy && gap->value >= 1, Reason::kArguments);
    request.reducing_gap = gap->value;
  }
  return request;
}

// An image with its pixels in memory.
struct Loaded {
  py::object image;
  py::object core;
  const Mode* mode;
  Extent size;
};

Loaded Load(py::object image, const Mode* mode, Extent size) {
  py::object core = image.attr("im");
  Require(Py_TYPE(core.ptr()) == pillow.core_image, Reason::kImage);
  // They may differ from the image's own in a subclass.
  Require(Text(core.attr("mode").ptr()) == mode->name, Reason::kImage);
  Require(ExtentOf(core.attr("size").ptr()) == size, Reason::kImage);
  return {std::move(image), std::move(core), mode, size};
}

Corners Whole(Extent size) {
  return {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)};
}

// Below this many bytes of input and output, Pillow is done before a program for the
// kernel has been made.
constexpr std::int64_t kLeastBytes = 1536;

std::int64_t Pixels(Extent e) { return std::int64_t{e.width} * e.height; }

// What is computed; declined where Pillow would refuse the box, crop, or copy.
image::ResizeGeometry Geometry(const Request& request, Extent in, const Corners& corners) {
  // Pillow, too, takes the corners as floats from here on.
  const auto left = static_cast<float>(corners[0]), top = static_cast<float>(corners[1]);
  const auto right = static_cast<float>(corners[2]), bottom = static_cast<float>(corners[3]);
  Require(left >= 0 && top >= 0, Reason::kArguments);
  Require(right <= static_cast<float>(in.width) && bottom <= static_cast<float>(in.height),
          Reason::kArguments);
  Require(left <= right && top <= bottom, Reason::kArguments);
  const Extent out = request.size;
  const bool is_crop = left == std::trunc(left) && top == std::trunc(top) &&
                       right - left == static_cast<float>(out.width) &&
                       bottom - top == static_cast<float>(out.height);
  Require(!is_crop, Reason::kResizeShortcut);
  return {in.width, in.height, out.width, out.height, left, top, right, bottom, request.filter};
}

// Where the rows of an image of elements T begin.
template <typename T>
std::vector<const T*> Rows(const ArrowPixels& pixels, Extent size, int elements) {
  const T* first = reinterpret_cast<const T*>(pixels.data());
  std::vector<const T*> rows(static_cast<std::size_t>(size.height));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    rows[y] = first + static_cast<std::int64_t>(y) * size.width * elements;
  }
  return rows;
}

template <typename T>
void RunNumbers(const ArrowPixels& from, Extent size, const ArrowPixels& to,
                const image::ResizeGeometry& g) {
  const std::vector<const T*> rows = Rows<T>(from, size, 1);
  image::ResizeNumbers<T>(g, rows.data(), reinterpret_cast<T*>(to.data()), TorchIsa());
}

bool Run(const Mode& mode, const ArrowPixels& from, Extent size, const ArrowPixels& to,
         const image::ResizeGeometry& g) {
  switch (mode.pixel) {
    case Pixel::kFloat:
      RunNumbers<float>(from, size, to, g);
      return true;
    case Pixel::kInt32:
      RunNumbers<std::int32_t>(from, size, to, g);
      return true;
    case Pixel::kUint16:
      RunNumbers<std::uint16_t>(from, size, to, g);
      return true;
    case Pixel::kBytes:
      break;
  }
  const auto rows = Rows<std::uint8_t>(from, size, mode.pixel_bytes);
  return image::ResizeBytes(g, {mode.pixel_bytes, mode.channels}, rows.data(), to.data(),
                            TorchIsa());
}

// A new core image with the pixels resized.
py::object Resized(const Loaded& in, const image::ResizeGeometry& g) {
  const Extent size = {g.out_width, g.out_height};
  const ArrowPixels from = ArrowPixels::Of(in.core.ptr(), Pixels(in.size));
  Require(static_cast<bool>(from), Reason::kImageMemory);
  auto core = py::reinterpret_steal<py::object>(PyObject_CallFunction(
      pillow.new_core, "s(ii)", in.mode->name.data(), size.width, size.height));
  if (!core) PyErr_Clear();
  Require(static_cast<bool>(core), Reason::kImageMemory);
  const ArrowPixels to = ArrowPixels::Of(core.ptr(), Pixels(size));
  Require(static_cast<bool>(to), Reason::kImageMemory);
  bool done = false;
  RunKernel(resize_counters, "kwker::resize", Pixels(size),
            [&] { done = Run(*in.mode, from, in.size, to, g); });
  Require(done, Reason::kArguments);
  return core;
}

// The first of Pillow's two steps where a gap is given: by whole factors, with its
// own code. Changes the image and the box to what is left to do.
bool Reduce(const Request& request, const Arguments& a, py::object* image, Corners* corners) {
  const auto factor = [&](double extent, int size) {
    const double whole = std::trunc(extent / size / *request.reducing_gap);
    return whole == 0 ? 1 : static_cast<int>(whole);
  };
  const Corners& c = *corners;
  const int x = factor(c[2] - c[0], request.size.width);
  const int y = factor(c[3] - c[1], request.size.height);
  if (x <= 1 && y <= 1) return false;

  const py::tuple size = py::make_tuple(request.size.width, request.size.height);
  const auto box =
      request.box
          ? py::reinterpret_borrow<py::object>(a[kBox])
          : py::object(py::make_tuple(0, 0, static_cast<int>(c[2]), static_cast<int>(c[3])));
  const py::object safe_box =
      image->attr("_get_safe_box")(size, static_cast<int>(request.filter), box);
  const py::tuple factors = py::make_tuple(x, y);
  const py::object reduce = image->attr("reduce");
  // Some plug-ins keep a number under that name.
  *image = PyCallable_Check(reduce.ptr()) != 0
               ? reduce(factors, py::arg("box") = safe_box)
               : Attribute(reinterpret_cast<PyObject*>(pillow.image), "reduce")(
                     *image, factors, py::arg("box") = safe_box);
  const auto safe = safe_box.cast<std::array<double, 4>>();
  *corners = {(c[0] - safe[0]) / x, (c[1] - safe[1]) / y, (c[2] - safe[0]) / x,
              (c[3] - safe[1]) / y};
  return true;
}

PyObject* Serve(const Arguments& a) {
  Require(PyObject_TypeCheck(a[kSelf], pillow.image), Reason::kArguments);
  const Request request = Parse(a);
  auto self = py::reinterpret_borrow<py::object>(a[kSelf]);
  const py::object mode_name = self.attr("mode");
  const Mode* mode = ModeOf(Text(mode_name.ptr()));
  if (mode == nullptr && IsConvertedFirst(Text(mode_name.ptr()))) throw FallBack{Reason::kNone};
  Require(mode != nullptr, Reason::kImage);
  Extent size = ExtentOf(self.attr("size").ptr());
  Corners corners = request.box.value_or(Whole(size));
  Require((Pixels(size) + Pixels(request.size)) * mode->pixel_bytes >= kLeastBytes,
          Reason::kTooSmall);
  Require(request.size != size || corners != Whole(size), Reason::kResizeShortcut);
  if (!request.reducing_gap) Geometry(request, size, corners);  // before the image is loaded

  self.attr("load")();
  Loaded loaded = Load(self, mode, size);
  if (request.reducing_gap) {
    for (const double corner : corners) Require(std::abs(corner) <= 1 << 24, Reason::kArguments);
    if (Reduce(request, a, &self, &corners)) {
      // No way back to the beginning from here.
      try {
        loaded = Load(self, mode, ExtentOf(self.attr("size").ptr()));
        const py::object core = Resized(loaded, Geometry(request, loaded.size, corners));
        return self.attr("_new")(core).release().ptr();
      } catch (const FallBack& fall_back) {
        resize_counters.CountFallback(fall_back.reason);
        const py::object core = self.attr("im").attr("resize")(
            py::make_tuple(request.size.width, request.size.height),
            static_cast<int>(request.filter), py::tuple(py::cast(corners)));
        return self.attr("_new")(core).release().ptr();
      }
    }
  }
  const py::object core = Resized(loaded, Geometry(request, size, corners));
  return self.attr("_new")(core).release().ptr();
}

}  // namespace

void SetPillow(const py::object& image_class, const py::object& core) {
  py::object new_core = core.attr("new");
  const py::object sample = new_core("L", py::make_tuple(1, 1));
  pillow.core_image = reinterpret_cast<PyTypeObject*>(Py_NewRef(Py_TYPE(sample.ptr())));
  pillow.image = reinterpret_cast<PyTypeObject*>(Py_NewRef(image_class.ptr()));
  pillow.new_core = new_core.release().ptr();
}

bool ResizeEntry(const Call& call, PyObject** result) {
  if (!resize_counters.IsOn()) return false;
  const std::optional<Arguments> arguments = ResizeSignature().Sort(call);
  if (!arguments) return false;
  const Reason reason = ReasonOf([&] {
    *result = Serve(*arguments);
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return *result != nullptr;
  resize_counters.CountFallback(reason);
  return false;
}

}  // namespace kwker::pyext
