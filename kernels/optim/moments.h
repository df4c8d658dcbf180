// What NAdam and RAdam have in common, with g and MAD of gradient.h and lerp of
// pieces-inl.h:
//
//   m  = lerp(m, g, 1 - beta1)
//   v  = MAD((1 - beta2) * g, g, v * beta2)
//   p  = p * decay            if decoupled: decay = 1 - lr*weight_decay; g has the old p
#pragma once

#include <cstdint>

#include "kernels/optim/gradient.h"

namespace kwker::optim {

template <typename T>
struct MomentsTensor {
  T* param;
  const T* grad;
  T* exp_avg;
  T* exp_avg_sq;
  std::int64_t numel;
};

template <typename T>
struct MomentsScalars {
  GradientScalars<T> gradient;
  bool decoupled;
  T decay;
  T one_minus_beta1;
  T beta2;
  T one_minus_beta2;
};

}  // namespace kwker::optim
