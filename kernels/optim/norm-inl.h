// The body of norm.h for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/optim/norm_isa.h"

namespace kwker::optim {
namespace {

template <class Vec>
float NormOf(const float* data, std::int64_t numel, std::int64_t block) {
  using V = typename Vec::V;
  constexpr std::int64_t kLanes = 8;
  constexpr int kVectors = kLanes / Vec::kSize;
  if (numel == 1) return __builtin_fabsf(*data);
  V sums[kVectors];
  for (V& sum : sums) sum = Vec::Set(0);
  std::int64_t i = 0;
  for (; i + kLanes <= numel; i += kLanes) {
    for (int k = 0; k < kVectors; ++k) {
      const V x = Vec::Load(data + i + k * Vec::kSize);
      sums[k] = Vec::Add(sums[k], Vec::Mul(x, x));
    }
  }
  float lanes[kLanes];
  for (int k = 0; k < kVectors; ++k) Vec::Store(lanes + k * Vec::kSize, sums[k]);
  float sum = lanes[0];
  for (int j = 1; j < kLanes; ++j) sum += lanes[j];
  const std::int64_t twice = i + (numel - i) / block * block;
  for (; i < twice; ++i) {
    const float square = data[i] * data[i];
    sum += square;
  }
  for (; i < numel; ++i) {
    if constexpr (Vec::kFused) {
      sum = __builtin_fmaf(data[i], data[i], sum);
    } else {
      const float square = data[i] * data[i];
      sum += square;
    }
  }
  return __builtin_sqrtf(sum);
}

template <class Vec>
void ScaleRange(float* data, std::int64_t begin, std::int64_t end, float factor) {
  const typename Vec::V by = Vec::Set(factor);
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    Put<Vec, kWhole>(data + i, Vec::Mul(Get<Vec, kWhole>(data + i, n), by), n);
  });
}

}  // namespace
}  // namespace kwker::optim
