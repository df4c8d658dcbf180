// The body of rmsprop.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/pieces-inl.h"
#include "kernels/optim/rmsprop.h"

namespace kwker::optim {
namespace {

template <class Vec>
struct RmspropBody {
  using T = typename Vec::T;
  using V = typename Vec::V;
  static constexpr int kRoots = 1;

  RmspropBody(const RmspropTensor<T>& tensor, const RmspropScalars<T>& s, bool in_rest)
      : t(tensor),
        gradient(s.gradient),
        square_average(s.alpha, s.one_minus_alpha),
        lerp(s.one_minus_alpha, in_rest),
        eps(Vec::Set(s.eps)),
        momentum(Vec::Set(s.momentum)),
        lr_neg(Vec::Set(s.lr_neg)) {}

  template <bool kWhole>
  Inputs<Vec> Load(std::int64_t i, std::int64_t n) const {
    return gradient.template Load<kWhole>(t.param, t.grad, i, n);
  }

  template <bool kWhole>
  void First(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, V* radicand) const {
    const V s = square_average(Get<Vec, kWhole>(t.square_avg + i, n), x.g);
    Put<Vec, kWhole>(t.square_avg + i, s, n);
    *radicand = s;
    if (t.grad_avg == nullptr) return;
    const V a = lerp(Get<Vec, kWhole>(t.grad_avg + i, n), x.g);
    Put<Vec, kWhole>(t.grad_avg + i, a, n);
    *radicand = Vec::Mad(Vec::Xor(a, Vec::Set(T(-0.0))), a, s);
  }

  template <bool kWhole>
  void Second(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, const V* root) const {
    const V d = Vec::Add(*root, eps);
    V p;
    if (t.momentum_buffer == nullptr) {
      p = Vec::Add(x.p, Vec::Div(Vec::Mul(lr_neg, x.g), d));
    } else {
      V b = Vec::Mul(Get<Vec, kWhole>(t.momentum_buffer + i, n), momentum);
      b = Vec::Add(b, Vec::Div(x.g, d));
      Put<Vec, kWhole>(t.momentum_buffer + i, b, n);
      p = Vec::Mad(b, lr_neg, x.p);
    }
    Put<Vec, kWhole>(t.param + i, p, n);
  }

  const RmspropTensor<T> t;
  Gradient<Vec> gradient;
  SquareAverage<Vec> square_average;
  Lerp<Vec> lerp;
  V eps, momentum, lr_neg;
};

template <class Vec>
void RmspropRange(const RmspropTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                  const RmspropScalars<typename Vec::T>& s, bool in_rest) {
  WithRoots<Vec>(RmspropBody<Vec>(t, s, in_rest), begin, end, s.sqrt);
}

}  // namespace
}  // namespace kwker::optim
