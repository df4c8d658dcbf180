// The body of normalize.h for one instruction set. Include a vec_*.h and its pixels_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/image/normalize_isa.h"

namespace kwker::image {
namespace {

template <bool kWhole>
F32::V GetPixels(const std::uint8_t* from, std::int64_t n) {
  return kWhole ? Bytes::Load(from) : Bytes::LoadN(from, n);
}
template <bool kWhole>
F32::V GetPixels(const float* from, std::int64_t n) {
  return Get<F32, kWhole>(from, n);
}

template <Scale kScale, typename In>
void ScaleRange(const NormalizeRun<In>& run, std::int64_t begin, std::int64_t end) {
  const F32::V factor = F32::Set(kScale == Scale::kDivide ? 255.0f : 1 / 255.0f);
  ForVectors<F32>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    F32::V x = GetPixels<kWhole>(run.in + i, n);
    if constexpr (kScale == Scale::kMultiply) x = F32::Mul(x, factor);
    if constexpr (kScale == Scale::kDivide) x = F32::Div(x, factor);
    Put<F32, kWhole>(run.out + i, x, n);
  });
}

// kVectors: after so many vectors, the channels begin with the same one again.
template <Scale kScale, int kVectors, typename In>
void NormalizeRange(const NormalizeRun<In>& run, std::int64_t begin, std::int64_t end, int period) {
  const F32::V factor = F32::Set(kScale == Scale::kDivide ? 255.0f : 1 / 255.0f);
  F32::V mean[kVectors], std[kVectors];
  for (int k = 0; k < kVectors; ++k) {
    mean[k] = F32::Load(run.mean + begin % period + k * F32::kSize);
    std[k] = F32::Load(run.std + begin % period + k * F32::kSize);
  }
  const auto step = [&]<bool kWhole>(std::int64_t i, std::int64_t n, int k) {
    F32::V x = GetPixels<kWhole>(run.in + i, n);
    if constexpr (kScale == Scale::kMultiply) x = F32::Mul(x, factor);
    if constexpr (kScale == Scale::kDivide) x = F32::Div(x, factor);
    Put<F32, kWhole>(run.out + i, F32::Div(F32::Sub(x, mean[k]), std[k]), n);
  };

  std::int64_t i = begin;
  for (; i + kVectors * F32::kSize <= end; i += kVectors * F32::kSize) {
    for (int k = 0; k < kVectors; ++k) {
      step.template operator()<true>(i + k * F32::kSize, F32::kSize, k);
    }
  }
  int k = 0;
  for (; i + F32::kSize <= end; i += F32::kSize) {
    step.template operator()<true>(i, F32::kSize, k++);
  }
  if (i < end) step.template operator()<false>(i, end - i, k);
}

template <Scale kScale, typename In>
void AnyPeriod(const NormalizeRun<In>& run, std::int64_t begin, std::int64_t end, int period) {
  if (run.mean == nullptr) return ScaleRange<kScale>(run, begin, end);
  return period == 3 ? NormalizeRange<kScale, 3>(run, begin, end, period)
                     : NormalizeRange<kScale, 1>(run, begin, end, period);
}

template <typename In>
void AnyScale(const NormalizeRun<In>& run, std::int64_t begin, std::int64_t end, Scale scale,
              int period) {
  switch (scale) {
    case Scale::kNone:
      return AnyPeriod<Scale::kNone>(run, begin, end, period);
    case Scale::kMultiply:
      return AnyPeriod<Scale::kMultiply>(run, begin, end, period);
    case Scale::kDivide:
      return AnyPeriod<Scale::kDivide>(run, begin, end, period);
  }
}

}  // namespace
}  // namespace kwker::image
