// Adamax, for steps.h.
//
// Source: D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization" (2014), algorithm 2. The
// order of the roundings is that of torch 2.13's loop, `torch.optim.adamax._single_tensor_adamax`,
// to which the result is equal to the bit. With g and MAD of gradient.h, lerp of pieces-inl.h:
//
//   m  = lerp(m, g, 1 - beta1)
//   u  = max(u * beta2, |g| + eps)                 a NaN if one of them is
//   p  = p + (-clr * m) / u                        clr = lr / (1 - beta1^step)
//
// Of two zeros the maximum is the second in the vector code of torch's loop, and the first in the
// rest of it (kernels/base/loop_ends.h): they differ where u was -0.
//
// Not covered: eps = -0.
#pragma once

#include <cstdint>

#include "kernels/optim/gradient.h"

namespace kwker::optim {

template <typename T>
struct AdamaxTensor {
  T* param;
  const T* grad;
  T* exp_avg;
  T* exp_inf;
  std::int64_t numel;
  T clr_neg;
};

template <typename T>
struct AdamaxScalars {
  GradientScalars<T> gradient;
  T one_minus_beta1;
  T beta2;
  T eps;
  int torch_threads;  // see steps.h
};

}  // namespace kwker::optim
