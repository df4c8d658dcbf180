// Images as torchvision's functions get and give them: tensors, tv_tensors and PIL images.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace kwker::pyext {

// Tells which classes torchvision.tv_tensors.Image and .Video are.
void SetTensorClasses(const pybind11::object& image, const pybind11::object& video);

// A tensor that may be an image, and what to make of a result: the class, or null for a plain
// tensor. Borrowed.
struct TensorImage {
  const at::Tensor* tensor;
  PyObject* result_class;
};

// Whether it is exactly a torch.Tensor, tv_tensors.Image or .Video.
bool IsTensorImage(PyObject* object);

// Of exactly a torch.Tensor, tv_tensors.Image or .Video that a kernel may read: throws FallBack
// otherwise, under a torch mode, and where a gradient would be recorded.
TensorImage RequireImage(PyObject* object);

// The same for what has been computed, as a new reference.
PyObject* WrapLike(const at::Tensor& result, const TensorImage& image);

// A batch of images of [..., C, H, W]; steps in elements.
struct Geometry {
  std::int64_t images, channels, rows, width;
  std::int64_t image_step, channel_step, row_step, pixel_step;
};

// Throws FallBack where leading dimensions are not one step apart, or there is no pixel.
Geometry RequireGeometry(const at::Tensor& tensor);

// The strides of a tensor of those sizes, laid out by those strides.
Geometry GeometryOf(at::IntArrayRef sizes, at::IntArrayRef strides);

// The strides that torch gives the result of a pointwise operator on tensors of these strides,
// each broadcast to `sizes` (strides of 0 there): the dimensions in the order of the first
// operand's strides, further operands deciding what it leaves open.
std::vector<std::int64_t> PointwiseStrides(at::IntArrayRef sizes,
                                           std::initializer_list<at::IntArrayRef> operands);

// The strides of what Tensor.to makes of it: the same, or without the gaps.
std::vector<std::int64_t> CopiedStrides(const at::Tensor& tensor);

}  // namespace kwker::pyext
