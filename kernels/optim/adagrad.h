// Adagrad, for steps.h.
//
// Source: J. Duchi, E. Hazan, Y. Singer, "Adaptive Subgradient Methods for Online Learning
// and Stochastic Optimization" (2011), with diagonal matrices. The order of the roundings is
// that of torch 2.13's loop, `torch.optim.adagrad._single_tensor_adagrad`, to which the result
// is equal to the bit. With g and MAD of gradient.h, torch's sqrt (kernels/base/sqrt.h):
//
//   s  = MAD(g, g, s)
//   p  = p + (-clr * g) / (sqrt(s) + eps)          clr = lr / (1 + (step - 1) * lr_decay)
#pragma once

#include <cstdint>

#include "kernels/base/sqrt.h"
#include "kernels/optim/gradient.h"

namespace kwker::optim {

template <typename T>
struct AdagradTensor {
  T* param;
  const T* grad;
  T* sum;
  std::int64_t numel;
  T clr_neg;
};

template <typename T>
struct AdagradScalars {
  GradientScalars<T> gradient;
  T eps;
  SqrtChoice<T> sqrt;
};

}  // namespace kwker::optim
