// The body of radam.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/moments-inl.h"
#include "kernels/optim/radam.h"

namespace kwker::optim {
namespace {

template <class Vec>
struct RadamBody {
  using V = typename Vec::V;
  static constexpr int kRoots = 1;

  RadamBody(const RadamTensor<typename Vec::T>& t, const RadamScalars<typename Vec::T>& s,
            bool in_rest)
      : param(t.param),
        moments(t, s.moments, in_rest),
        bias_correction1(Vec::Set(t.bias_correction1)),
        bias_correction2_sqrt(Vec::Set(t.bias_correction2_sqrt)),
        rect(Vec::Set(t.rect)),
        eps(Vec::Set(s.eps)),
        lr(Vec::Set(s.lr)) {}

  template <bool kWhole>
  Inputs<Vec> Load(std::int64_t i, std::int64_t n) const {
    return moments.template Load<kWhole>(i, n);
  }

  template <bool kWhole>
  void First(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, V* radicand) const {
    *radicand = moments.template Update<kWhole>(i, n, x);
  }

  template <bool kWhole>
  V Update(std::int64_t i, std::int64_t n) const {
    return Vec::Mul(Vec::Div(moments.template First<kWhole>(i, n), bias_correction1), lr);
  }

  template <bool kWhole>
  void Subtract(std::int64_t i, std::int64_t n, V p, V update) const {
    Put<Vec, kWhole>(param + i, Vec::Sub(moments.Decayed(p), update), n);
  }

  template <bool kWhole>
  void Second(std::int64_t i, std::int64_t n, const Inputs<Vec>& x, const V* root) const {
    const V inverse = Vec::Div(Vec::Set(1), Vec::Add(*root, eps));
    const V update = Vec::Mul(Update<kWhole>(i, n), Vec::Mul(inverse, bias_correction2_sqrt));
    Subtract<kWhole>(i, n, x.p, Vec::Mul(update, rect));
  }

  // A step that is not rectified, without roots.
  template <bool kWhole>
  void Whole(std::int64_t i, std::int64_t n) const {
    const Inputs<Vec> x = Load<kWhole>(i, n);
    moments.template Update<kWhole>(i, n, x);
    Subtract<kWhole>(i, n, x.p, Update<kWhole>(i, n));
  }

  typename Vec::T* param;
  Moments<Vec> moments;
  V bias_correction1, bias_correction2_sqrt, rect, eps, lr;
};

template <class Vec>
void RadamRange(const RadamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                const RadamScalars<typename Vec::T>& s, bool in_rest) {
  const RadamBody<Vec> body(t, s, in_rest);
  if (t.rectified) return WithRoots<Vec>(body, begin, end, s.sqrt);
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    body.template Whole<kWhole>(i, n);
  });
}

}  // namespace
}  // namespace kwker::optim
