// Vectors of AVX2 with FMA3. README.md beside this says what each member means.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace kwker {
namespace {

struct F32 {
  using T = float;
  using V = __m256;
  static constexpr std::int64_t kSize = 8;
  static constexpr bool kFused = true;

  static __m256i FirstN(std::int64_t n) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes);
  }
  static V Set(T x) { return _mm256_set1_ps(x); }
  static V Load(const T* p) { return _mm256_loadu_ps(p); }
  static void Store(T* p, V v) { _mm256_storeu_ps(p, v); }
  static V LoadN(const T* p, std::int64_t n) { return _mm256_maskload_ps(p, FirstN(n)); }
  static void StoreN(T* p, V v, std::int64_t n) { _mm256_maskstore_ps(p, FirstN(n), v); }
  static V Add(V a, V b) { return _mm256_add_ps(a, b); }
  static V Sub(V a, V b) { return _mm256_sub_ps(a, b); }
  static V Mul(V a, V b) { return _mm256_mul_ps(a, b); }
  static V Div(V a, V b) { return _mm256_div_ps(a, b); }
  static V Mad(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
  static V Xor(V a, V b) { return _mm256_xor_ps(a, b); }
  static V Sqrt(V a) { return _mm256_sqrt_ps(a); }
  static V NegMad(V a, V b, V c) { return _mm256_fnmadd_ps(a, b, c); }
  static V Max(V a, V b) { return _mm256_max_ps(a, b); }
  static V Rsqrt12(V a) { return _mm256_rsqrt_ps(a); }

  using M = V;
  static M In(V v, T low, T high) {
    return _mm256_and_ps(_mm256_cmp_ps(v, Set(low), _CMP_GE_OQ),
                         _mm256_cmp_ps(v, Set(high), _CMP_LE_OQ));
  }
  static M IsZero(V v) { return _mm256_cmp_ps(v, Set(0), _CMP_EQ_OQ); }
  static M IsNan(V v) { return _mm256_cmp_ps(v, v, _CMP_UNORD_Q); }
  static M Both(M a, M b) { return _mm256_and_ps(a, b); }
  static M Either(M a, M b) { return _mm256_or_ps(a, b); }
  static bool All(M m) { return _mm256_movemask_ps(m) == 0xFF; }
  static V Where(M m, V yes, V no) { return _mm256_blendv_ps(no, yes, m); }
};

struct F64 {
  using T = double;
  using V = __m256d;
  static constexpr std::int64_t kSize = 4;
  static constexpr bool kFused = true;

  static __m256i FirstN(std::int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static V Set(T x) { return _mm256_set1_pd(x); }
  static V Load(const T* p) { return _mm256_loadu_pd(p); }
  static void Store(T* p, V v) { _mm256_storeu_pd(p, v); }
  static V LoadN(const T* p, std::int64_t n) { return _mm256_maskload_pd(p, FirstN(n)); }
  static void StoreN(T* p, V v, std::int64_t n) { _mm256_maskstore_pd(p, FirstN(n), v); }
  static V Add(V a, V b) { return _mm256_add_pd(a, b); }
  static V Sub(V a, V b) { return _mm256_sub_pd(a, b); }
  static V Mul(V a, V b) { return _mm256_mul_pd(a, b); }
  static V Div(V a, V b) { return _mm256_div_pd(a, b); }
  static V Mad(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static V Xor(V a, V b) { return _mm256_xor_pd(a, b); }
  static V Sqrt(V a) { return _mm256_sqrt_pd(a); }
  static V NegMad(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }
  static V Max(V a, V b) { return _mm256_max_pd(a, b); }

  using M = V;
  static M In(V v, T low, T high) {
    return _mm256_and_pd(_mm256_cmp_pd(v, Set(low), _CMP_GE_OQ),
                         _mm256_cmp_pd(v, Set(high), _CMP_LE_OQ));
  }
  static M IsZero(V v) { return _mm256_cmp_pd(v, Set(0), _CMP_EQ_OQ); }
  static M IsNan(V v) { return _mm256_cmp_pd(v, v, _CMP_UNORD_Q); }
  static M Both(M a, M b) { return _mm256_and_pd(a, b); }
  static M Either(M a, M b) { return _mm256_or_pd(a, b); }
  static bool All(M m) { return _mm256_movemask_pd(m) == 0xF; }
  static V Where(M m, V yes, V no) { return _mm256_blendv_pd(no, yes, m); }
};

}  // namespace
}  // namespace kwker
