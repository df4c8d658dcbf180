// The body of adamax.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/adamax.h"
#include "kernels/optim/pieces-inl.h"

namespace kwker::optim {
namespace {

template <class Vec>
void AdamaxRange(const AdamaxTensor<typename Vec::T>& tensor, std::int64_t begin, std::int64_t end,
                 const AdamaxScalars<typename Vec::T>& s, bool in_rest) {
  using T = typename Vec::T;
  using V = typename Vec::V;
  const AdamaxTensor<T> t = tensor;
  const Gradient<Vec> gradient(s.gradient);
  const Lerp<Vec> lerp(s.one_minus_beta1, in_rest);
  const V beta2 = Vec::Set(s.beta2), eps = Vec::Set(s.eps), clr_neg = Vec::Set(t.clr_neg);
  const V sign = Vec::Set(T(-0.0));
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    const Inputs<Vec> x = gradient.template Load<kWhole>(t.param, t.grad, i, n);
    const V m = lerp(Get<Vec, kWhole>(t.exp_avg + i, n), x.g);
    Put<Vec, kWhole>(t.exp_avg + i, m, n);
    const V old = Vec::Mul(Get<Vec, kWhole>(t.exp_inf + i, n), beta2);
    // The sign of a zero is lost in the sum.
    const V now = Vec::Add(Vec::Max(x.g, Vec::Xor(x.g, sign)), eps);
    // The processor's maximum is its second operand for zeros and NaN.
    const V larger = in_rest ? Vec::Max(now, old) : Vec::Max(old, now);
    const V u = Vec::Where(Vec::IsNan(now), now, Vec::Where(Vec::IsNan(old), old, larger));
    Put<Vec, kWhole>(t.exp_inf + i, u, n);
    Put<Vec, kWhole>(t.param + i, Vec::Add(x.p, Vec::Div(Vec::Mul(clr_neg, m), u)), n);
  });
}

}  // namespace
}  // namespace kwker::optim
