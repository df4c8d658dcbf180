#include "pyext/vision_image.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

#include "pyext/optim_common.h"
#include "pyext/python_tensor.h"
#include "pyext/tensor_check.h"
#include "pyext/torch_state.h"

namespace kwker::pyext {
namespace {

// Kept for ever: the references are not given back at the end of the process.
PyObject *image_class = nullptr, *video_class = nullptr, *as_subclass = nullptr;

}  // namespace

void SetTensorClasses(const pybind11::object& image, const pybind11::object& video) {
  image_class = pybind11::object(image).release().ptr();
  video_class = pybind11::object(video).release().ptr();
  as_subclass = PyUnicode_InternFromString("as_subclass");
}

bool IsTensorImage(PyObject* object) {
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return type == image_class || type == video_class || IsExactTensorType(Py_TYPE(object));
}

TensorImage RequireImage(PyObject* object) {
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  TensorImage image = {nullptr, nullptr};
  if (type == image_class || type == video_class) {
    image = {&UnpackTensor(object), type};
    Require(image.tensor->defined(), Reason::kStorage);
  } else {
    Reason reason = Reason::kSubclass;
    image.tensor = ExactTensor(object, &reason);
    Require(image.tensor != nullptr, reason);
  }
  Require(CheckModes());
  Require(CheckPlain(*image.tensor));
  Require(!image.tensor->requires_grad() || !at::GradMode::is_enabled(), Reason::kGradMode);
  return image;
}

PyObject* WrapLike(const at::Tensor& result, const TensorImage& image) {
  PyObject* plain = WrapTensor(result);
  if (image.result_class == nullptr || plain == nullptr) return plain;
  PyObject* wrapped = PyObject_CallMethodOneArg(plain, as_subclass, image.result_class);
  Py_DECREF(plain);
  return wrapped;
}

Geometry GeometryOf(at::IntArrayRef sizes, at::IntArrayRef strides) {
  const std::size_t n = sizes.size();
  Geometry g = {1, sizes[n - 3],   sizes[n - 2],   sizes[n - 1],
                0, strides[n - 3], strides[n - 2], strides[n - 1]};
  for (std::size_t i = n - 3; i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (g.images == 1) g.image_step = strides[i];
    Require(strides[i] == g.image_step * g.images, Reason::kLayout);
    g.images *= sizes[i];
  }
  return g;
}

Geometry RequireGeometry(const at::Tensor& tensor) {
  Require(tensor.dim() >= 3, Reason::kOptions);
  Require(tensor.numel() > 0, Reason::kEmpty);
  return GeometryOf(tensor.sizes(), tensor.strides());
}

std::vector<std::int64_t> PointwiseStrides(at::IntArrayRef sizes,
                                           std::initializer_list<at::IntArrayRef> operands) {
  const auto n = static_cast<int>(sizes.size());
  // Dimensions from the fastest to the slowest, sorted by insertion, as torch does: of an order
  // that is not one (strides of 0, equal ones) the result depends on the steps.
  std::vector<int> order(sizes.size());
  for (int i = 0; i < n; ++i) order[i] = n - 1 - i;
  const auto compare = [&](int a, int b) {
    for (const at::IntArrayRef strides : operands) {
      if (strides[a] == 0 || strides[b] == 0) continue;
      if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  for (int i = 1; i < n; ++i) {
    int moving = i;
    for (int other = i - 1; other >= 0; --other) {
      const int outcome = compare(order[other], order[moving]);
      if (outcome > 0) {
        std::swap(order[other], order[moving]);
        moving = other;
      } else if (outcome < 0) {
        break;
      }
    }
  }
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t next = 1;
  for (const int dimension : order) {
    strides[dimension] = next;
    next *= std::max<std::int64_t>(sizes[dimension], 1);
  }
  return strides;
}

std::vector<std::int64_t> CopiedStrides(const at::Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) return tensor.strides().vec();
  return PointwiseStrides(tensor.sizes(), {tensor.strides()});
}

}  // namespace kwker::pyext
