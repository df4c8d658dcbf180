// RMSprop, for steps.h.
//
// Source: G. Hinton, "Neural Networks for Machine Learning", lecture 6e (2012); centered:
// A. Graves, "Generating Sequences With Recurrent Neural Networks" (2013), equations 38 to
// 45. The order of the roundings is that of torch 2.13's loop,
// `torch.optim.rmsprop._single_tensor_rmsprop`, to which the result is equal to the bit.
// With g and MAD of gradient.h, lerp of pieces-inl.h, torch's sqrt (kernels/base/sqrt.h):
//
//   s  = MAD((1 - alpha) * g, g, s * alpha)
//   a  = lerp(a, g, 1 - alpha)                              if centered
//   d  = sqrt(centered ? MAD(-a, a, s) : s) + eps
//   b  = b * momentum + g / d                               if momentum > 0
//   p  = momentum > 0 ? MAD(b, -lr, p) : p + (-lr * g) / d
#pragma once

#include <cstdint>

#include "kernels/base/sqrt.h"
#include "kernels/optim/gradient.h"

namespace kwker::optim {

template <typename T>
struct RmspropTensor {
  T* param;
  const T* grad;
  T* square_avg;
  T* grad_avg;         // null unless centered
  T* momentum_buffer;  // null without momentum
  std::int64_t numel;
};

template <typename T>
struct RmspropScalars {
  GradientScalars<T> gradient;
  T alpha;
  T one_minus_alpha;
  T eps;
  T momentum;
  T lr_neg;
  SqrtChoice<T> sqrt;
  int torch_threads;  // see steps.h
};

}  // namespace kwker::optim
