// Vectors of pixels: bytes as floats and back, by SSE2. Include vec_sse2.h first.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace kwker {
namespace {

struct Bytes {
  static __m128 Load(const std::uint8_t* p) {
    int four;
    std::memcpy(&four, p, sizeof four);
    const __m128i zero = _mm_setzero_si128();
    const __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero);
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero));
  }
  static __m128 LoadN(const std::uint8_t* p, std::int64_t n) {
    std::uint8_t buffer[F32::kSize] = {};
    std::memcpy(buffer, p, static_cast<std::size_t>(n));
    return Load(buffer);
  }
  // Of whole numbers from 0 to 255.
  static void Store(std::uint8_t* p, __m128 v) {
    const __m128i whole = _mm_cvttps_epi32(v);
    const __m128i words = _mm_packs_epi32(whole, whole);
    const int four = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    std::memcpy(p, &four, sizeof four);
  }
  static void StoreN(std::uint8_t* p, __m128 v, std::int64_t n) {
    std::uint8_t buffer[F32::kSize];
    Store(buffer, v);
    std::memcpy(p, buffer, static_cast<std::size_t>(n));
  }
};

// What else pixels need of vectors of floats.
struct Lanes {
  using Mask = __m128;
  static __m128 Min(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
  // Both for |v| < 2^31.
  static __m128 Truncate(__m128 v) { return _mm_cvtepi32_ps(_mm_cvttps_epi32(v)); }
  static __m128 Floor(__m128 v) {
    const __m128 whole = Truncate(v);
    return _mm_sub_ps(whole, _mm_and_ps(_mm_cmplt_ps(v, whole), _mm_set1_ps(1)));
  }
  static Mask Equal(__m128 a, __m128 b) { return _mm_cmpeq_ps(a, b); }
  static Mask Less(__m128 a, __m128 b) { return _mm_cmplt_ps(a, b); }
  static __m128 Select(Mask mask, __m128 a, __m128 b) {
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
  }
  // The first and the second half in double, and back, rounded once.
  static __m128d Low(__m128 v) { return _mm_cvtps_pd(v); }
  static __m128d High(__m128 v) { return _mm_cvtps_pd(_mm_movehl_ps(v, v)); }
  static __m128 Join(__m128d low, __m128d high) {
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
  }
};

// Pixels of four bytes.
struct FourBytes {
  static void Load(const std::uint8_t* p, __m128 (&channels)[4]) {
    const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i byte = _mm_set1_epi32(0xFF);
    channels[0] = _mm_cvtepi32_ps(_mm_and_si128(pixels, byte));
    channels[1] = _mm_cvtepi32_ps(_mm_and_si128(_mm_srli_epi32(pixels, 8), byte));
    channels[2] = _mm_cvtepi32_ps(_mm_and_si128(_mm_srli_epi32(pixels, 16), byte));
    channels[3] = _mm_cvtepi32_ps(_mm_srli_epi32(pixels, 24));
  }
  // Of whole numbers from 0 to 255.
  static void Store(std::uint8_t* p, const __m128 (&channels)[4]) {
    const __m128i low = _mm_or_si128(_mm_cvttps_epi32(channels[0]),
                                     _mm_slli_epi32(_mm_cvttps_epi32(channels[1]), 8));
    const __m128i high = _mm_or_si128(_mm_slli_epi32(_mm_cvttps_epi32(channels[2]), 16),
                                      _mm_slli_epi32(_mm_cvttps_epi32(channels[3]), 24));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_or_si128(low, high));
  }
};

}  // namespace
}  // namespace kwker
