// Averaged SGD, for steps.h.
//
// Source: B. Polyak, A. Juditsky, "Acceleration of Stochastic Approximation by Averaging"
// (1992). The order of the roundings is that of torch 2.13's loop,
// `torch.optim.asgd._single_tensor_asgd`, to which the result is equal to the bit. With g and MAD
// of gradient.h:
//
//   p  = MAD(g, -eta, p * decay)                   decay = 1 - lambd * eta; g has the old p
//   a  = averaging ? a + (p - a) * mu : p          averaging = mu != 1
//
// where eta and mu are the parameter's own, as they were before this step.
#pragma once

#include <cstdint>

#include "kernels/optim/gradient.h"

namespace kwker::optim {

template <typename T>
struct AsgdTensor {
  T* param;
  const T* grad;
  T* average;
  std::int64_t numel;
  T decay;
  T eta_neg;
  bool averaging;
  T mu;
};

template <typename T>
struct AsgdScalars {
  GradientScalars<T> gradient;
};

}  // namespace kwker::optim
