// The body of rprop.h for one instruction set. Include a vec_*.h first.
#pragma once

#include <limits>

#include "kernels/optim/pieces-inl.h"
#include "kernels/optim/rprop.h"

namespace kwker::optim {
namespace {

template <class Vec>
void RpropRange(const RpropTensor<typename Vec::T>& tensor, std::int64_t begin, std::int64_t end,
                const RpropScalars<typename Vec::T>& s, bool /*in_rest*/) {
  using T = typename Vec::T;
  using V = typename Vec::V;
  constexpr T kLeast = std::numeric_limits<T>::denorm_min();
  constexpr T kMost = std::numeric_limits<T>::infinity();
  const RpropTensor<T> t = tensor;
  const V zero = Vec::Set(0), one = Vec::Set(1), minus_zero = Vec::Set(T(-0.0));
  const V sign = Vec::Set(s.maximize ? T(-0.0) : T(0.0));
  const V eta_minus = Vec::Set(s.eta_minus), eta_plus = Vec::Set(s.eta_plus);
  const V least = Vec::Set(s.least), most_neg = Vec::Set(-s.most);
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    V g = Vec::Xor(Get<Vec, kWhole>(t.grad + i, n), sign);
    const V agreement = Vec::Mul(g, Get<Vec, kWhole>(t.previous + i, n));
    const auto opposite = Vec::In(agreement, -kMost, -kLeast);
    const V factor = Vec::Where(opposite, eta_minus,
                                Vec::Where(Vec::In(agreement, kLeast, kMost), eta_plus, one));
    V e = Vec::Max(least, Vec::Mul(Get<Vec, kWhole>(t.step_size + i, n), factor));
    // The smaller of two is minus the larger of both negated.
    e = Vec::Xor(Vec::Max(most_neg, Vec::Xor(e, minus_zero)), minus_zero);
    g = Vec::Where(opposite, zero, g);
    const V direction = Vec::Where(Vec::In(g, kLeast, kMost), Vec::Set(-1),
                                   Vec::Where(Vec::In(g, -kMost, -kLeast), one, minus_zero));
    Put<Vec, kWhole>(t.step_size + i, e, n);
    Put<Vec, kWhole>(t.previous + i, g, n);
    Put<Vec, kWhole>(t.param + i, Vec::Mad(direction, e, Get<Vec, kWhole>(t.param + i, n)), n);
  });
}

}  // namespace
}  // namespace kwker::optim
