#include "pyext/digest.h"

#include <c10/core/GradMode.h>

#include <sstream>

#include "kernels/digest/digest.h"

namespace kwker::pyext {
namespace {

struct Elements {
  ElementKind kind;
  std::int64_t words;  // of that kind, in one element of the tensor
};

Elements ElementsOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return {ElementKind::kFloat64, 1};
    case at::kComplexDouble:
      return {ElementKind::kFloat64, 2};
    case at::kFloat:
      return {ElementKind::kFloat32, 1};
    case at::kComplexFloat:
      return {ElementKind::kFloat32, 2};
    case at::kHalf:
      return {ElementKind::kFloat16, 1};
    case at::kComplexHalf:
      return {ElementKind::kFloat16, 2};
    case at::kBFloat16:
      return {ElementKind::kBFloat16, 1};
    case at::kFloat8_e5m2:
      return {ElementKind::kFloat8E5M2, 1};
    case at::kFloat8_e4m3fn:
      return {ElementKind::kFloat8E4M3Fn, 1};
    case at::kFloat8_e5m2fnuz:
    case at::kFloat8_e4m3fnuz:
      return {ElementKind::kFloat8UnsignedZero, 1};
    case at::kFloat8_e8m0fnu:
      return {ElementKind::kFloat8E8M0, 1};
    default:
      return {ElementKind::kBits8, static_cast<std::int64_t>(c10::elementSize(dtype))};
  }
}

}  // namespace

std::pair<std::string, std::int64_t> DigestTensor(const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(
      tensor.layout() == at::kStrided && tensor.device().is_cpu() && !tensor.is_quantized(),
      "digest_tensor takes strided CPU tensors that are not quantised");
  const c10::NoGradGuard no_grad;
  const at::Tensor values = tensor.resolve_conj().resolve_neg().contiguous();

  std::ostringstream head;
  head << c10::toString(values.scalar_type()) << ' ' << values.sizes();
  Digest digest;
  digest.AddText(head.str());
  const Elements elements = ElementsOf(values.scalar_type());
  digest.AddElements(elements.kind, values.const_data_ptr(), values.numel() * elements.words);
  return {digest.Hex(), digest.nans()};
}

}  // namespace kwker::pyext
