// Vectors of AVX-512 (F, BW, DQ, VL). README.md beside this says what each member means.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace kwker {
namespace {

struct F32 {
  using T = float;
  using V = __m512;
  static constexpr std::int64_t kSize = 16;
  static constexpr bool kFused = true;

  static __mmask16 FirstN(std::int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
  static V Set(T x) { return _mm512_set1_ps(x); }
  static V Load(const T* p) { return _mm512_loadu_ps(p); }
  static void Store(T* p, V v) { _mm512_storeu_ps(p, v); }
  static V LoadN(const T* p, std::int64_t n) { return _mm512_maskz_loadu_ps(FirstN(n), p); }
  static void StoreN(T* p, V v, std::int64_t n) { _mm512_mask_storeu_ps(p, FirstN(n), v); }
  static V Add(V a, V b) { return _mm512_add_ps(a, b); }
  static V Sub(V a, V b) { return _mm512_sub_ps(a, b); }
  static V Mul(V a, V b) { return _mm512_mul_ps(a, b); }
  static V Div(V a, V b) { return _mm512_div_ps(a, b); }
  static V Mad(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
  static V Xor(V a, V b) { return _mm512_xor_ps(a, b); }
  static V Sqrt(V a) { return _mm512_sqrt_ps(a); }
  static V NegMad(V a, V b, V c) { return _mm512_fnmadd_ps(a, b, c); }
  static V Max(V a, V b) { return _mm512_max_ps(a, b); }
  static V Rsqrt14(V a) { return _mm512_rsqrt14_ps(a); }
  // The 12-bit estimate has no form of 512 bits.
  static V Rsqrt12(V a) {
    const __m256 low = _mm256_rsqrt_ps(_mm512_castps512_ps256(a));
    const __m256 high = _mm256_rsqrt_ps(_mm512_extractf32x8_ps(a, 1));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
  }

  using M = __mmask16;
  static M In(V v, T low, T high) {
    const M above = _mm512_cmp_ps_mask(v, Set(low), _CMP_GE_OQ);
    return _mm512_mask_cmp_ps_mask(above, v, Set(high), _CMP_LE_OQ);
  }
  static M IsZero(V v) { return _mm512_cmp_ps_mask(v, Set(0), _CMP_EQ_OQ); }
  static M IsNan(V v) { return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q); }
  static M Both(M a, M b) { return a & b; }
  static M Either(M a, M b) { return a | b; }
  static bool All(M m) { return m == 0xFFFF; }
  static V Where(M m, V yes, V no) { return _mm512_mask_blend_ps(m, no, yes); }
};

struct F64 {
  using T = double;
  using V = __m512d;
  static constexpr std::int64_t kSize = 8;
  static constexpr bool kFused = true;

  static __mmask8 FirstN(std::int64_t n) { return static_cast<__mmask8>((1u << n) - 1); }
  static V Set(T x) { return _mm512_set1_pd(x); }
  static V Load(const T* p) { return _mm512_loadu_pd(p); }
  static void Store(T* p, V v) { _mm512_storeu_pd(p, v); }
  static V LoadN(const T* p, std::int64_t n) { return _mm512_maskz_loadu_pd(FirstN(n), p); }
  static void StoreN(T* p, V v, std::int64_t n) { _mm512_mask_storeu_pd(p, FirstN(n), v); }
  static V Add(V a, V b) { return _mm512_add_pd(a, b); }
  static V Sub(V a, V b) { return _mm512_sub_pd(a, b); }
  static V Mul(V a, V b) { return _mm512_mul_pd(a, b); }
  static V Div(V a, V b) { return _mm512_div_pd(a, b); }
  static V Mad(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static V Xor(V a, V b) { return _mm512_xor_pd(a, b); }
  static V Sqrt(V a) { return _mm512_sqrt_pd(a); }
  static V NegMad(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
  static V Max(V a, V b) { return _mm512_max_pd(a, b); }
  static V Rsqrt14(V a) { return _mm512_rsqrt14_pd(a); }

  using M = __mmask8;
  static M In(V v, T low, T high) {
    const M above = _mm512_cmp_pd_mask(v, Set(low), _CMP_GE_OQ);
    return _mm512_mask_cmp_pd_mask(above, v, Set(high), _CMP_LE_OQ);
  }
  static M IsZero(V v) { return _mm512_cmp_pd_mask(v, Set(0), _CMP_EQ_OQ); }
  static M IsNan(V v) { return _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q); }
  static M Both(M a, M b) { return a & b; }
  static M Either(M a, M b) { return a | b; }
  static bool All(M m) { return m == 0xFF; }
  static V Where(M m, V yes, V no) { return _mm512_mask_blend_pd(m, no, yes); }
};

}  // namespace
}  // namespace kwker
