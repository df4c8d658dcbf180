// The body of float_color.h for one instruction set. Include a vec_*.h and its pixels_*.h first.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/image/color_hue-inl.h"
#include "kernels/image/float_color_isa.h"

namespace kwker::image {
namespace {

using internal::FloatBlock;
using internal::kFloatBlock;

// Whether all are finite and without a sign.
inline bool AreUsual(const float* values, int n) {
  constexpr std::uint32_t kInfinity = 0x7F800000;
  std::uint32_t unusual = 0;
  for (int i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    unusual |= static_cast<std::uint32_t>(bits >= kInfinity);
  }
  return unusual == 0;
}

// f(r, g, b), by reference, of a block's pixels; before that look(values, n) at its channels.
template <typename Look, typename Function>
void EachFloatPixel(const FloatBlock& block, const Look& look, const Function& f) {
  using V = F32::V;
  alignas(64) float split[3][kFloatBlock], joined[3][kFloatBlock];
  const float* from[3];
  float* to[3];
  const bool splits = block.in_pixel != 1, joins = block.out_pixel != 1;
  for (int c = 0; c < 3; ++c) {
    const float* channel = block.in + c * block.in_channel;
    from[c] = splits ? split[c] : channel;
    to[c] = joins ? joined[c] : block.out + c * block.out_channel;
    if (splits) {
      for (int i = 0; i < block.n; ++i) split[c][i] = channel[i * block.in_pixel];
    }
    look(from[c], block.n);
  }
  int i = 0;
  for (; i + F32::kSize <= block.n; i += F32::kSize) {
    V r = F32::Load(from[0] + i), g = F32::Load(from[1] + i), b = F32::Load(from[2] + i);
    f(r, g, b);
    F32::Store(to[0] + i, r);
    F32::Store(to[1] + i, g);
    F32::Store(to[2] + i, b);
  }
  if (const int left = block.n - i; left > 0) {
    V r = F32::LoadN(from[0] + i, left), g = F32::LoadN(from[1] + i, left),
      b = F32::LoadN(from[2] + i, left);
    f(r, g, b);
    F32::StoreN(to[0] + i, r, left);
    F32::StoreN(to[1] + i, g, left);
    F32::StoreN(to[2] + i, b, left);
  }
  if (!joins) return;
  for (int c = 0; c < 3; ++c) {
    float* channel = block.out + c * block.out_channel;
    for (int k = 0; k < block.n; ++k) channel[k * block.out_pixel] = joined[c][k];
  }
}

inline bool HueBlock(const FloatBlock& block) {
  const F32::V shift = F32::Set(block.factor);
  bool usual = true;
  EachFloatPixel(
      block, [&](const float* values, int n) { usual = usual && AreUsual(values, n); },
      [&](F32::V& r, F32::V& g, F32::V& b) { ShiftHue(shift, r, g, b); });
  return usual;
}

inline F32::V ClampedFloat(F32::V v) {
  // The second operand is what remains of a NaN, and of two zeros.
  return Lanes::Min(F32::Set(1), F32::Max(F32::Set(0), v));
}

inline void SaturationBlock(const FloatBlock& block) {
  using V = F32::V;
  const V factor = F32::Set(block.factor), rest = F32::Set(block.rest);
  EachFloatPixel(
      block, [](const float*, int) {},
      [&](V& r, V& g, V& b) {
        const V rg = F32::Mad(g, F32::Set(0.587f), F32::Mul(r, F32::Set(0.2989f)));
        const V gray = F32::Mad(b, F32::Set(0.114f), rg);
        r = ClampedFloat(F32::Mad(gray, rest, F32::Mul(r, factor)));
        g = ClampedFloat(F32::Mad(gray, rest, F32::Mul(g, factor)));
        b = ClampedFloat(F32::Mad(gray, rest, F32::Mul(b, factor)));
      });
}

inline F32::V Solarized(F32::V x, F32::V threshold) {
  // A NaN is neither more nor equal: it stays.
  const F32::V inverted = F32::Sub(F32::Set(1), x);
  return Lanes::Select(Lanes::Less(threshold, x), inverted,
                       Lanes::Select(Lanes::Equal(threshold, x), inverted, x));
}

inline void SolarizeRun(const float* in, float* out, std::int64_t n, float threshold) {
  const F32::V least = F32::Set(threshold);
  std::int64_t i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) {
    F32::Store(out + i, Solarized(F32::Load(in + i), least));
  }
  if (i < n) F32::StoreN(out + i, Solarized(F32::LoadN(in + i, n - i), least), n - i);
}

}  // namespace
}  // namespace kwker::image
