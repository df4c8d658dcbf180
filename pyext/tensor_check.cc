#include "pyext/tensor_check.h"

#include <algorithm>
#include <array>

#include "pyext/python_tensor.h"

namespace kwker::pyext {
namespace {

// All that a plain CPU tensor has. Anything else (Python, Conjugate, Negative,
// functorch's, Sparse, Quantized ...) means that an operator is not just
// arithmetic on its memory. (Compared as bits: the difference of two key sets
// keeps the backend.)
constexpr c10::DispatchKeySet kPlainKeys =
    c10::DispatchKeySet({c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU,
                         c10::DispatchKey::ADInplaceOrView, c10::DispatchKey::AutocastCPU});

Reason WhyNotPlain(const at::Tensor& tensor) {
  if (tensor.is_sparse() || tensor.is_sparse_csr()) return Reason::kSparse;
  if (!tensor.device().is_cpu()) return Reason::kDevice;
  if (tensor.is_inference()) return Reason::kInferenceMode;
  if (tensor.key_set().has(c10::DispatchKey::Python)) return Reason::kSubclass;
  return Reason::kLayout;
}

}  // namespace

const at::Tensor* ExactTensor(PyObject* object, Reason* reason) {
  if (!IsExactTensorType(Py_TYPE(object))) {
    *reason = Reason::kSubclass;
    return nullptr;
  }
  const at::Tensor& tensor = UnpackTensor(object);
  if (!tensor.defined()) {
    *reason = Reason::kStorage;
    return nullptr;
  }
  return &tensor;
}

Reason CheckPlain(const at::Tensor& tensor) {
  const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if ((impl->key_set().raw_repr() & ~kPlainKeys.raw_repr()) != 0) {
    return WhyNotPlain(tensor);
  }
  if (tensor.is_inference()) return Reason::kInferenceMode;
  if (tensor._fw_grad(/*level=*/0).defined()) return Reason::kForwardAd;
  if (tensor.numel() == 0) return Reason::kNone;
  // A storage may have been resized away under its tensor.
  std::int64_t last = tensor.storage_offset();
  for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  const auto bytes = static_cast<std::size_t>(last + 1) * tensor.element_size();
  if (tensor.storage().nbytes() < bytes || tensor.const_data_ptr() == nullptr) {
    return Reason::kStorage;
  }
  return Reason::kNone;
}

Reason CheckDense(const at::Tensor& tensor) {
  if (const Reason reason = CheckPlain(tensor); reason != Reason::kNone) return reason;
  const at::ScalarType dtype = tensor.scalar_type();
  if (dtype != at::kFloat && dtype != at::kDouble) {
    return at::isComplexType(dtype) ? Reason::kComplex : Reason::kDtype;
  }
  return tensor.is_non_overlapping_and_dense() ? Reason::kNone : Reason::kLayout;
}

Reason CheckSameLayout(const at::Tensor& tensor, const at::Tensor& other) {
  if (tensor.scalar_type() != other.scalar_type()) return Reason::kMixedDtypes;
  const at::IntArrayRef sizes = tensor.sizes();
  if (sizes != other.sizes()) return Reason::kLayout;
  if (tensor.is_contiguous() && other.is_contiguous()) return Reason::kNone;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1 && tensor.strides()[i] != other.strides()[i]) return Reason::kLayout;
  }
  return Reason::kNone;
}

Reason CheckScalarTensor(const at::Tensor& tensor) {
  if (tensor.dim() != 0) return Reason::kStep;
  const Reason reason = CheckDense(tensor);
  return reason == Reason::kNone || reason == Reason::kInferenceMode ? reason : Reason::kStep;
}

namespace {

// The writes of one call, sorted, if they do not overlap.
struct Sorted {
  std::vector<AliasCheck::Interval> as_given, sorted;
  bool disjoint = true;  // as nothing is

  void Fill(const std::vector<AliasCheck::Interval>& writes) {
    as_given = writes;
    sorted = writes;
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    disjoint = true;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].begin < sorted[i - 1].end) disjoint = false;
    }
  }
};

// The parameters and states of a group are the same memory at each step, only the
// gradients are new: what was sorted is kept, for some groups a thread.
Sorted& SortedOf(const std::vector<AliasCheck::Interval>& writes) {
  constexpr std::size_t kKept = 8;
  thread_local std::array<Sorted, kKept> kept;
  const std::size_t key = writes.empty() ? 0 : writes.front().begin / 64 + writes.size();
  Sorted& found = kept[key * 0x9E3779B97F4A7C15 >> 61];
  if (found.as_given != writes) found.Fill(writes);
  return found;
}

}  // namespace

bool AliasCheck::Overlaps() {
  const Sorted& writes = SortedOf(writes_);
  if (!writes.disjoint) return true;
  const std::vector<Interval>& sorted = writes.sorted;
  return std::any_of(reads_.begin(), reads_.end(), [&](const Interval& read) {
    // The first write that ends behind the read's start; both ends are in order.
    const auto at = std::upper_bound(
        sorted.begin(), sorted.end(), read.begin,
        [](std::uintptr_t start, const Interval& write) { return start < write.end; });
    return at != sorted.end() && at->begin < read.end;
  });
}

}  // namespace kwker::pyext
