// The body of moments.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/moments.h"
#include "kernels/optim/pieces-inl.h"

namespace kwker::optim {
namespace {

template <class Vec>
class Moments {
 public:
  using T = typename Vec::T;
  using V = typename Vec::V;

  Moments(const MomentsTensor<T>& tensor, const MomentsScalars<T>& s, bool in_rest)
      : t_(tensor),
        gradient_(s.gradient),
        lerp_(s.one_minus_beta1, in_rest),
        square_average_(s.beta2, s.one_minus_beta2),
        decoupled_(s.decoupled),
        decay_(Vec::Set(s.decay)) {}

  template <bool kWhole>
  Inputs<Vec> Load(std::int64_t i, std::int64_t n) const {
    return gradient_.template Load<kWhole>(t_.param, t_.grad, i, n);
  }

  // Stores both; returns the second.
  template <bool kWhole>
  V Update(std::int64_t i, std::int64_t n, const Inputs<Vec>& x) const {
    Put<Vec, kWhole>(t_.exp_avg + i, lerp_(First<kWhole>(i, n), x.g), n);
    const V v = square_average_(Get<Vec, kWhole>(t_.exp_avg_sq + i, n), x.g);
    Put<Vec, kWhole>(t_.exp_avg_sq + i, v, n);
    return v;
  }

  template <bool kWhole>
  V First(std::int64_t i, std::int64_t n) const {
    return Get<Vec, kWhole>(t_.exp_avg + i, n);
  }

  V Decayed(V p) const { return decoupled_ ? Vec::Mul(p, decay_) : p; }

 private:
  const MomentsTensor<T> t_;
  Gradient<Vec> gradient_;
  Lerp<Vec> lerp_;
  SquareAverage<Vec> square_average_;
  bool decoupled_;
  V decay_;
};

}  // namespace
}  // namespace kwker::optim
