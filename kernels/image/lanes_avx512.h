// Vectors of four 16-byte lanes: AVX-512 (F, BW). lanes_sse2.h says what each
// member means.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace kwker::image {
namespace {

struct Lanes {
  using V = __m512i;
  static constexpr int kCount = 4;

  static V Zero() { return _mm512_setzero_si512(); }
  static V Broadcast(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static V Load(const void* p) { return _mm512_loadu_si512(p); }
  static void Store(void* p, V v) { _mm512_storeu_si512(p, v); }
  static V Gather(const std::uint8_t* line, const std::int32_t* base) {
    // Broadcasts under a mask cost a load and no shuffle.
    V v = _mm512_castsi128_si512(LoadLane(line + base[0]));
    v = _mm512_mask_broadcast_i32x4(v, 0x00F0, LoadLane(line + base[1]));
    v = _mm512_mask_broadcast_i32x4(v, 0x0F00, LoadLane(line + base[2]));
    return _mm512_mask_broadcast_i32x4(v, 0xF000, LoadLane(line + base[3]));
  }
  static V NextMask(V mask, int advance) {
    return _mm512_add_epi8(mask, _mm512_set1_epi8(static_cast<char>(advance)));
  }
  template <int kPixelBytes, bool kNext>
  static V Spread(V bytes, V mask) {
    return _mm512_shuffle_epi8(bytes, mask);
  }
  static V MulAddPairs(V a, V b) { return _mm512_madd_epi16(a, b); }
  static V Add(V a, V b) { return _mm512_add_epi32(a, b); }
  static V And(V a, V b) { return _mm512_and_si512(a, b); }
  template <int kBits>
  static V ShiftLeft(V a) {
    return _mm512_slli_epi32(a, kBits);
  }
  template <int kBits>
  static V ShiftRight(V a) {
    return _mm512_srai_epi32(a, kBits);
  }
  static V PackSigned(V a, V b) { return _mm512_packs_epi32(a, b); }
  static V PackUnsigned(V a, V b) { return _mm512_packus_epi16(a, b); }
  static V ZipLow(V a, V b) { return _mm512_unpacklo_epi8(a, b); }
  static V ZipHigh(V a, V b) { return _mm512_unpackhi_epi8(a, b); }
  static V AddNeighbours(V a, V b) {
    const __m512 x = _mm512_castsi512_ps(a), y = _mm512_castsi512_ps(b);
    return _mm512_add_epi32(_mm512_castps_si512(_mm512_shuffle_ps(x, y, 0x88)),
                            _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0xDD)));
  }
  static void StoreRows(V v, std::uint8_t* const* out, std::int64_t at) {
    const V order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const V by_row = _mm512_permutexvar_epi32(order, v);
    StoreLane(out[0] + at, _mm512_castsi512_si128(by_row));
    StoreLane(out[1] + at, _mm512_extracti32x4_epi32(by_row, 1));
    StoreLane(out[2] + at, _mm512_extracti32x4_epi32(by_row, 2));
    StoreLane(out[3] + at, _mm512_extracti32x4_epi32(by_row, 3));
  }

 private:
  static __m128i LoadLane(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static void StoreLane(std::uint8_t* p, __m128i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
};

}  // namespace
}  // namespace kwker::image
