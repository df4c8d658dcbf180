// Vectors of pixels: bytes as floats and back, by AVX-512. Include vec_avx512.h first.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace kwker {
namespace {

struct Bytes {
  static __m512 Load(const std::uint8_t* p) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(sixteen));
  }
  static __m512 LoadN(const std::uint8_t* p, std::int64_t n) {
    std::uint8_t buffer[F32::kSize] = {};
    std::memcpy(buffer, p, static_cast<std::size_t>(n));
    return Load(buffer);
  }
  // Of whole numbers from 0 to 255.
  static void Store(std::uint8_t* p, __m512 v) {
    const __m128i bytes = _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(v));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
  }
  static void StoreN(std::uint8_t* p, __m512 v, std::int64_t n) {
    std::uint8_t buffer[F32::kSize];
    Store(buffer, v);
    std::memcpy(p, buffer, static_cast<std::size_t>(n));
  }
};

// What else pixels need of vectors of floats.
struct Lanes {
  using Mask = __mmask16;
  static __m512 Min(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
  // Both for |v| < 2^31.
  static __m512 Truncate(__m512 v) {
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }
  static __m512 Floor(__m512 v) {
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  }
  static Mask Equal(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
  static Mask Less(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  static __m512 Select(Mask mask, __m512 a, __m512 b) { return _mm512_mask_blend_ps(mask, b, a); }
  // The first and the second half in double, and back, rounded once.
  static __m512d Low(__m512 v) { return _mm512_cvtps_pd(_mm512_castps512_ps256(v)); }
  static __m512d High(__m512 v) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)); }
  static __m512 Join(__m512d low, __m512d high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high),
                              1);
  }
};

// Pixels of four bytes.
struct FourBytes {
  static void Load(const std::uint8_t* p, __m512 (&channels)[4]) {
    const __m512i pixels = _mm512_loadu_si512(p);
    const __m512i byte = _mm512_set1_epi32(0xFF);
    channels[0] = _mm512_cvtepi32_ps(_mm512_and_si512(pixels, byte));
    channels[1] = _mm512_cvtepi32_ps(_mm512_and_si512(_mm512_srli_epi32(pixels, 8), byte));
    channels[2] = _mm512_cvtepi32_ps(_mm512_and_si512(_mm512_srli_epi32(pixels, 16), byte));
    channels[3] = _mm512_cvtepi32_ps(_mm512_srli_epi32(pixels, 24));
  }
  // Of whole numbers from 0 to 255.
  static void Store(std::uint8_t* p, const __m512 (&channels)[4]) {
    const __m512i low = _mm512_or_si512(_mm512_cvttps_epi32(channels[0]),
                                        _mm512_slli_epi32(_mm512_cvttps_epi32(channels[1]), 8));
    const __m512i high = _mm512_or_si512(_mm512_slli_epi32(_mm512_cvttps_epi32(channels[2]), 16),
                                         _mm512_slli_epi32(_mm512_cvttps_epi32(channels[3]), 24));
    _mm512_storeu_si512(p, _mm512_or_si512(low, high));
  }
};

}  // namespace
}  // namespace kwker
