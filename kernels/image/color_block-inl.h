// Pixels in and out of a block's planes of floats. Include a vec_*.h, its pixels_*.h and its
// packed_*.h first.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/image/color_isa.h"

namespace kwker::image {
namespace {

using internal::kBlock;

// The floats of a block, channel by channel; the fourth is PIL's spare byte.
struct Planes {
  alignas(64) float of[4][kBlock];
  int channels;
  int n;       // pixels
  int padded;  // n rounded up to whole vectors; what is behind n may be anything
};

inline void LoadPlane(const std::uint8_t* from, float* plane, int n) {
  int i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) F32::Store(plane + i, Bytes::Load(from + i));
  if (i < n) F32::Store(plane + i, Bytes::LoadN(from + i, n - i));
}

inline void StorePlane(const float* plane, std::uint8_t* to, int n) {
  int i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) Bytes::Store(to + i, F32::Load(plane + i));
  if (i < n) Bytes::StoreN(to + i, F32::Load(plane + i), n - i);
}

inline void LoadFourBytes(const std::uint8_t* from, Planes& planes, int n) {
  F32::V channels[4];
  const auto keep = [&](int i) {
    for (int c = 0; c < 4; ++c) F32::Store(planes.of[c] + i, channels[c]);
  };
  int i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) {
    FourBytes::Load(from + 4 * i, channels);
    keep(i);
  }
  if (i == n) return;
  std::uint8_t rest[4 * F32::kSize] = {};
  std::memcpy(rest, from + 4 * i, static_cast<std::size_t>(4 * (n - i)));
  FourBytes::Load(rest, channels);
  keep(i);
}

inline void StoreFourBytes(const Planes& planes, std::uint8_t* to, int n) {
  F32::V channels[4];
  const auto fetch = [&](int i) {
    for (int c = 0; c < 4; ++c) channels[c] = F32::Load(planes.of[c] + i);
  };
  int i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) {
    fetch(i);
    FourBytes::Store(to + 4 * i, channels);
  }
  if (i == n) return;
  std::uint8_t rest[4 * F32::kSize];
  fetch(i);
  FourBytes::Store(rest, channels);
  std::memcpy(to + 4 * i, rest, static_cast<std::size_t>(4 * (n - i)));
}

inline void LoadBlock(const internal::ColorBlock& block, Planes& planes) {
  constexpr int kSize = static_cast<int>(F32::kSize);
  planes.channels = block.in_pixel == 4 ? 4 : 3;
  planes.n = block.n;
  planes.padded = (block.n + kSize - 1) / kSize * kSize;
  if (block.in_pixel == 1) {
    for (int c = 0; c < 3; ++c) {
      LoadPlane(block.in + c * block.in_channel, planes.of[c], block.n);
    }
    return;
  }
  if (planes.channels == 4) return LoadFourBytes(block.in, planes, block.n);
  std::uint8_t bytes[3][kBlock];
  if (block.in_pixel == 3 && block.in_channel == 1) {
    Packed::Split(block.in, block.n, bytes[0], bytes[1], bytes[2]);
  } else {
    for (int c = 0; c < 3; ++c) {
      const std::uint8_t* from = block.in + c * block.in_channel;
      for (int i = 0; i < block.n; ++i) bytes[c][i] = from[i * block.in_pixel];
    }
  }
  for (int c = 0; c < 3; ++c) LoadPlane(bytes[c], planes.of[c], block.n);
}

inline void StoreBlock(const Planes& planes, const internal::ColorBlock& block) {
  if (block.out_pixel == 1) {
    for (int c = 0; c < 3; ++c) {
      StorePlane(planes.of[c], block.out + c * block.out_channel, block.n);
    }
    return;
  }
  if (block.out_pixel == 4) return StoreFourBytes(planes, block.out, block.n);
  std::uint8_t bytes[3][kBlock];
  for (int c = 0; c < 3; ++c) StorePlane(planes.of[c], bytes[c], block.n);
  if (block.out_pixel == 3 && block.out_channel == 1) {
    Packed::Join(bytes[0], bytes[1], bytes[2], block.n, block.out);
    return;
  }
  for (int c = 0; c < 3; ++c) {
    std::uint8_t* to = block.out + c * block.out_channel;
    for (int i = 0; i < block.n; ++i) to[i * block.out_pixel] = bytes[c][i];
  }
}

}  // namespace
}  // namespace kwker::image
