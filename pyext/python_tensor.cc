#include "pyext/python_tensor.h"

#include <torch/csrc/autograd/python_variable.h>

namespace kwker::pyext {

bool IsExactTensorType(PyTypeObject* type) { return THPVariable_CheckTypeExact(type); }

const at::Tensor& UnpackTensor(PyObject* object) { return THPVariable_Unpack(object); }

PyObject* WrapTensor(const at::Tensor& tensor) { return THPVariable_Wrap(tensor); }

}  // namespace kwker::pyext
