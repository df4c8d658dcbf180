// Whether tensors are what a kernel can take.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <vector>

#include "pyext/counters.h"

namespace kwker::pyext {

// The tensor behind an item of a list, if it is exactly a torch.Tensor or
// torch.nn.Parameter; else null, and *reason says why. Borrowed from the item.
const at::Tensor* ExactTensor(PyObject* object, Reason* reason);

// Whether it is a strided CPU tensor with nothing special about it: no lazy conjugation,
// tangents or missing memory, not an inference tensor.
Reason CheckPlain(const at::Tensor& tensor);

// Whether a kernel may walk it as numel() elements from its data pointer on: a
// plain tensor of float32 or float64, without gaps or overlaps.
Reason CheckDense(const at::Tensor& tensor);

// Whether the elements of `other`, which passed CheckDense, lie in memory in the
// same order as those of `tensor`: same dtype, sizes and strides.
Reason CheckSameLayout(const at::Tensor& tensor, const at::Tensor& other);

// A CPU tensor of one float32 or float64 element, as optimizers count steps in.
Reason CheckScalarTensor(const at::Tensor& tensor);

// Finds memory that one call would write and use twice.
class AliasCheck {
 public:
  struct Interval {
    std::uintptr_t begin, end;
    bool operator==(const Interval&) const = default;
  };

  void Write(const void* start, std::int64_t bytes) { Add(writes_, start, bytes); }
  void Read(const void* start, std::int64_t bytes) { Add(reads_, start, bytes); }

  // True if something written overlaps anything else. Reads may overlap.
  bool Overlaps();

 private:
  static void Add(std::vector<Interval>& list, const void* start, std::int64_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    if (bytes > 0) list.push_back({begin, begin + static_cast<std::uintptr_t>(bytes)});
  }

  std::vector<Interval> writes_, reads_;
};

}  // namespace kwker::pyext
