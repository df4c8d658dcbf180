// The body of sqrt.h's forms for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/sqrt.h"

namespace kwker {
namespace {

#ifdef __AVX512F__
inline F32::V EstimatedSqrt(F32, F32::V x) {
  const F32::V r = F32::RsqrtEstimate(x);
  const F32::V s = F32::Mul(x, r);
  const F32::V h = F32::Mul(F32::Set(0.5f), r);
  return F32::Mad(F32::NegMad(s, s, x), h, s);
}
inline F64::V EstimatedSqrt(F64, F64::V x) {
  const F64::V half = F64::Set(0.5);
  const F64::V r = F64::RsqrtEstimate(x);
  F64::V s = F64::Mul(x, r);
  F64::V h = F64::Mul(half, r);
  const F64::V e = F64::NegMad(s, h, half);
  s = F64::Mad(s, e, s);
  h = F64::Mad(h, e, h);
  return F64::Mad(F64::NegMad(s, s, x), h, s);
}
#endif

// sqrt(x), all of x in [kSqrtLow, kSqrtHigh].
template <class Vec, SqrtForm kForm>
inline typename Vec::V SqrtInRange(typename Vec::V x) {
#ifdef __AVX512F__
  if constexpr (kForm == SqrtForm::kEstimate) return EstimatedSqrt(Vec(), x);
#endif
  return Vec::Sqrt(x);
}

// sqrt(x) for any x. Zeros are common (a parameter that never had a gradient),
// the rest of the uncommon values are left to the library.
template <class Vec, SqrtForm kForm>
inline typename Vec::V SqrtVector(typename Vec::V x, LibrarySqrt<typename Vec::T> library) {
  using T = typename Vec::T;
  constexpr T kLow = kSqrtLow<T>, kHigh = kSqrtHigh<T>;
  if (__builtin_expect(Vec::AllIn(x, kLow, kHigh), true)) return SqrtInRange<Vec, kForm>(x);
  if (Vec::AllInOrZero(x, kLow, kHigh)) {
    const typename Vec::V s = SqrtInRange<Vec, kForm>(Vec::Max(x, Vec::Set(kLow)));
    return Vec::WhereZero(x, x, s);
  }
  alignas(64) T buffer[Vec::kSize];
  Vec::Store(buffer, x);
  library(Vec::kSize, buffer, buffer);
  return Vec::Load(buffer);
}

template <class Vec, SqrtForm kForm>
void SqrtRange(std::int64_t n, const typename Vec::T* x, typename Vec::T* y,
               LibrarySqrt<typename Vec::T> library) {
  std::int64_t i = 0;
  for (; i + Vec::kSize <= n; i += Vec::kSize) {
    Vec::Store(y + i, SqrtVector<Vec, kForm>(Vec::Load(x + i), library));
  }
  if (i < n) {
    Vec::StoreN(y + i, SqrtVector<Vec, kForm>(Vec::LoadN(x + i, n - i), library), n - i);
  }
}

}  // namespace
}  // namespace kwker
