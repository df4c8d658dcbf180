// The body of adadelta.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/adadelta.h"
#include "kernels/optim/pieces-inl.h"

namespace kwker::optim {
namespace {

template <class Vec>
struct AdadeltaBody {
  using T = typename Vec::T;
  using V = typename Vec::V;
  static constexpr int kRoots = 2;

  template <bool kWhole>
  Inputs<Vec> Load(std::int64_t i, std::int64_t n) const {
    return gradient.template Load<kWhole>(t.param, t.grad, i, n);
  }

  template <bool kWhole>
  void First(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, V* radicands) const {
    const V s = average(Get<Vec, kWhole>(t.square_avg + i, n), x.g);
    Put<Vec, kWhole>(t.square_avg + i, s, n);
    radicands[0] = Vec::Add(s, eps);
    radicands[1] = Vec::Add(Get<Vec, kWhole>(t.acc_delta + i, n), eps);
  }

  template <bool kWhole>
  void Second(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, const V* roots) const {
    const V u = Vec::Mul(Vec::Div(roots[1], roots[0]), x.g);
    const V a = average(Get<Vec, kWhole>(t.acc_delta + i, n), u);
    Put<Vec, kWhole>(t.acc_delta + i, a, n);
    Put<Vec, kWhole>(t.param + i, Vec::Mad(u, lr_neg, x.p), n);
  }

  const AdadeltaTensor<T> t;
  Gradient<Vec> gradient;
  SquareAverage<Vec> average;
  V eps, lr_neg;
};

template <class Vec>
void AdadeltaRange(const AdadeltaTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                   const AdadeltaScalars<typename Vec::T>& s, bool /*in_rest*/) {
  const AdadeltaBody<Vec> body = {t, Gradient<Vec>(s.gradient),
                                  SquareAverage<Vec>(s.rho, s.one_minus_rho), Vec::Set(s.eps),
                                  Vec::Set(s.lr_neg)};
  WithRoots<Vec>(body, begin, end, s.sqrt);
}

}  // namespace
}  // namespace kwker::optim
