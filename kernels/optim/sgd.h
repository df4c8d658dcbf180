// One step of SGD over any number of tensors, in a single pass.
//
// Source: I. Sutskever et al., "On the importance of initialization and momentum
// in deep learning" (2013), in the form torch documents for torch.optim.SGD. The
// order of the roundings is that of torch 2.13's loop,
// `torch.optim.sgd._single_tensor_sgd`, to which the result is equal to the bit.
// With T = float or double, round() to T after every operation, and
// MAD(a, b, c) = a*b+c rounded once (AVX2, AVX-512) or twice (default):
//
//   g  = maximize ? -g : g
//   g  = MAD(p, weight_decay, g)                     if weight_decay != 0
//   b  = first step ? g : MAD(g, 1 - dampening, b * momentum)   if momentum != 0
//   g  = nesterov ? MAD(b, momentum, g) : b                     if momentum != 0
//   p  = MAD(g, -lr, p)
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::optim {

// The arrays of one parameter: `numel` elements each, contiguous, no two of
// them overlapping; `grad` alone may be shared between parameters.
template <typename T>
struct SgdTensor {
  T* param;
  const T* grad;
  T* momentum_buffer;  // null without momentum
  std::int64_t numel;
  bool first_step;  // the buffer is written, not read
};

// What all parameters of a group share. Each is the double of the formula,
// rounded once to T.
template <typename T>
struct SgdScalars {
  T lr_neg;
  T weight_decay;
  T momentum;
  T one_minus_dampening;
  bool has_weight_decay;
  bool nesterov;
  bool maximize;
};

template <typename T>
void Sgd(std::span<const SgdTensor<T>> tensors, const SgdScalars<T>& scalars, Isa isa,
         const ParallelFor& parallel_for);

}  // namespace kwker::optim
