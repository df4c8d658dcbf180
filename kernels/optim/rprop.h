// Resilient backpropagation, for steps.h.
//
// Source: M. Riedmiller, H. Braun, "A Direct Adaptive Method for Faster Backpropagation
// Learning: The RPROP Algorithm" (1993), without going back after a change of sign. The order of
// the roundings is that of torch 2.13's loop, `torch.optim.rprop._single_tensor_rprop`, to which
// the result is equal to the bit. With MAD of gradient.h, sign(NaN) = sign(-0) = 0:
//
//   g  = maximize ? -g : g
//   r  = sign(g * previous)
//   e  = e * (r > 0 ? eta_plus : r < 0 ? eta_minus : 1), then at least `least`, at most `most`
//   g  = r < 0 ? 0 : g
//   p  = MAD(-sign(g), e, p)
//   previous = g
//
// for eta_minus < 1 < eta_plus; of `least` and the step size e, if both are zeros, e is taken.
#pragma once

#include <cstdint>

namespace kwker::optim {

template <typename T>
struct RpropTensor {
  T* param;
  const T* grad;
  T* previous;
  T* step_size;
  std::int64_t numel;
};

template <typename T>
struct RpropScalars {
  bool maximize;
  T eta_minus;
  T eta_plus;
  T least;
  T most;
};

}  // namespace kwker::optim
