// The body of sgd.h for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/optim/sgd_isa.h"

namespace kwker::optim {
namespace {

enum class Momentum { kNone, kFirstStep, kPlain, kNesterov, kNesterovFirstStep };

template <class Vec, bool kWeightDecay, Momentum kMomentum>
void SgdRange(const SgdTensor<typename Vec::T>& tensor, std::int64_t begin, std::int64_t end,
              const SgdScalars<typename Vec::T>& s) {
  using T = typename Vec::T;
  using V = typename Vec::V;
  constexpr bool kNesterov =
      kMomentum == Momentum::kNesterov || kMomentum == Momentum::kNesterovFirstStep;
  constexpr bool kFirst =
      kMomentum == Momentum::kFirstStep || kMomentum == Momentum::kNesterovFirstStep;
  const SgdTensor<T> t = tensor;
  const V sign = Vec::Set(s.maximize ? T(-0.0) : T(0.0));
  const V weight_decay = Vec::Set(s.weight_decay);
  const V momentum = Vec::Set(s.momentum);
  const V one_minus_dampening = Vec::Set(s.one_minus_dampening);
  const V lr_neg = Vec::Set(s.lr_neg);

  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    const V p = Get<Vec, kWhole>(t.param + i, n);
    V g = Vec::Xor(Get<Vec, kWhole>(t.grad + i, n), sign);
    if constexpr (kWeightDecay) g = Vec::Mad(p, weight_decay, g);
    if constexpr (kMomentum != Momentum::kNone) {
      V b = g;
      if constexpr (!kFirst) {
        b = Vec::Mul(Get<Vec, kWhole>(t.momentum_buffer + i, n), momentum);
        b = Vec::Mad(g, one_minus_dampening, b);
      }
      Put<Vec, kWhole>(t.momentum_buffer + i, b, n);
      g = kNesterov ? Vec::Mad(b, momentum, g) : b;
    }
    Put<Vec, kWhole>(t.param + i, Vec::Mad(g, lr_neg, p), n);
  });
}

template <class Vec, bool kWeightDecay>
void SgdWithDecay(const SgdTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                  const SgdScalars<typename Vec::T>& s) {
  if (t.momentum_buffer == nullptr) {
    return SgdRange<Vec, kWeightDecay, Momentum::kNone>(t, begin, end, s);
  }
  if (s.nesterov) {
    return t.first_step
               ? SgdRange<Vec, kWeightDecay, Momentum::kNesterovFirstStep>(t, begin, end, s)
               : SgdRange<Vec, kWeightDecay, Momentum::kNesterov>(t, begin, end, s);
  }
  return t.first_step ? SgdRange<Vec, kWeightDecay, Momentum::kFirstStep>(t, begin, end, s)
                      : SgdRange<Vec, kWeightDecay, Momentum::kPlain>(t, begin, end, s);
}

template <class Vec>
void SgdAnyKind(const SgdTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                const SgdScalars<typename Vec::T>& s) {
  return s.has_weight_decay ? SgdWithDecay<Vec, true>(t, begin, end, s)
                            : SgdWithDecay<Vec, false>(t, begin, end, s);
}

}  // namespace
}  // namespace kwker::optim
