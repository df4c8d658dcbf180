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
  static bool AllIn(V v, T low, T high) {
    const __mmask16 in = _mm512_cmp_ps_mask(v, Set(low), _CMP_GE_OQ);
    return _mm512_mask_cmp_ps_mask(in, v, Set(high), _CMP_LE_OQ) == 0xFFFF;
  }
  static bool AllInOrZero(V v, T low, T high) {
    const __mmask16 above = _mm512_cmp_ps_mask(v, Set(low), _CMP_GE_OQ);
    const __mmask16 in = _mm512_mask_cmp_ps_mask(above, v, Set(high), _CMP_LE_OQ);
    return (in | _mm512_cmp_ps_mask(v, Set(0), _CMP_EQ_OQ)) == 0xFFFF;
  }
  static V Max(V a, V b) { return _mm512_max_ps(a, b); }
  static V WhereZero(V test, V zero, V other) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(test, Set(0), _CMP_EQ_OQ), other, zero);
  }

  // Only here: an estimate of 1/sqrt(a), to 14 bits, and fused c - a*b.
  static V RsqrtEstimate(V a) { return _mm512_rsqrt14_ps(a); }
  static V NegMad(V a, V b, V c) { return _mm512_fnmadd_ps(a, b, c); }
};

struct F64 {
  using T = double;
  using V = __m512d;
  static constexpr std::int64_t kSize = 8;

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
  static bool AllIn(V v, T low, T high) {
    const __mmask8 in = _mm512_cmp_pd_mask(v, Set(low), _CMP_GE_OQ);
    return _mm512_mask_cmp_pd_mask(in, v, Set(high), _CMP_LE_OQ) == 0xFF;
  }
  static bool AllInOrZero(V v, T low, T high) {
    const __mmask8 above = _mm512_cmp_pd_mask(v, Set(low), _CMP_GE_OQ);
    const __mmask8 in = _mm512_mask_cmp_pd_mask(above, v, Set(high), _CMP_LE_OQ);
    return (in | _mm512_cmp_pd_mask(v, Set(0), _CMP_EQ_OQ)) == 0xFF;
  }
  static V Max(V a, V b) { return _mm512_max_pd(a, b); }
  static V WhereZero(V test, V zero, V other) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(test, Set(0), _CMP_EQ_OQ), other, zero);
  }

  static V RsqrtEstimate(V a) { return _mm512_rsqrt14_pd(a); }
  static V NegMad(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
};

}  // namespace
}  // namespace kwker
