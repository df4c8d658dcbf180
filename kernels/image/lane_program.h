// The horizontal pass of one resize, compiled from its taps for an instruction set.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/isa.h"
#include "kernels/image/resize_isa.h"
#include "kernels/image/resize_taps.h"

namespace kwker::image {

class HorizontalPass {
 public:
  HorizontalPass(const Taps& taps, int pixel_bytes, std::uint32_t channels, Isa isa);

  // Bytes from a line's start that may be read, used or not.
  std::int64_t Reach() const { return reach_; }

  // kRows lines at once, each readable for Reach() bytes. Pointers may repeat.
  void Run(const std::uint8_t* const* in, std::uint8_t* const* out) const {
    function_(program_, in, out);
  }

 private:
  struct alignas(64) Block {
    std::int16_t weights[32];
  };

  void PlaceLanes(const Taps& taps, int lanes);
  void MakeMasks(const Taps& taps, int lanes);
  void SplitWeights(const Taps& taps, int lanes);

  internal::LaneProgram program_ = {};
  internal::HorizontalFunction function_;
  int taps_per_step_;
  std::int64_t reach_ = 0;
  std::vector<std::int32_t> base_, steps_;
  std::vector<std::uint8_t> masks_;
  std::vector<Block> blocks_;
  std::vector<const std::int16_t*> weights_;
};

// A weight in fixed point as two halves of 16 bits.
struct SplitWeight {
  std::uint16_t high, low;
};

inline SplitWeight Split(double weight) {
  const std::int32_t fixed = FixedPoint(weight);
  return {static_cast<std::uint16_t>(fixed >> internal::kLowBits),
          static_cast<std::uint16_t>(fixed & ((1 << internal::kLowBits) - 1))};
}

}  // namespace kwker::image
