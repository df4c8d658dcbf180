// Adadelta, for steps.h.
//
// Source: M. Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012), algorithm 1. The
// order of the roundings is that of torch 2.13's loop,
// `torch.optim.adadelta._single_tensor_adadelta`, to which the result is equal to the bit. With g
// and MAD of gradient.h, torch's sqrt (kernels/base/sqrt.h):
//
//   s  = MAD((1 - rho) * g, g, s * rho)
//   u  = sqrt(a + eps) / sqrt(s + eps) * g
//   a  = MAD((1 - rho) * u, u, a * rho)
//   p  = MAD(u, -lr, p)
#pragma once

#include <cstdint>

#include "kernels/base/sqrt.h"
#include "kernels/optim/gradient.h"

namespace kwker::optim {

template <typename T>
struct AdadeltaTensor {
  T* param;
  const T* grad;
  T* square_avg;
  T* acc_delta;
  std::int64_t numel;
};

template <typename T>
struct AdadeltaScalars {
  GradientScalars<T> gradient;
  T rho;
  T one_minus_rho;
  T eps;
  T lr_neg;
  SqrtChoice<T> sqrt;
};

}  // namespace kwker::optim
