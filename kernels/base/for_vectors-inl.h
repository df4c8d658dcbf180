// Walking an array in vectors, with a shorter one at the end. Include a vec_*.h
// first.
#pragma once

#include <cstdint>

namespace kwker {
namespace {

// Calls step<true>(i, kSize) for the whole vectors of [begin, end), then, where
// there is a rest, step<false>(i, n) with n < kSize.
template <class Vec, class Step>
inline void ForVectors(std::int64_t begin, std::int64_t end, const Step& step) {
  std::int64_t i = begin;
  for (; i + Vec::kSize <= end; i += Vec::kSize) step.template operator()<true>(i, Vec::kSize);
  if (i < end) step.template operator()<false>(i, end - i);
}

template <class Vec, bool kWhole>
inline typename Vec::V Get(const typename Vec::T* from, std::int64_t n) {
  if constexpr (kWhole) {
    return Vec::Load(from);
  } else {
    return Vec::LoadN(from, n);
  }
}

template <class Vec, bool kWhole>
inline void Put(typename Vec::T* to, typename Vec::V v, std::int64_t n) {
  if constexpr (kWhole) {
    Vec::Store(to, v);
  } else {
    Vec::StoreN(to, v, n);
  }
}

}  // namespace
}  // namespace kwker
