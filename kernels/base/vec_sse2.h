// Vectors of the baseline instruction set: SSE2, without fused multiply-add.
// README.md beside this says what each member means.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace kwker {
namespace {

struct F32 {
  using T = float;
  using V = __m128;
  static constexpr std::int64_t kSize = 4;
  static constexpr bool kFused = false;

  static V Set(T x) { return _mm_set1_ps(x); }
  static V Load(const T* p) { return _mm_loadu_ps(p); }
  static void Store(T* p, V v) { _mm_storeu_ps(p, v); }
  static V LoadN(const T* p, std::int64_t n) {
    alignas(16) T buffer[kSize] = {};
    std::memcpy(buffer, p, static_cast<std::size_t>(n) * sizeof(T));
    return _mm_load_ps(buffer);
  }
  static void StoreN(T* p, V v, std::int64_t n) {
    alignas(16) T buffer[kSize];
    _mm_store_ps(buffer, v);
    std::memcpy(p, buffer, static_cast<std::size_t>(n) * sizeof(T));
  }
  static V Add(V a, V b) { return _mm_add_ps(a, b); }
  static V Sub(V a, V b) { return _mm_sub_ps(a, b); }
  static V Mul(V a, V b) { return _mm_mul_ps(a, b); }
  static V Div(V a, V b) { return _mm_div_ps(a, b); }
  static V Mad(V a, V b, V c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
  static V Xor(V a, V b) { return _mm_xor_ps(a, b); }
  static V Sqrt(V a) { return _mm_sqrt_ps(a); }
  static V Max(V a, V b) { return _mm_max_ps(a, b); }
  static V Rsqrt12(V a) { return _mm_rsqrt_ps(a); }

  using M = V;
  static M In(V v, T low, T high) {
    return _mm_and_ps(_mm_cmpge_ps(v, Set(low)), _mm_cmple_ps(v, Set(high)));
  }
  static M IsZero(V v) { return _mm_cmpeq_ps(v, Set(0)); }
  static M IsNan(V v) { return _mm_cmpunord_ps(v, v); }
  static M Both(M a, M b) { return _mm_and_ps(a, b); }
  static M Either(M a, M b) { return _mm_or_ps(a, b); }
  static bool All(M m) { return _mm_movemask_ps(m) == 0xF; }
  static V Where(M m, V yes, V no) { return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no)); }
};

struct F64 {
  using T = double;
  using V = __m128d;
  static constexpr std::int64_t kSize = 2;
  static constexpr bool kFused = false;

  static V Set(T x) { return _mm_set1_pd(x); }
  static V Load(const T* p) { return _mm_loadu_pd(p); }
  static void Store(T* p, V v) { _mm_storeu_pd(p, v); }
  static V LoadN(const T* p, std::int64_t n) {
    alignas(16) T buffer[kSize] = {};
    std::memcpy(buffer, p, static_cast<std::size_t>(n) * sizeof(T));
    return _mm_load_pd(buffer);
  }
  static void StoreN(T* p, V v, std::int64_t n) {
    alignas(16) T buffer[kSize];
    _mm_store_pd(buffer, v);
    std::memcpy(p, buffer, static_cast<std::size_t>(n) * sizeof(T));
  }
  static V Add(V a, V b) { return _mm_add_pd(a, b); }
  static V Sub(V a, V b) { return _mm_sub_pd(a, b); }
  static V Mul(V a, V b) { return _mm_mul_pd(a, b); }
  static V Div(V a, V b) { return _mm_div_pd(a, b); }
  static V Mad(V a, V b, V c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
  static V Xor(V a, V b) { return _mm_xor_pd(a, b); }
  static V Sqrt(V a) { return _mm_sqrt_pd(a); }
  static V Max(V a, V b) { return _mm_max_pd(a, b); }

  using M = V;
  static M In(V v, T low, T high) {
    return _mm_and_pd(_mm_cmpge_pd(v, Set(low)), _mm_cmple_pd(v, Set(high)));
  }
  static M IsZero(V v) { return _mm_cmpeq_pd(v, Set(0)); }
  static M IsNan(V v) { return _mm_cmpunord_pd(v, v); }
  static M Both(M a, M b) { return _mm_and_pd(a, b); }
  static M Either(M a, M b) { return _mm_or_pd(a, b); }
  static bool All(M m) { return _mm_movemask_pd(m) == 0x3; }
  static V Where(M m, V yes, V no) { return _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no)); }
};

}  // namespace
}  // namespace kwker
