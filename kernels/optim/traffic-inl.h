// The body of traffic.h for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/optim/traffic_isa.h"

namespace kwker::optim {
namespace {

// Bits pass through registers of floats: moves and XORs do not look at values.
template <class Vec, int kUpdated>
void TrafficRange(const TrafficTensor& t, std::int64_t begin, std::int64_t end) {
  using V = typename Vec::V;
  float* updated[kUpdated == 0 ? 1 : kUpdated];
  for (int k = 0; k < kUpdated; ++k) updated[k] = reinterpret_cast<float*>(t.updated[k]);
  const auto* gradient = reinterpret_cast<const float*>(t.gradient);
  ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
    const V g = Get<Vec, kWhole>(gradient + i, n);
    for (int k = 0; k < kUpdated; ++k) {
      // The same bits again, by way of the gradient, so that nothing is left out.
      V v = Vec::Xor(Get<Vec, kWhole>(updated[k] + i, n), g);
      asm("" : "+v"(v));
      Put<Vec, kWhole>(updated[k] + i, Vec::Xor(v, g), n);
    }
  });
}

template <class Vec>
void TrafficAnyNumber(const TrafficTensor& t, std::int64_t begin, std::int64_t end) {
  int updated = 0;
  while (updated < 4 && t.updated[updated] != nullptr) ++updated;
  switch (updated) {
    case 1:
      return TrafficRange<Vec, 1>(t, begin, end);
    case 2:
      return TrafficRange<Vec, 2>(t, begin, end);
    case 3:
      return TrafficRange<Vec, 3>(t, begin, end);
    case 4:
      return TrafficRange<Vec, 4>(t, begin, end);
  }
}

}  // namespace
}  // namespace kwker::optim
