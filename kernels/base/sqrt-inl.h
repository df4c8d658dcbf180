// The body of sqrt.h's forms for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/base/sqrt.h"

namespace kwker {
namespace {

template <class Vec, SqrtForm kForm>
constexpr bool HasSqrtForm() {
  using V = typename Vec::V;
  if (kForm == SqrtForm::kRsqrt14) return requires(V v) { Vec::Rsqrt14(v); };
  if (kForm == SqrtForm::kRsqrt12) return requires(V v) { Vec::Rsqrt12(v); };
  return true;
}

template <class Vec>
inline typename Vec::V Rsqrt14Sqrt(typename Vec::V x) {
  using V = typename Vec::V;
  const V half = Vec::Set(0.5);
  const V r = Vec::Rsqrt14(x);
  V s = Vec::Mul(x, r);
  V h = Vec::Mul(half, r);
  if constexpr (sizeof(typename Vec::T) == 8) {
    const V e = Vec::NegMad(s, h, half);
    s = Vec::Mad(s, e, s);
    h = Vec::Mad(h, e, h);
  }
  return Vec::Mad(Vec::NegMad(s, s, x), h, s);
}

// No operation is fused, whatever the instruction set.
template <class Vec>
inline typename Vec::V Rsqrt12Sqrt(typename Vec::V x) {
  using V = typename Vec::V;
  const V half = Vec::Set(0.5);
  const V r = Vec::Rsqrt12(x);
  V s = Vec::Mul(x, r);
  V h = Vec::Mul(half, r);
  const V e = Vec::Sub(half, Vec::Mul(s, h));
  s = Vec::Add(s, Vec::Mul(s, e));
  h = Vec::Add(h, Vec::Mul(h, e));
  return Vec::Add(s, Vec::Mul(Vec::Sub(x, Vec::Mul(s, s)), h));
}

// sqrt(x), all of x in [kSqrtLow, kSqrtHigh].
template <class Vec, SqrtForm kForm>
inline typename Vec::V SqrtInRange(typename Vec::V x) {
  static_assert(HasSqrtForm<Vec, kForm>() && kForm != SqrtForm::kLibrary);
  if constexpr (kForm == SqrtForm::kRsqrt14) return Rsqrt14Sqrt<Vec>(x);
  if constexpr (kForm == SqrtForm::kRsqrt12) return Rsqrt12Sqrt<Vec>(x);
  if constexpr (kForm == SqrtForm::kIeee) return Vec::Sqrt(x);
}

// Which elements of x SqrtInRange() covers.
template <class Vec>
inline typename Vec::M SqrtCovers(typename Vec::V x) {
  using T = typename Vec::T;
  return Vec::In(x, kSqrtLow<T>, kSqrtHigh<T>);
}

// sqrt(x) for any x. Zeros are common (a parameter that never had a gradient),
// the rest of the uncommon values are left to the library.
template <class Vec, SqrtForm kForm>
inline typename Vec::V SqrtVector(typename Vec::V x, LibrarySqrt<typename Vec::T> library) {
  using T = typename Vec::T;
  const typename Vec::M covered = SqrtCovers<Vec>(x);
  if (__builtin_expect(Vec::All(covered), true)) return SqrtInRange<Vec, kForm>(x);
  const typename Vec::M zero = Vec::IsZero(x);
  if (Vec::All(Vec::Either(covered, zero))) {
    return Vec::Where(zero, x, SqrtInRange<Vec, kForm>(Vec::Max(x, Vec::Set(kSqrtLow<T>))));
  }
  alignas(64) T buffer[Vec::kSize];
  Vec::Store(buffer, x);
  library(Vec::kSize, buffer, buffer);
  return Vec::Load(buffer);
}

// Calls run<form>(), or with kLibrary where Vec has not that form.
template <class Vec, class Run>
inline void WithSqrtForm(SqrtForm form, const Run& run) {
  const auto run_if = [&]<SqrtForm kForm>() {
    if constexpr (HasSqrtForm<Vec, kForm>()) {
      run.template operator()<kForm>();
    } else {
      run.template operator()<SqrtForm::kLibrary>();
    }
  };
  switch (form) {
    case SqrtForm::kLibrary:
      return run_if.template operator()<SqrtForm::kLibrary>();
    case SqrtForm::kIeee:
      return run_if.template operator()<SqrtForm::kIeee>();
    case SqrtForm::kRsqrt14:
      return run_if.template operator()<SqrtForm::kRsqrt14>();
    case SqrtForm::kRsqrt12:
      return run_if.template operator()<SqrtForm::kRsqrt12>();
  }
}

template <class Vec>
void SqrtRange(const SqrtChoice<typename Vec::T>& choice, std::int64_t n, const typename Vec::T* x,
               typename Vec::T* y) {
  WithSqrtForm<Vec>(choice.form, [&]<SqrtForm kForm>() {
    if constexpr (kForm == SqrtForm::kLibrary) {
      choice.library(n, x, y);
    } else {
      ForVectors<Vec>(0, n, [&]<bool kWhole>(std::int64_t i, std::int64_t count) {
        const typename Vec::V v = Get<Vec, kWhole>(x + i, count);
        Put<Vec, kWhole>(y + i, SqrtVector<Vec, kForm>(v, choice.library), count);
      });
    }
  });
}

}  // namespace
}  // namespace kwker
