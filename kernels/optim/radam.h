// RAdam, for steps.h.
//
// Source: L. Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond" (2019),
// algorithm 2. The order of the roundings is that of torch 2.13's loop,
// `torch.optim.radam._single_tensor_radam`, to which the result is equal to the bit. With p, m,
// v of moments.h and torch's sqrt:
//
//   u  = (m / bias_correction1) * lr
//   u  = (u * (1 / (sqrt(v) + eps) * bias_correction2_sqrt)) * rect        if rectified
//   p  = p - u
//
//   bias_correction1     = 1 - beta1^step, bias_correction2 = 1 - beta2^step
//   bias_correction2_sqrt = sqrt(bias_correction2)
//   rho_inf              = 2 / (1 - beta2) - 1
//   rho                  = rho_inf - 2 * step * beta2^step / bias_correction2
//   rectified            = rho > 5
//   rect                 = sqrt((rho - 4) * (rho - 2) * rho_inf /
//                               ((rho_inf - 4) * (rho_inf - 2) * rho))
#pragma once

#include "kernels/base/sqrt.h"
#include "kernels/optim/moments.h"

namespace kwker::optim {

template <typename T>
struct RadamTensor : MomentsTensor<T> {
  T bias_correction1;
  bool rectified;
  T bias_correction2_sqrt;
  T rect;
};

template <typename T>
struct RadamScalars {
  MomentsScalars<T> moments;
  T eps;
  T lr;
  SqrtChoice<T> sqrt;
  int torch_threads;  // see steps.h
};

}  // namespace kwker::optim
