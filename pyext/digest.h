// Digests of tensors, for the audit.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>

namespace kwker::pyext {

// The XXH3-128 of dtype, shape and elements in logical order, whatever the
// strides (32 hexadecimal digits), and the number of elements' parts that are
// NaN. For strided CPU tensors of any dtype but quantised ones; others raise.
std::pair<std::string, std::int64_t> DigestTensor(const at::Tensor& tensor);

}  // namespace kwker::pyext
