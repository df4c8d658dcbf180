// torch's tensors as Python objects. Apart from the rest, as the headers of torch
// that know them take most of a minute to compile.
#pragma once

#include <ATen/core/Tensor.h>
#include <Python.h>

namespace kwker::pyext {

// Whether an object of this type is exactly a torch.Tensor or torch.nn.Parameter.
bool IsExactTensorType(PyTypeObject* type);

// The tensor behind a torch.Tensor or an object of a subclass; lives as long as it.
const at::Tensor& UnpackTensor(PyObject* object);

// A new reference to the tensor's object, which is made if there is none.
PyObject* WrapTensor(const at::Tensor& tensor);

}  // namespace kwker::pyext
