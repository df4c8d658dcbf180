// NAdam, for steps.h.
//
// Source: T. Dozat, "Incorporating Nesterov Momentum into Adam" (2016), algorithm 8. The order
// of the roundings is that of torch 2.13's loop, `torch.optim.nadam._single_tensor_nadam`, to
// which the result is equal to the bit. With p, g, m, v of moments.h and torch's sqrt:
//
//   d  = sqrt(v / bias_correction2) + eps
//   p  = p + (grad_factor * g) / d
//   p  = p + (exp_avg_factor * m) / d
//
//   bias_correction2 = 1 - beta2^step
//   mu               = beta1 * (1 - 0.5 * 0.96^(step * momentum_decay)), mu' that of step + 1
//   grad_factor      = -lr * (1 - mu) / (1 - product of all mu)
//   exp_avg_factor   = -lr * mu' / (1 - product of all mu * mu')
#pragma once

#include "kernels/base/sqrt.h"
#include "kernels/optim/moments.h"

namespace kwker::optim {

template <typename T>
struct NadamTensor : MomentsTensor<T> {
  T bias_correction2;
  T grad_factor;
  T exp_avg_factor;
};

template <typename T>
struct NadamScalars {
  MomentsScalars<T> moments;
  T eps;
  SqrtChoice<T> sqrt;
  int torch_threads;  // see steps.h
};

}  // namespace kwker::optim
