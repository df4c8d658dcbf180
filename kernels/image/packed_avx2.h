// Three bytes a pixel, taken apart and put together, by the byte shuffle (SSSE3).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace kwker {
namespace {

struct Packed {
  // Sixteen pixels are three vectors. [channel][vector]: which bytes of that vector go where in
  // the channel's sixteen, and back.
  struct Shuffles {
    alignas(16) std::uint8_t split[3][3][16];
    alignas(16) std::uint8_t join[3][3][16];
  };
  static constexpr Shuffles MakeShuffles() {
    Shuffles s = {};
    for (int channel = 0; channel < 3; ++channel) {
      for (int vector = 0; vector < 3; ++vector) {
        for (int i = 0; i < 16; ++i) {
          s.split[channel][vector][i] = s.join[channel][vector][i] = 0x80;  // gives a zero
        }
      }
    }
    for (int at = 0; at < 48; ++at) {
      const int channel = at % 3, pixel = at / 3, vector = at / 16;
      s.split[channel][vector][pixel] = static_cast<std::uint8_t>(at % 16);
      s.join[channel][vector][at % 16] = static_cast<std::uint8_t>(pixel);
    }
    return s;
  }

  static void Split(const std::uint8_t* from, int n, std::uint8_t* r, std::uint8_t* g,
                    std::uint8_t* b) {
    static constexpr Shuffles kShuffles = MakeShuffles();
    std::uint8_t* const to[3] = {r, g, b};
    int i = 0;
    for (; i + 16 <= n; i += 16) {
      const __m128i v[3] = {Load(from + 3 * i), Load(from + 3 * i + 16), Load(from + 3 * i + 32)};
      for (int channel = 0; channel < 3; ++channel) {
        Store(to[channel] + i, Gather(v, kShuffles.split[channel]));
      }
    }
    for (; i < n; ++i) {
      for (int channel = 0; channel < 3; ++channel) to[channel][i] = from[3 * i + channel];
    }
  }
  static void Join(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, int n,
                   std::uint8_t* to) {
    static constexpr Shuffles kShuffles = MakeShuffles();
    const std::uint8_t* const from[3] = {r, g, b};
    int i = 0;
    for (; i + 16 <= n; i += 16) {
      const __m128i v[3] = {Load(r + i), Load(g + i), Load(b + i)};
      for (int vector = 0; vector < 3; ++vector) {
        __m128i joined = _mm_setzero_si128();
        for (int channel = 0; channel < 3; ++channel) {
          joined = _mm_or_si128(
              joined, _mm_shuffle_epi8(v[channel], Load(kShuffles.join[channel][vector])));
        }
        Store(to + 3 * i + 16 * vector, joined);
      }
    }
    for (; i < n; ++i) {
      for (int channel = 0; channel < 3; ++channel) to[3 * i + channel] = from[channel][i];
    }
  }

 private:
  static __m128i Load(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static void Store(std::uint8_t* p, __m128i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  static __m128i Gather(const __m128i (&v)[3], const std::uint8_t (&shuffles)[3][16]) {
    const __m128i first = _mm_or_si128(_mm_shuffle_epi8(v[0], Load(shuffles[0])),
                                       _mm_shuffle_epi8(v[1], Load(shuffles[1])));
    return _mm_or_si128(first, _mm_shuffle_epi8(v[2], Load(shuffles[2])));
  }
};

}  // namespace
}  // namespace kwker
