// The body of average.h for one instruction set. Include a vec_*.h first.
#pragma once

#include "kernels/optim/average.h"
#include "kernels/optim/pieces-inl.h"

namespace kwker::optim {
namespace {

template <class Vec, class Rule>
void AverageBy(const AverageTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
               const Rule& rule) {
  typename Vec::T* const average = t.param;
  const typename Vec::T* const model = t.model;
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    Put<Vec, kWhole>(average + i,
                     rule(Get<Vec, kWhole>(average + i, n), Get<Vec, kWhole>(model + i, n)), n);
  });
}

template <class Vec>
void AverageRange(const AverageTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                  const AverageScalars<typename Vec::T>& s, bool in_rest) {
  using V = typename Vec::V;
  switch (s.rule) {
    case AverageRule::kRunning: {
      const V count = Vec::Set(s.count);
      return AverageBy<Vec>(t, begin, end, [count](V a, V p) {
        return Vec::Add(a, Vec::Div(Vec::Sub(p, a), count));
      });
    }
    case AverageRule::kExponential: {
      const V decay = Vec::Set(s.decay), weight = Vec::Set(s.weight);
      return AverageBy<Vec>(t, begin, end, [decay, weight](V a, V p) {
        return Vec::Add(Vec::Mul(decay, a), Vec::Mul(weight, p));
      });
    }
    case AverageRule::kLerp:
      return AverageBy<Vec>(t, begin, end, Lerp<Vec>(s.weight, in_rest));
  }
}

}  // namespace
}  // namespace kwker::optim
