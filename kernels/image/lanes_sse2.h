// Vectors of one or more 16-byte lanes, as images are resized with: the baseline's.
//
// The members, here and in lanes_avx2.h and lanes_avx512.h; all but Gather and
// StoreRows work on each lane by itself:
//
//   kCount                 lanes in a vector
//   Gather(line, base)     lane i is the 16 bytes at line + base[i]
//   NextMask(mask, n)      names bytes that are n further
//   Spread<p, next>(bytes, mask)
//                          16-bit elements: each byte of the result is the byte that
//                          `mask` names, 0 for 0x80. SSE2 cannot do that, and takes
//                          what the masks are for pixels of p bytes with one output
//                          element in a lane: of the first 8 bytes, or the next
//   MulAddPairs(a, b)      32 bits: the sums of neighbouring products of 16 bits
//   PackSigned(a, b)       32 bits to 16, saturated: a's, then b's
//   PackUnsigned(a, b)     16 bits to 8, saturated: a's, then b's
//   ZipLow, ZipHigh        bytes of a and b by turns, from the lower or upper halves
//   AddNeighbours(a, b)    32 bits: a0+a1, a2+a3, b0+b1, b2+b3
//   StoreRows(v, out, at)  4-byte element r of all lanes, one after the other, to
//                          out[r] + at
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace kwker::image {
namespace {

struct Lanes {
  using V = __m128i;
  static constexpr int kCount = 1;

  static V Zero() { return _mm_setzero_si128(); }
  static V Broadcast(std::uint32_t x) { return _mm_set1_epi32(static_cast<int>(x)); }
  static V Load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static void Store(void* p, V v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
  static V Gather(const std::uint8_t* line, const std::int32_t* base) {
    return Load(line + base[0]);
  }
  static V NextMask(V mask, int) { return mask; }
  template <int kPixelBytes, bool kNext>
  static V Spread(V bytes, V) {
    const V wide = kNext ? _mm_unpackhi_epi8(bytes, Zero()) : _mm_unpacklo_epi8(bytes, Zero());
    return kPixelBytes == 1 ? wide : _mm_unpacklo_epi16(wide, _mm_unpackhi_epi64(wide, wide));
  }
  static V MulAddPairs(V a, V b) { return _mm_madd_epi16(a, b); }
  static V Add(V a, V b) { return _mm_add_epi32(a, b); }
  static V And(V a, V b) { return _mm_and_si128(a, b); }
  template <int kBits>
  static V ShiftLeft(V a) {
    return _mm_slli_epi32(a, kBits);
  }
  template <int kBits>
  static V ShiftRight(V a) {
    return _mm_srai_epi32(a, kBits);
  }
  static V PackSigned(V a, V b) { return _mm_packs_epi32(a, b); }
  static V PackUnsigned(V a, V b) { return _mm_packus_epi16(a, b); }
  static V ZipLow(V a, V b) { return _mm_unpacklo_epi8(a, b); }
  static V ZipHigh(V a, V b) { return _mm_unpackhi_epi8(a, b); }
  static V AddNeighbours(V a, V b) {
    const __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
    return _mm_add_epi32(_mm_castps_si128(_mm_shuffle_ps(x, y, 0x88)),
                         _mm_castps_si128(_mm_shuffle_ps(x, y, 0xDD)));
  }
  static void StoreRows(V v, std::uint8_t* const* out, std::int64_t at) {
    std::uint32_t rows[4];
    Store(rows, v);
    for (int r = 0; r < 4; ++r) std::memcpy(out[r] + at, &rows[r], 4);
  }
};

}  // namespace
}  // namespace kwker::image
