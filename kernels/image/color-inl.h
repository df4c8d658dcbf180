// The body of color.h for one instruction set. Include a vec_*.h, its pixels_*.h and its
// packed_*.h first.
#pragma once

#include <cstdint>

#include "kernels/image/color_block-inl.h"
#include "kernels/image/color_hue-inl.h"
#include "kernels/image/color_pillow_hue-inl.h"

namespace kwker::image {
namespace {

using V = F32::V;

// The whole number from 0 to 255 that a byte keeps of it.
inline V Quantized(V x) {
  return Lanes::Truncate(Lanes::Min(F32::Max(x, F32::Set(0)), F32::Set(255)));
}

inline V TorchGray(V r, V g, V b) {
  const V rg = F32::Mad(g, F32::Set(0.587f), F32::Mul(r, F32::Set(0.2989f)));
  return Lanes::Floor(F32::Mad(b, F32::Set(0.114f), rg));
}

// All sums are below 2^24, so that floats hold them exactly.
inline V PillowGray(V r, V g, V b) {
  V sum = F32::Add(F32::Mul(r, F32::Set(19595)), F32::Mul(g, F32::Set(38470)));
  sum = F32::Add(F32::Add(sum, F32::Mul(b, F32::Set(7471))), F32::Set(32768));
  return Lanes::Floor(F32::Mul(sum, F32::Set(0x1p-16f)));
}

// Rounded twice at every instruction set, as Pillow is compiled for the oldest.
inline V PillowBlend(V d, V x, V factor) {
  return Quantized(F32::Add(d, F32::Mul(factor, F32::Sub(x, d))));
}

// plane[i] = f(plane[i]) for the planes from `first` up to `last`.
template <typename Function>
void EachPlane(Planes& planes, int first, int last, const Function& f) {
  for (int c = first; c < last; ++c) {
    for (int i = 0; i < planes.padded; i += F32::kSize) {
      F32::Store(planes.of[c] + i, f(F32::Load(planes.of[c] + i)));
    }
  }
}

// r, g, b = f(r, g, b), by reference.
template <typename Function>
void EachPixel(Planes& planes, const Function& f) {
  for (int i = 0; i < planes.padded; i += F32::kSize) {
    V r = F32::Load(planes.of[0] + i), g = F32::Load(planes.of[1] + i),
      b = F32::Load(planes.of[2] + i);
    f(r, g, b);
    F32::Store(planes.of[0] + i, r);
    F32::Store(planes.of[1] + i, g);
    F32::Store(planes.of[2] + i, b);
  }
}

inline void Apply(const ColorOp& op, float image_mean, Planes& planes) {
  const V factor = F32::Set(op.factor), rest = F32::Set(op.rest), mean = F32::Set(image_mean);
  switch (op.kind) {
    case ColorKind::kScale:
      EachPlane(planes, 0, 3, [&](V x) { return Quantized(F32::Mul(x, factor)); });
      break;
    case ColorKind::kBlend:
      EachPlane(planes, 0, 3,
                [&](V x) { return Quantized(F32::Mad(mean, rest, F32::Mul(x, factor))); });
      break;
    case ColorKind::kSaturation:
      EachPixel(planes, [&](V& r, V& g, V& b) {
        const V gray = TorchGray(r, g, b);
        r = Quantized(F32::Mad(gray, rest, F32::Mul(r, factor)));
        g = Quantized(F32::Mad(gray, rest, F32::Mul(g, factor)));
        b = Quantized(F32::Mad(gray, rest, F32::Mul(b, factor)));
      });
      break;
    case ColorKind::kHue:
      EachPixel(planes, [&](V& r, V& g, V& b) {
        const V unit = F32::Set(1 / 255.0f), back = F32::Set(255.999f);
        r = F32::Mul(r, unit);
        g = F32::Mul(g, unit);
        b = F32::Mul(b, unit);
        ShiftHue(factor, r, g, b);
        r = Lanes::Truncate(F32::Mul(r, back));
        g = Lanes::Truncate(F32::Mul(g, back));
        b = Lanes::Truncate(F32::Mul(b, back));
      });
      break;
    case ColorKind::kPillowBlend:
      EachPlane(planes, 0, 3, [&](V x) { return PillowBlend(mean, x, factor); });
      break;
    case ColorKind::kPillowSaturation:
      EachPixel(planes, [&](V& r, V& g, V& b) {
        const V gray = PillowGray(r, g, b);
        r = PillowBlend(gray, r, factor);
        g = PillowBlend(gray, g, factor);
        b = PillowBlend(gray, b, factor);
      });
      break;
    case ColorKind::kPillowHue:
      EachPixel(planes, [&](V& r, V& g, V& b) { PillowShiftHue(factor, r, g, b); });
      break;
    case ColorKind::kPillowGray:
      EachPixel(planes, [&](V& r, V& g, V& b) { r = g = b = PillowGray(r, g, b); });
      break;
  }
  if (planes.channels < 4) return;
  const V padding = F32::Set(op.padding);
  const bool replaced = op.kind == ColorKind::kPillowHue || op.kind == ColorKind::kPillowGray;
  EachPlane(planes, 3, 4,
            [&](V x) { return replaced ? padding : PillowBlend(padding, x, factor); });
}

// Returns the sum, which is exact: at most kBlock times 255.
inline std::int64_t MakeGray(const internal::ColorBlock& block, const Planes& planes) {
  alignas(64) float gray[kBlock];
  for (int i = 0; i < planes.padded; i += F32::kSize) {
    const V r = F32::Load(planes.of[0] + i), g = F32::Load(planes.of[1] + i),
            b = F32::Load(planes.of[2] + i);
    F32::Store(gray + i, block.gray == Gray::kTorch ? TorchGray(r, g, b) : PillowGray(r, g, b));
  }
  if (block.bytes != nullptr) StorePlane(gray, block.bytes, planes.n);
  for (int i = planes.n; i < planes.padded; ++i) gray[i] = 0;
  V sums = F32::Set(0);
  for (int i = 0; i < planes.padded; i += F32::kSize) sums = F32::Add(sums, F32::Load(gray + i));
  if (block.plane != nullptr) {
    for (int i = 0; i < planes.n; ++i) block.plane[i] = gray[i];
  }
  float lanes[F32::kSize];
  F32::Store(lanes, sums);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return static_cast<std::int64_t>(sum);
}

inline std::int64_t RunBlock(const internal::ColorBlock& block) {
  Planes planes;
  LoadBlock(block, planes);
  for (const ColorOp& op : block.ops) Apply(op, block.mean, planes);
  if (block.out != nullptr) StoreBlock(planes, block);
  return block.gray == Gray::kNone ? 0 : MakeGray(block, planes);
}

}  // namespace
}  // namespace kwker::image
