// The body of adagrad.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/adagrad.h"
#include "kernels/optim/pieces-inl.h"

namespace kwker::optim {
namespace {

template <class Vec>
struct AdagradBody {
  using T = typename Vec::T;
  using V = typename Vec::V;
  static constexpr int kRoots = 1;

  template <bool kWhole>
  Inputs<Vec> Load(std::int64_t i, std::int64_t n) const {
    return gradient.template Load<kWhole>(t.param, t.grad, i, n);
  }

  template <bool kWhole>
  void First(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, V* radicand) const {
    *radicand = Vec::Mad(x.g, x.g, Get<Vec, kWhole>(t.sum + i, n));
    Put<Vec, kWhole>(t.sum + i, *radicand, n);
  }

  template <bool kWhole>
  void Second(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, const V* root) const {
    const V update = Vec::Div(Vec::Mul(clr_neg, x.g), Vec::Add(*root, eps));
    Put<Vec, kWhole>(t.param + i, Vec::Add(x.p, update), n);
  }

  const AdagradTensor<T> t;
  Gradient<Vec> gradient;
  V clr_neg, eps;
};

template <class Vec>
void AdagradRange(const AdagradTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                  const AdagradScalars<typename Vec::T>& s, bool /*in_rest*/) {
  const AdagradBody<Vec> body = {t, Gradient<Vec>(s.gradient), Vec::Set(t.clr_neg),
                                 Vec::Set(s.eps)};
  WithRoots<Vec>(body, begin, end, s.sqrt);
}

}  // namespace
}  // namespace kwker::optim
