// Vectors of two 16-byte lanes: AVX2. lanes_sse2.h says what each member means.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace kwker::image {
namespace {

struct Lanes {
  using V = __m256i;
  static constexpr int kCount = 2;

  static V Zero() { return _mm256_setzero_si256(); }
  static V Broadcast(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  static V Load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static void Store(void* p, V v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static V Gather(const std::uint8_t* line, const std::int32_t* base) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line + base[0]));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line + base[1]));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
  }
  static V NextMask(V mask, int advance) {
    return _mm256_add_epi8(mask, _mm256_set1_epi8(static_cast<char>(advance)));
  }
  template <int kPixelBytes, bool kNext>
  static V Spread(V bytes, V mask) {
    return _mm256_shuffle_epi8(bytes, mask);
  }
  static V MulAddPairs(V a, V b) { return _mm256_madd_epi16(a, b); }
  static V Add(V a, V b) { return _mm256_add_epi32(a, b); }
  static V And(V a, V b) { return _mm256_and_si256(a, b); }
  template <int kBits>
  static V ShiftLeft(V a) {
    return _mm256_slli_epi32(a, kBits);
  }
  template <int kBits>
  static V ShiftRight(V a) {
    return _mm256_srai_epi32(a, kBits);
  }
  static V PackSigned(V a, V b) { return _mm256_packs_epi32(a, b); }
  static V PackUnsigned(V a, V b) { return _mm256_packus_epi16(a, b); }
  static V ZipLow(V a, V b) { return _mm256_unpacklo_epi8(a, b); }
  static V ZipHigh(V a, V b) { return _mm256_unpackhi_epi8(a, b); }
  static V AddNeighbours(V a, V b) { return _mm256_hadd_epi32(a, b); }
  static void StoreRows(V v, std::uint8_t* const* out, std::int64_t at) {
    const V by_row = _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    StorePair(out[0] + at, out[1] + at, _mm256_castsi256_si128(by_row));
    StorePair(out[2] + at, out[3] + at, _mm256_extracti128_si256(by_row, 1));
  }

 private:
  static void StorePair(std::uint8_t* first, std::uint8_t* second, __m128i v) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(first), v);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(second), _mm_unpackhi_epi64(v, v));
  }
};

}  // namespace
}  // namespace kwker::image
