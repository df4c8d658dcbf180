// One step of Adam or AdamW over any number of tensors, in a single pass.
//
// Source: D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization" (2014),
// algorithm 1; I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization"
// (2017), algorithm 2. The order of the roundings is that of torch 2.13's loop,
// `torch.optim.adam._single_tensor_adam`, to which the result is equal to the
// bit. With T = float or double, round() to T after every operation, and
// MAD(a, b, c) = a*b+c rounded once (AVX2, AVX-512) or twice (default):
//
//   g  = maximize ? -g : g
//   p  = p * decay                      decay = 1 - lr*weight_decay; decoupled
//   g  = MAD(p, weight_decay, g)        coupled (L2), with the old p
//   d  = g - m
//   m  = |w| < 0.5 ? MAD(w, d, m) : MAD(w - 1, d, g)       w = 1 - beta1
//   v  = v * beta2
//   v  = MAD((1 - beta2) * g, g, v)
//   x  = amsgrad ? maximum(x, v) : v                a NaN if one of them is
//   p  = p + (-step_size * m) / (sqrt(x) / bias_correction2_sqrt + eps)
//
// where sqrt is torch's (see kernels/base/sqrt.h), step_size = lr / (1 - beta1^step)
// and bias_correction2_sqrt = sqrt(1 - beta2^step) are made in double by the caller.
//
// Two signs of zero depend on where an element lies in torch's loops (see
// kernels/base/loop_ends.h), in the vectors or in the rest:
//  - with w == 1 (beta1 == 0), m = MAD(z, d, g), with z = +0 in the vectors, -0 in the
//    rest;
//  - maximum(+0, -0) is v in the vectors, the old x in the rest.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"
#include "kernels/base/sqrt.h"

namespace kwker::optim {

enum class WeightDecay { kNone, kCoupled, kDecoupled };

// The arrays of one parameter: `numel` elements each, contiguous, no two of
// them overlapping; `grad` alone may be shared between parameters.
template <typename T>
struct AdamTensor {
  T* param;
  const T* grad;
  T* exp_avg;
  T* exp_avg_sq;
  std::int64_t numel;
  T step_size_neg;              // -lr / (1 - beta1^step)
  T bias_correction2_sqrt;      // sqrt(1 - beta2^step)
  T* max_exp_avg_sq = nullptr;  // x of AMSGrad; null without
};

// What all parameters of a group share. Each is the double of the formula,
// rounded once to T.
template <typename T>
struct AdamScalars {
  WeightDecay weight_decay_kind;
  T decay;         // 1 - lr*weight_decay, with kDecoupled
  T weight_decay;  // with kCoupled
  T one_minus_beta1;
  T beta2;
  T one_minus_beta2;
  T eps;
  bool maximize;
  int torch_threads = 1;  // among which torch's loops would split a tensor here
};

template <typename T>
void Adam(std::span<const AdamTensor<T>> tensors, const AdamScalars<T>& scalars,
          const SqrtChoice<T>& sqrt, Isa isa, const ParallelFor& parallel_for);

}  // namespace kwker::optim
