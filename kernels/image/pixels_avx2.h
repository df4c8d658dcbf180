// Vectors of pixels: bytes as floats and back, by AVX2. Include vec_avx2.h first.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace kwker {
namespace {

struct Bytes {
  static __m256 Load(const std::uint8_t* p) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
  }
  static __m256 LoadN(const std::uint8_t* p, std::int64_t n) {
    std::uint8_t buffer[F32::kSize] = {};
    std::memcpy(buffer, p, static_cast<std::size_t>(n));
    return Load(buffer);
  }
  // Of whole numbers from 0 to 255.
  static void Store(std::uint8_t* p, __m256 v) {
    const __m256i whole = _mm256_cvttps_epi32(v);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
  }
  static void StoreN(std::uint8_t* p, __m256 v, std::int64_t n) {
    std::uint8_t buffer[F32::kSize];
    Store(buffer, v);
    std::memcpy(p, buffer, static_cast<std::size_t>(n));
  }
};

// What else pixels need of vectors of floats.
struct Lanes {
  using Mask = __m256;
  static __m256 Min(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
  // Both for |v| < 2^31.
  static __m256 Truncate(__m256 v) {
    return _mm256_round_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }
  static __m256 Floor(__m256 v) { return _mm256_floor_ps(v); }
  static Mask Equal(__m256 a, __m256 b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
  static Mask Less(__m256 a, __m256 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
  static __m256 Select(Mask mask, __m256 a, __m256 b) { return _mm256_blendv_ps(b, a, mask); }
  // The first and the second half in double, and back, rounded once.
  static __m256d Low(__m256 v) { return _mm256_cvtps_pd(_mm256_castps256_ps128(v)); }
  static __m256d High(__m256 v) { return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)); }
  static __m256 Join(__m256d low, __m256d high) {
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
  }
};

// Pixels of four bytes.
struct FourBytes {
  static void Load(const std::uint8_t* p, __m256 (&channels)[4]) {
    const __m256i pixels = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i byte = _mm256_set1_epi32(0xFF);
    channels[0] = _mm256_cvtepi32_ps(_mm256_and_si256(pixels, byte));
    channels[1] = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srli_epi32(pixels, 8), byte));
    channels[2] = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srli_epi32(pixels, 16), byte));
    channels[3] = _mm256_cvtepi32_ps(_mm256_srli_epi32(pixels, 24));
  }
  // Of whole numbers from 0 to 255.
  static void Store(std::uint8_t* p, const __m256 (&channels)[4]) {
    const __m256i low = _mm256_or_si256(_mm256_cvttps_epi32(channels[0]),
                                        _mm256_slli_epi32(_mm256_cvttps_epi32(channels[1]), 8));
    const __m256i high = _mm256_or_si256(_mm256_slli_epi32(_mm256_cvttps_epi32(channels[2]), 16),
                                         _mm256_slli_epi32(_mm256_cvttps_epi32(channels[3]), 24));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_or_si256(low, high));
  }
};

}  // namespace
}  // namespace kwker
