// Averages of a model's parameters over training, for steps.h.
//
// Source: P. Izmailov et al., "Averaging Weights Leads to Wider Optima and Better
// Generalization" (2018), for equal weights; B. Polyak, A. Juditsky, "Acceleration of
// Stochastic Approximation by Averaging" (1992), for exponential ones. The order of the
// roundings is that of the functions of torch.optim.swa_utils in torch 2.13, to which the
// results are equal to the bit. With a the average, p the model's parameter:
//
//   kRunning      a = a + (p - a) / count                 get_swa_avg_fn, the default
//   kExponential  a = decay * a + weight * p              get_ema_avg_fn
//   kLerp         a = |weight| < 1/2 ? MAD(weight, p - a, a)
//                                    : MAD(weight - 1, p - a, p)
//                                                         get_ema_multi_avg_fn,
//                                                         get_swa_multi_avg_fn
//
// round() to T after every operation, MAD as in gradient.h.
#pragma once

#include <cstdint>

namespace kwker::optim {

template <typename T>
struct AverageTensor {
  T* param;  // the average
  const T* model;
  std::int64_t numel;
};

enum class AverageRule { kRunning, kExponential, kLerp };

template <typename T>
struct AverageScalars {
  AverageRule rule;
  T count;
  T decay;
  T weight;
  int torch_threads;
};

}  // namespace kwker::optim
