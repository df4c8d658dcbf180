// A Python list of tensors, as an entry gets it, made ready for a kernel.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <vector>

#include "pyext/counters.h"

namespace kwker::pyext {

// Holds what it points to: another thread may empty the list while a kernel runs.
class TensorList {
 public:
  // From an exact list whose items are exactly torch.Tensor, torch.nn.Parameter or
  // DTensor, or None where that is allowed. Not kNone: why it is not that.
  Reason Fill(PyObject* list, bool or_none = false);

  // One by one: a tensor and the Python object that holds it, or a tensor alone. As
  // many as were reserved at most.
  void Reserve(std::size_t size);
  void Append(PyObject* item, const at::Tensor& tensor);
  void Append(const at::Tensor& tensor);

  std::size_t size() const { return tensors_.size(); }

  // What a kernel works on: the tensor, or a DTensor's shard of this process.
  // Null for None.
  const at::Tensor* operator[](std::size_t i) const { return tensors_[i]; }

  // What the program sees, and whose version counts: the tensor, or the DTensor.
  const at::Tensor& Outer(std::size_t i) const { return *outers_[i]; }

  // Whether any is a DTensor.
  bool HasDTensors() const { return !specs_.empty(); }

  // Whether element-wise arithmetic of the two lists' tensors is arithmetic on
  // their shards: i for i both no DTensors, or placed alike and none of them a
  // partial sum. None (a missing momentum buffer) goes with anything but a DTensor.
  Reason CheckPlacement(const TensorList& other) const;

 private:
  Reason Add(PyObject* item, bool or_none);
  PyObject* Spec(std::size_t i) const { return specs_.empty() ? nullptr : specs_[i].ptr(); }

  std::vector<const at::Tensor*> tensors_, outers_;
  std::vector<pybind11::object> specs_;  // of DTensors, null for others; empty without any
  std::vector<pybind11::object> holders_;
  std::vector<at::Tensor> held_;
};

}  // namespace kwker::pyext
