#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/DefaultDtype.h>
#include <torch/csrc/Dtype.h>

#include <array>
#include <memory>
#include <optional>

#include "kernels/image/color.h"
#include "kernels/image/normalize.h"
#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/pillow_pixels.h"
#include "pyext/python_tensor.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_image.h"

namespace kwker::pyext {

Counters to_dtype_normalize_counters("vision.to_dtype_normalize");
Counters to_tensor_counters("vision.to_tensor");

namespace {

// Kept for ever: the references are not given back at the end of the process.
PyObject *compose_plan = nullptr, *compose_forward = nullptr;

using image::kChannelPattern;
using image::NormalizeRun;
using image::Scale;

// Mean and deviation of each channel, rounded once to float as torch.as_tensor rounds them.
struct Moments {
  std::vector<float> mean, std;
  bool zero_std = false;  // as Python sees it
};

std::vector<float> Floats(PyObject* list, std::int64_t channels, bool* any_zero) {
  Require(PyList_CheckExact(list) || PyTuple_CheckExact(list), Reason::kTensorHyperparameter);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
  Require(n == channels || n == 1, Reason::kOptions);
  std::vector<float> values;
  for (Py_ssize_t i = 0; i < n; ++i) {
    const std::optional<Number> x = PlainNumber(PySequence_Fast_GET_ITEM(list, i));
    Require(x.has_value(), Reason::kTensorHyperparameter);
    *any_zero = *any_zero || x->value == 0;
    values.push_back(Rounded<float>(x->value));
  }
  values.resize(static_cast<std::size_t>(channels), values[0]);
  return values;
}

Moments RequireMoments(PyObject* mean, PyObject* std, std::int64_t channels) {
  Moments moments;
  bool ignored = false;
  moments.mean = Floats(mean, channels, &ignored);
  moments.std = Floats(std, channels, &moments.zero_std);
  Require(!moments.zero_std, Reason::kHyperparameter);  // torchvision's error
  return moments;
}

// The strides of a mean of shape (C, 1, 1), broadcast.
std::vector<std::int64_t> MomentStrides(at::IntArrayRef sizes) {
  std::vector<std::int64_t> strides(sizes.size(), 0);
  strides[sizes.size() - 3] = 1;
  if (sizes[sizes.size() - 2] == 1) strides[sizes.size() - 2] = 1;
  if (sizes[sizes.size() - 1] == 1) strides[sizes.size() - 1] = 1;
  return strides;
}

// The elements of `in` and `out` as runs, and the period of the channels along them.
template <typename In>
struct Runs {
  std::vector<NormalizeRun<In>> list;
  std::vector<float> patterns;
  int period = 1;
};

// Repeats values[0] ... values[period - 1] over a pattern.
void Repeat(const float* values, int period, float* pattern) {
  for (int i = 0; i < kChannelPattern; ++i) pattern[i] = values[i % period];
}

template <typename In>
Runs<In> MakeRuns(const In* in, const Geometry& gi, float* out, const Geometry& go,
                  const Moments* moments) {
  Runs<In> runs;
  const std::int64_t channels = gi.channels;
  const bool packed = gi.pixel_step == channels && go.pixel_step == channels &&
                      gi.channel_step == 1 && go.channel_step == 1 && channels <= 4;
  const bool planar = !packed && gi.pixel_step == 1 && go.pixel_step == 1;
  Require(planar || packed, Reason::kLayout);
  runs.period = planar ? 1 : static_cast<int>(channels);

  // A plane's (a packed image's) rows are one run where they follow each other.
  const std::int64_t row = gi.width * (planar ? 1 : channels);
  const bool whole = (gi.row_step == row && go.row_step == row) || gi.rows == 1;
  const std::int64_t rows = whole ? 1 : gi.rows, length = whole ? gi.rows * row : row;
  const std::int64_t planes = planar ? channels : 1;
  if (moments != nullptr) {
    runs.patterns.resize(static_cast<std::size_t>(2 * planes * kChannelPattern));
    for (std::int64_t c = 0; c < planes; ++c) {
      float* pattern = runs.patterns.data() + 2 * c * kChannelPattern;
      Repeat(moments->mean.data() + c, runs.period, pattern);
      Repeat(moments->std.data() + c, runs.period, pattern + kChannelPattern);
    }
  }
  for (std::int64_t n = 0; n < gi.images; ++n) {
    for (std::int64_t c = 0; c < planes; ++c) {
      const float* pattern =
          moments == nullptr ? nullptr : runs.patterns.data() + 2 * c * kChannelPattern;
      for (std::int64_t y = 0; y < rows; ++y) {
        runs.list.push_back({in + n * gi.image_step + c * gi.channel_step + y * gi.row_step,
                             out + n * go.image_step + c * go.channel_step + y * go.row_step,
                             length, pattern,
                             pattern == nullptr ? nullptr : pattern + kChannelPattern});
      }
    }
  }
  return runs;
}

template <typename In>
void Run(Counters& counters, const char* name, const Runs<In>& runs, Scale scale,
         std::int64_t elements) {
  Require(CheckThreads(elements));
  RunKernel(counters, name, elements, [&] {
    image::Normalize<In>(runs.list, scale, runs.period, TorchIsa(), TorchThreads());
  });
}

bool IsFloat32(PyObject* dtype) {
  return THPDtype_Check(dtype) &&
         reinterpret_cast<const THPDtype*>(dtype)->scalar_type == at::kFloat;
}

at::Tensor ToFloat(const at::Tensor& image) {
  Require(image.scalar_type() == at::kByte, Reason::kPixels);
  const Geometry in = RequireGeometry(image);
  at::Tensor out =
      at::empty_strided(image.sizes(), CopiedStrides(image), image.options().dtype(at::kFloat));
  Runs<std::uint8_t> runs;
  if (image.is_non_overlapping_and_dense()) {
    runs.list = {{image.const_data_ptr<std::uint8_t>(), out.mutable_data_ptr<float>(),
                  image.numel(), nullptr, nullptr}};
  } else {
    runs = MakeRuns(image.const_data_ptr<std::uint8_t>(), in, out.mutable_data_ptr<float>(),
                    GeometryOf(out.sizes(), out.strides()), nullptr);
  }
  Run(to_dtype_normalize_counters, "kwker::to_dtype", runs, Scale::kMultiply, image.numel());
  BumpVersion(out, 1);
  return out;
}

struct NormalizeArguments {
  PyObject *mean, *std;
  bool in_place;
};

// `v1`: torchvision.transforms' own order of copies and checks.
at::Tensor NormalizeFloat(const at::Tensor& image, const NormalizeArguments& a, bool v1,
                          Counters& counters) {
  Require(image.scalar_type() == at::kFloat, Reason::kPixels);
  const Geometry in = RequireGeometry(image);
  const Moments moments = RequireMoments(a.mean, a.std, in.channels);
  if (v1) {
    for (const float std : moments.std) Require(std != 0, Reason::kHyperparameter);
  }
  Require(in.rows * in.width > 1, Reason::kLayout);
  at::Tensor out = image;
  if (a.in_place) {
    // A view of a leaf, or one that others watch, may refuse.
    Require(!image.requires_grad() && image.is_non_overlapping_and_dense(), Reason::kLayout);
  } else if (v1) {
    Require(image.is_non_overlapping_and_dense(), Reason::kLayout);
    out = at::empty_strided(image.sizes(), image.strides(), image.options());
  } else {
    const std::vector<std::int64_t> moment_strides = MomentStrides(image.sizes());
    out = at::empty_strided(image.sizes(),
                            PointwiseStrides(image.sizes(), {image.strides(), moment_strides}),
                            image.options());
  }
  const Runs<float> runs =
      MakeRuns(image.const_data_ptr<float>(), in, out.mutable_data_ptr<float>(),
               GeometryOf(out.sizes(), out.strides()), &moments);
  Run(counters, "kwker::normalize", runs, Scale::kNone, image.numel());
  BumpVersion(out, v1 || a.in_place ? 2 : 1);
  return out;
}

// The bytes of a PIL image without the fourth of each pixel: image by rows, or plane by plane.
std::unique_ptr<std::uint8_t[]> ThreeBytes(const PillowImage& image, bool planar) {
  const std::int64_t n = image.width * image.height;
  std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[static_cast<std::size_t>(3 * n)]);
  const std::int64_t pixel = planar ? 1 : 3, channel = planar ? n : 1;
  image::Color({{image.pixels.data(), 0, 4 * image.width, 4, 1},
                {bytes.get(), 0, pixel * image.width, pixel, channel},
                /*images=*/1,
                image.height,
                image.width,
                /*ops=*/{},
                nullptr,
                image::Gray::kNone,
                nullptr,
                nullptr},
               TorchIsa(), Serial());
  return bytes;
}

// ToDtype(torch.float32, scale=True) and Normalize on bytes.
at::Tensor NormalizeBytes(const std::uint8_t* in, at::IntArrayRef sizes, at::IntArrayRef strides,
                          PyObject* mean, PyObject* std) {
  const Geometry gi = GeometryOf(sizes, strides);
  const Moments moments = RequireMoments(mean, std, gi.channels);
  Require(gi.rows * gi.width > 1, Reason::kLayout);
  at::Tensor out = at::empty_strided(
      sizes, PointwiseStrides(sizes, {strides, MomentStrides(sizes)}), at::kFloat);
  const Runs<std::uint8_t> runs = MakeRuns(in, gi, out.mutable_data_ptr<float>(),
                                           GeometryOf(out.sizes(), out.strides()), &moments);
  Run(to_dtype_normalize_counters, "kwker::to_dtype_normalize", runs, Scale::kMultiply,
      out.numel());
  BumpVersion(out, 1);
  return out;
}

// Of a PIL image, as torchvision's pil_to_tensor lays it out.
at::Tensor NormalizePillow(const PillowImage& image, PyObject* mean, PyObject* std) {
  const std::int64_t sizes[] = {3, image.height, image.width};
  const std::int64_t strides[] = {1, 3 * image.width, 3};
  return NormalizeBytes(ThreeBytes(image, /*planar=*/false).get(), sizes, strides, mean, std);
}

at::Tensor TensorOfPillow(const PillowImage& image) {
  at::Tensor out = at::empty({3, image.height, image.width}, at::kFloat);
  const std::unique_ptr<std::uint8_t[]> bytes = ThreeBytes(image, /*planar=*/true);
  Runs<std::uint8_t> runs;
  runs.list = {{bytes.get(), out.mutable_data_ptr<float>(), out.numel(), nullptr, nullptr}};
  Run(to_tensor_counters, "kwker::to_tensor", runs, Scale::kDivide, out.numel());
  return out;
}

bool ServeNormalize(const std::array<PyObject*, 4>& a, bool v1, Counters& counters,
                    PyObject** result) {
  const Reason reason = ReasonOf([&] {
    Require(IsFalse(a[3]) || a[3] == Py_True, Reason::kOptions);
    const TensorImage image = RequireImage(a[0]);
    Require((!v1 && a[3] != Py_True) || image.result_class == nullptr, Reason::kSubclass);
    const at::Tensor out =
        NormalizeFloat(*image.tensor, {a[1], a[2], a[3] == Py_True}, v1, counters);
    *result = v1 && a[3] == Py_True ? Py_NewRef(a[0]) : WrapLike(out, image);
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return true;
  counters.CountFallback(reason);
  return false;
}

}  // namespace

bool ToDtypeEntry(const Call& call, PyObject** result) {
  static const Signature<3> signature({"image", "dtype?", "scale?"}, 3);
  const auto a = signature.Sort(call);
  if (!a || !to_dtype_normalize_counters.IsOn()) return false;
  const Reason reason = ReasonOf([&] {
    Require((*a)[2] == Py_True && ((*a)[1] == nullptr || IsFloat32((*a)[1])), Reason::kOptions);
    const TensorImage image = RequireImage((*a)[0]);
    *result = WrapLike(ToFloat(*image.tensor), image);
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return true;
  to_dtype_normalize_counters.CountFallback(reason);
  return false;
}

bool NormalizeEntry(const Call& call, PyObject** result) {
  static const Signature<4> signature({"image", "mean", "std", "inplace?"}, 4);
  const auto a = signature.Sort(call);
  if (!a || !to_dtype_normalize_counters.IsOn()) return false;
  return ServeNormalize(*a, /*v1=*/false, to_dtype_normalize_counters, result);
}

bool NormalizeV1Entry(const Call& call, PyObject** result) {
  static const Signature<4> signature({"tensor", "mean", "std", "inplace?"}, 4);
  const auto a = signature.Sort(call);
  if (!a || !to_tensor_counters.IsOn()) return false;
  return ServeNormalize(*a, /*v1=*/true, to_tensor_counters, result);
}

bool ToTensorEntry(const Call& call, PyObject** result) {
  static const Signature<1> signature({"pic"}, 1);
  const auto a = signature.Sort(call);
  if (!a || !to_tensor_counters.IsOn()) return false;
  const Reason reason = ReasonOf([&] {
    const PillowImage image = RequirePillow((*a)[0]);
    // One pixel is contiguous before it is made so, and keeps odd strides.
    Require(image.width * image.height > 1, Reason::kLayout);
    Require(CheckModes());
    Require(c10::get_default_dtype_as_scalartype() == at::kFloat, Reason::kDtype);
    *result = WrapTensor(TensorOfPillow(image));
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return true;
  to_tensor_counters.CountFallback(reason);
  return false;
}

bool FusedEntry(const Call& call, PyObject** result) {
  enum { kToImage, kToDtype, kNormalize, kMean, kStd, kImageClass, kInput, kCount };
  if (call.positional != kCount || call.keyword_names != nullptr) return false;
  PyObject* const input = call.args[kInput];
  const bool from_pillow = call.args[kToImage] != Py_None;
  const Reason reason = ReasonOf([&] {
    if (from_pillow) {
      const PillowImage image = RequirePillow(input);
      Require(CheckModes());
      PyObject* const result_class = call.args[kImageClass];
      const TensorImage like = {nullptr, result_class == Py_None ? nullptr : result_class};
      *result = WrapLike(NormalizePillow(image, call.args[kMean], call.args[kStd]), like);
    } else {
      const TensorImage image = RequireImage(input);
      Require(image.tensor->scalar_type() == at::kByte, Reason::kPixels);
      Require(image.tensor->is_non_overlapping_and_dense(), Reason::kLayout);
      RequireGeometry(*image.tensor);
      *result = WrapLike(
          NormalizeBytes(image.tensor->const_data_ptr<std::uint8_t>(), image.tensor->sizes(),
                         image.tensor->strides(), call.args[kMean], call.args[kStd]),
          image);
    }
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return true;
  // One by one, as torchvision calls them.
  auto value = pybind11::reinterpret_borrow<pybind11::object>(input);
  for (int i = from_pillow ? kToImage : kToDtype; value && i <= kNormalize; ++i) {
    value = pybind11::reinterpret_steal<pybind11::object>(
        PyObject_CallOneArg(call.args[i], value.ptr()));
  }
  *result = value.release().ptr();
  return true;
}

bool ComposeEntry(const Call& call, PyObject** result) {
  // One input; more, or what is no image, is no pipeline for one image.
  if (call.positional != 2 || call.keyword_names != nullptr) return false;
  if (!to_dtype_normalize_counters.IsOn() || compose_plan == nullptr) return false;
  PyObject* const plan = PyObject_CallOneArg(compose_plan, call.args[0]);
  if (plan == nullptr) {
    PyErr_Clear();
    return false;
  }
  if (plan == Py_None) {
    Py_DECREF(plan);
    return false;
  }
  *result = PyObject_CallFunctionObjArgs(compose_forward, plan, call.args[1], nullptr);
  Py_DECREF(plan);
  return true;
}

void SetCompose(const pybind11::object& plan, const pybind11::object& forward) {
  compose_plan = pybind11::object(plan).release().ptr();
  compose_forward = pybind11::object(forward).release().ptr();
}

}  // namespace kwker::pyext
