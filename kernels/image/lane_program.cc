#include "kernels/image/lane_program.h"

#include <algorithm>
#include <cstddef>

#include "kernels/base/by_isa.h"

namespace kwker::image {
namespace {

using internal::kLowBits;

constexpr int kLaneBytes = 16;
constexpr std::uint8_t kNone = 0x80;  // in a mask: a zero

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

int LanesOf(Isa isa) { return isa == Isa::kAvx512 ? 4 : isa == Isa::kAvx2 ? 2 : 1; }

internal::HorizontalFunction FunctionOf(Isa isa) {
  return ByIsa<internal::HorizontalFunction>(isa, internal::HorizontalSse2,
                                             internal::HorizontalAvx2, internal::HorizontalAvx512);
}

// Whether lanes of `outputs` bytes reach, in so many steps at once, no further than
// a lane.
bool Fits(const Taps& taps, int outputs, int steps) {
  const int reach = 8 / outputs * steps;
  for (int x = 0; x < taps.out_size; x += outputs) {
    const int last = std::min(x + outputs, taps.out_size) - 1;
    if (taps.first[Size(last)] - taps.first[Size(x)] + reach > kLaneBytes) return false;
  }
  return true;
}

int OutputsPerLane(const Taps& taps, int pixel_bytes, Isa isa) {
  // SSE2 has no shuffle that could follow a mask.
  if (pixel_bytes == 4 || isa == Isa::kDefault) return 1;
  return Fits(taps, 4, 1) ? 4 : Fits(taps, 2, 1) ? 2 : 1;
}

}  // namespace

HorizontalPass::HorizontalPass(const Taps& taps, int pixel_bytes, std::uint32_t channels, Isa isa)
    : function_(FunctionOf(isa)) {
  const int lanes = LanesOf(isa);
  const int outputs = OutputsPerLane(taps, pixel_bytes, isa);
  taps_per_step_ = pixel_bytes == 4 ? 2 : 8 / outputs;
  program_.pixel_bytes = pixel_bytes;
  program_.outputs_per_lane = outputs;
  program_.out_size = taps.out_size;
  program_.vectors = (taps.out_size + outputs * lanes - 1) / (outputs * lanes);
  program_.shares_gathers = pixel_bytes == 4 || Fits(taps, outputs, 2);
  program_.advance = pixel_bytes * taps_per_step_;
  program_.channels = channels;
  PlaceLanes(taps, lanes);
  MakeMasks(taps, lanes);
  SplitWeights(taps, lanes);
  program_.base = base_.data();
  program_.steps = steps_.data();
  program_.masks = masks_.data();
  program_.weights = weights_.data();
}

void HorizontalPass::PlaceLanes(const Taps& taps, int lanes) {
  const int outputs = program_.outputs_per_lane;
  base_.resize(Size(program_.vectors) * Size(lanes));
  steps_.resize(Size(program_.vectors));
  for (int vector = 0; vector < program_.vectors; ++vector) {
    int most = 0, furthest = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const int begin = (vector * lanes + lane) * outputs;
      // Lanes behind the end of the line stay where the last one is, without weights.
      const int x = std::min(begin, taps.out_size - 1);
      const int base = taps.first[Size(x)] * program_.pixel_bytes;
      base_[Size(vector) * Size(lanes) + Size(lane)] = base;
      furthest = std::max(furthest, base);
      const int end = std::min(begin + outputs, taps.out_size);
      for (int i = begin; i < end; ++i) most = std::max(most, taps.count[Size(i)]);
    }
    const int steps = (most + taps_per_step_ - 1) / taps_per_step_;
    steps_[Size(vector)] = steps;
    reach_ = std::max(
        reach_, furthest + std::int64_t{std::max(steps, 1) - 1} * program_.advance + kLaneBytes);
  }
}

void HorizontalPass::MakeMasks(const Taps& taps, int lanes) {
  const int outputs = program_.outputs_per_lane;
  masks_.assign(Size(program_.vectors) * Size(lanes) * kLaneBytes, kNone);
  for (std::size_t at = 0; at < base_.size(); ++at) {
    std::uint8_t* mask = masks_.data() + at * kLaneBytes;
    if (program_.pixel_bytes == 4) {
      // Two pixels, channel by channel.
      for (int i = 0; i < 8; ++i) mask[2 * i] = static_cast<std::uint8_t>(i / 2 + i % 2 * 4);
      continue;
    }
    for (int i = 0; i < outputs; ++i) {
      const int x = static_cast<int>(at) * outputs + i;
      if (x >= taps.out_size) break;
      const int from = taps.first[Size(x)] - base_[at];
      for (int tap = 0; tap < taps_per_step_; ++tap) {
        mask[2 * (i * taps_per_step_ + tap)] = static_cast<std::uint8_t>(from + tap);
      }
    }
  }
}

void HorizontalPass::SplitWeights(const Taps& taps, int lanes) {
  const int outputs = program_.outputs_per_lane;
  const int elements = 8 * lanes;  // of 16 bits, in a vector
  std::int64_t total = 0;
  for (const std::int32_t steps : steps_) total += std::int64_t{steps} * 2 * elements;
  blocks_.resize(Size((total + 31) / 32));
  std::int16_t* to = blocks_.empty() ? nullptr : blocks_[0].weights;
  for (int vector = 0; vector < program_.vectors; ++vector) {
    weights_.push_back(to);
    for (int i = 0; i < lanes * outputs; ++i) {
      const int x = vector * lanes * outputs + i;
      if (x >= taps.out_size) break;
      const double* weights = taps.Weights(x);
      const int element = i / outputs * 8 + i % outputs * taps_per_step_;
      for (int tap = 0; tap < taps.count[Size(x)]; ++tap) {
        const SplitWeight weight = Split(weights[tap]);
        std::int16_t* high =
            to + tap / taps_per_step_ * 2 * elements + element + tap % taps_per_step_;
        const int copies = program_.pixel_bytes == 4 ? 4 : 1;
        for (int copy = 0; copy < copies; ++copy) {
          high[2 * copy] = static_cast<std::int16_t>(weight.high);
          high[2 * copy + elements] = static_cast<std::int16_t>(weight.low);
        }
      }
    }
    to += std::int64_t{steps_[Size(vector)]} * 2 * elements;
  }
}

}  // namespace kwker::image
