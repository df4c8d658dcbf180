// What a gradient goes through before one of the steps (steps.h) looks at it:
//
//   g  = maximize ? -g : g
//   g  = MAD(p, weight_decay, g)                     if has_weight_decay
//
// round() to T after every operation, MAD(a, b, c) = a*b+c rounded once (AVX2,
// AVX-512) or twice (default).
#pragma once

namespace kwker::optim {

template <typename T>
struct GradientScalars {
  bool maximize;
  bool has_weight_decay;  // added to the gradient, not decoupled
  T weight_decay;
};

}  // namespace kwker::optim
