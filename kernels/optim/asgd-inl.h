// The body of asgd.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/asgd.h"
#include "kernels/optim/pieces-inl.h"

namespace kwker::optim {
namespace {

template <class Vec>
void AsgdRange(const AsgdTensor<typename Vec::T>& tensor, std::int64_t begin, std::int64_t end,
               const AsgdScalars<typename Vec::T>& s, bool /*in_rest*/) {
  using V = typename Vec::V;
  const AsgdTensor<typename Vec::T> t = tensor;
  const Gradient<Vec> gradient(s.gradient);
  const V decay = Vec::Set(t.decay), eta_neg = Vec::Set(t.eta_neg), mu = Vec::Set(t.mu);
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    const Inputs<Vec> x = gradient.template Load<kWhole>(t.param, t.grad, i, n);
    const V p = Vec::Mad(x.g, eta_neg, Vec::Mul(x.p, decay));
    Put<Vec, kWhole>(t.param + i, p, n);
    V a = p;
    if (t.averaging) {
      a = Get<Vec, kWhole>(t.average + i, n);
      a = Vec::Add(a, Vec::Mul(Vec::Sub(p, a), mu));
    }
    Put<Vec, kWhole>(t.average + i, a, n);
  });
}

}  // namespace
}  // namespace kwker::optim
