// Three bytes a pixel, taken apart and put together: plain, as SSE2 has no byte shuffle.
#pragma once

#include <cstdint>

namespace kwker {
namespace {

struct Packed {
  static void Split(const std::uint8_t* from, int n, std::uint8_t* r, std::uint8_t* g,
                    std::uint8_t* b) {
    for (int i = 0; i < n; ++i) {
      r[i] = from[3 * i];
      g[i] = from[3 * i + 1];
      b[i] = from[3 * i + 2];
    }
  }
  static void Join(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b, int n,
                   std::uint8_t* to) {
    for (int i = 0; i < n; ++i) {
      to[3 * i] = r[i];
      to[3 * i + 1] = g[i];
      to[3 * i + 2] = b[i];
    }
  }
};

}  // namespace
}  // namespace kwker
