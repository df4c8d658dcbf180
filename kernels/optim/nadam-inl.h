// The body of nadam.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/moments-inl.h"
#include "kernels/optim/nadam.h"

namespace kwker::optim {
namespace {

template <class Vec>
struct NadamBody {
  using V = typename Vec::V;
  static constexpr int kRoots = 1;

  template <bool kWhole>
  Inputs<Vec> Load(std::int64_t i, std::int64_t n) const {
    return moments.template Load<kWhole>(i, n);
  }

  template <bool kWhole>
  void First(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, V* radicand) const {
    *radicand = Vec::Div(moments.template Update<kWhole>(i, n, x), bias_correction2);
  }

  template <bool kWhole>
  void Second(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, const V* root) const {
    const V d = Vec::Add(*root, eps);
    const V m = moments.template First<kWhole>(i, n);
    V p = Vec::Add(moments.Decayed(x.p), Vec::Div(Vec::Mul(grad_factor, x.g), d));
    p = Vec::Add(p, Vec::Div(Vec::Mul(exp_avg_factor, m), d));
    Put<Vec, kWhole>(param + i, p, n);
  }

  typename Vec::T* param;
  Moments<Vec> moments;
  V bias_correction2, grad_factor, exp_avg_factor, eps;
};

template <class Vec>
void NadamRange(const NadamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                const NadamScalars<typename Vec::T>& s, bool in_rest) {
  const NadamBody<Vec> body = {t.param,
                               Moments<Vec>(t, s.moments, in_rest),
                               Vec::Set(t.bias_correction2),
                               Vec::Set(t.grad_factor),
                               Vec::Set(t.exp_avg_factor),
                               Vec::Set(s.eps)};
  WithRoots<Vec>(body, begin, end, s.sqrt);
}

}  // namespace
}  // namespace kwker::optim
