// The body of sharpen.h for one instruction set. Include a vec_*.h and its pixels_*.h first.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/image/sharpen_isa.h"

namespace kwker::image {
namespace {

// Elements at a time, so that what lies between two loops stays in the first cache.
constexpr int kChunk = 1024;

// Of n elements: the nine pixels' mean, x counting five times. In 16 bits, where the compiler
// has vectors of its own: n (s + 6) / 13 is exact as a product with 5042 / 2^16 up to 3321.
inline void Smooth(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below,
                   std::int64_t step, int n, std::uint8_t* __restrict smooth) {
  for (int i = 0; i < n; ++i) {
    const int outer =
        above[i - step] + above[i] + above[i + step] + below[i - step] + below[i] + below[i + step];
    const auto sum =
        static_cast<std::uint16_t>(outer + row[i - step] + row[i + step] + 5 * row[i] + 6);
    smooth[i] = static_cast<std::uint8_t>((sum * 5042u) >> 16);
  }
}

inline F32::V BlendByte(F32::V d, F32::V x, F32::V factor, F32::V rest, bool pillow) {
  const F32::V v =
      pillow ? F32::Add(d, F32::Mul(factor, F32::Sub(x, d))) : F32::Mad(F32::Sub(d, x), rest, x);
  return Lanes::Min(F32::Max(v, F32::Set(0)), F32::Set(255));  // stored without its fraction
}

template <bool kPillow>
void BlendBytes(const std::uint8_t* smooth, const std::uint8_t* row, std::uint8_t* out, int n,
                F32::V factor, F32::V rest) {
  int i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) {
    Bytes::Store(out + i,
                 BlendByte(Bytes::Load(smooth + i), Bytes::Load(row + i), factor, rest, kPillow));
  }
  if (i == n) return;
  const int left = n - i;
  Bytes::StoreN(
      out + i,
      BlendByte(Bytes::LoadN(smooth + i, left), Bytes::LoadN(row + i, left), factor, rest, kPillow),
      left);
}

inline void RunBytes(const internal::SharpenRow<std::uint8_t>& r) {
  const F32::V factor = F32::Set(r.factor), rest = F32::Set(r.rest);
  std::memcpy(r.out, r.row, static_cast<std::size_t>(r.step));
  for (std::int64_t at = r.step; at < r.n - r.step; at += kChunk) {
    const std::int64_t left = r.n - r.step - at;
    const int n = static_cast<int>(left < kChunk ? left : kChunk);
    alignas(64) std::uint8_t smooth[kChunk];
    Smooth(r.above + at, r.row + at, r.below + at, r.step, n, smooth);
    if (r.pillow) {
      for (int i = 3; i < n; i += 4) smooth[i] = 0;
      BlendBytes<true>(smooth, r.row + at, r.out + at, n, factor, rest);
    } else {
      BlendBytes<false>(smooth, r.row + at, r.out + at, n, factor, rest);
    }
  }
  std::memcpy(r.out + r.n - r.step, r.row + r.n - r.step, static_cast<std::size_t>(r.step));
}

inline F32::V Clamped(F32::V v) {
  // The second operand is what remains of a NaN, and of two zeros.
  return Lanes::Min(F32::Set(1), F32::Max(F32::Set(0), v));
}

inline void ClampRow(const float* in, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + F32::kSize <= n; i += F32::kSize) F32::Store(out + i, Clamped(F32::Load(in + i)));
  if (i < n) F32::StoreN(out + i, Clamped(F32::LoadN(in + i, n - i)), n - i);
}

// a * b + c rounded once, at every instruction set that has it: the convolution is not torch's.
inline F32::V AddProduct(F32::V a, float b, F32::V c) { return F32::Mad(a, F32::Set(b), c); }

template <typename Load>
F32::V SharpenedFloat(const internal::SharpenRow<float>& r, std::int64_t at, const Load& load) {
  constexpr float kOuter = static_cast<float>(1.0 / 13.0), kInner = static_cast<float>(5.0 / 13.0);
  const std::int64_t left = at - r.step, right = at + r.step;
  const F32::V x = load(r.row + at);
  F32::V d = F32::Mul(load(r.above + left), F32::Set(kOuter));
  d = AddProduct(load(r.above + at), kOuter, d);
  d = AddProduct(load(r.above + right), kOuter, d);
  d = AddProduct(load(r.row + left), kOuter, d);
  d = AddProduct(x, kInner, d);
  d = AddProduct(load(r.row + right), kOuter, d);
  d = AddProduct(load(r.below + left), kOuter, d);
  d = AddProduct(load(r.below + at), kOuter, d);
  d = AddProduct(load(r.below + right), kOuter, d);
  return Clamped(F32::Mad(F32::Sub(d, x), F32::Set(r.rest), x));
}

inline void RunFloats(const internal::SharpenRow<float>& r) {
  ClampRow(r.row, r.out, r.step);
  const std::int64_t end = r.n - r.step;
  std::int64_t i = r.step;
  for (; i + F32::kSize <= end; i += F32::kSize) {
    F32::Store(r.out + i, SharpenedFloat(r, i, [](const float* p) { return F32::Load(p); }));
  }
  if (const std::int64_t left = end - i; left > 0) {
    F32::StoreN(r.out + i,
                SharpenedFloat(r, i, [left](const float* p) { return F32::LoadN(p, left); }), left);
  }
  ClampRow(r.row + end, r.out + end, r.step);
}

}  // namespace
}  // namespace kwker::image
