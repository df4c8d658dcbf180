// The passes of resize_isa.h for one instruction set. Include a lanes_*.h first.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/image/resize_isa.h"

namespace kwker::image {
namespace {

using internal::kFractionBits;
using internal::kLowBits;
using internal::kRows;
using internal::LaneProgram;
using V = Lanes::V;

constexpr int kVectorBytes = 16 * Lanes::kCount;

inline V Join(V high, V low) { return Lanes::Add(Lanes::ShiftLeft<kLowBits>(high), low); }

// What sums begin with, so that Scaled() rounds.
inline V Half() { return Lanes::Broadcast(1u << (kFractionBits - 1)); }

inline V Scaled(V sum) { return Lanes::ShiftRight<kFractionBits>(sum); }

// Four vectors of sums, one a row, to the bytes that StoreRows wants. Saturated:
// that is Pillow's clipping. Half is in the sums already where a lane makes four.
template <int kOutputsPerLane>
inline V ToBytes(const V (&sums)[kRows]) {
  if constexpr (kOutputsPerLane == 4) {
    return Lanes::PackUnsigned(Lanes::PackSigned(Scaled(sums[0]), Scaled(sums[1])),
                               Lanes::PackSigned(Scaled(sums[2]), Scaled(sums[3])));
  }
  const V first = Lanes::AddNeighbours(sums[0], sums[1]);
  const V second = Lanes::AddNeighbours(sums[2], sums[3]);
  V words;
  if constexpr (kOutputsPerLane == 2) {
    words =
        Lanes::PackSigned(Scaled(Lanes::Add(first, Half())), Scaled(Lanes::Add(second, Half())));
  } else {
    const V all = Lanes::Add(Lanes::AddNeighbours(first, second), Half());
    words = Lanes::PackSigned(Scaled(all), Lanes::Zero());
  }
  return Lanes::PackUnsigned(words, words);
}

// What a vector's weights of one step make of its elements `x`.
struct Sums {
  V high, low;

  void Add(V x, const std::int16_t* weights) {
    high = Lanes::Add(high, Lanes::MulAddPairs(x, Lanes::Load(weights)));
    low = Lanes::Add(low, Lanes::MulAddPairs(x, Lanes::Load(weights + kVectorBytes / 2)));
  }
};

// One vector's sums, for kRows lines.
template <int kPixelBytes>
inline void Sum(const LaneProgram& program, int vector, const std::uint8_t* const* in, V start,
                V (&joined)[kRows]) {
  const std::int32_t* base = program.base + vector * Lanes::kCount;
  const V mask = Lanes::Load(program.masks + vector * kVectorBytes);
  const V next_mask = Lanes::NextMask(mask, program.advance);
  const std::int16_t* weights = program.weights[vector];
  const int steps = program.steps[vector];
  const std::uint8_t* lines[kRows] = {in[0], in[1], in[2], in[3]};
  Sums sums[kRows];
  for (int r = 0; r < kRows; ++r) sums[r] = {Lanes::Zero(), start};
  int step = 0;
  if (program.shares_gathers) {
    for (; step + 2 <= steps; step += 2, weights += 2 * kVectorBytes) {
      for (int r = 0; r < kRows; ++r) {
        const V bytes = Lanes::Gather(lines[r], base);
        sums[r].Add(Lanes::Spread<kPixelBytes, false>(bytes, mask), weights);
        sums[r].Add(Lanes::Spread<kPixelBytes, true>(bytes, next_mask), weights + kVectorBytes);
        lines[r] += 2 * program.advance;
      }
    }
  }
  for (; step < steps; ++step, weights += kVectorBytes) {
    for (int r = 0; r < kRows; ++r) {
      const V bytes = Lanes::Gather(lines[r], base);
      sums[r].Add(Lanes::Spread<kPixelBytes, false>(bytes, mask), weights);
      lines[r] += program.advance;
    }
  }
  for (int r = 0; r < kRows; ++r) joined[r] = Join(sums[r].high, sums[r].low);
}

template <int kPixelBytes, int kOutputsPerLane>
void HorizontalKind(const LaneProgram& program, const std::uint8_t* const* in,
                    std::uint8_t* const* out) {
  // Bytes that a lane makes of one line; sums of a 4-byte pixel are four, too.
  constexpr int kLaneBytes = kPixelBytes == 4 ? 4 : kOutputsPerLane;
  constexpr int kMade = kLaneBytes * Lanes::kCount;
  const std::int64_t bytes = static_cast<std::int64_t>(program.out_size) * kPixelBytes;
  constexpr int kReduced = kPixelBytes == 4 ? 4 : kOutputsPerLane;
  const V channels = Lanes::Broadcast(program.channels);
  const V start = kReduced == 4 ? Half() : Lanes::Zero();
  for (int vector = 0; vector < program.vectors; ++vector) {
    V sums[kRows];
    Sum<kPixelBytes>(program, vector, in, start, sums);
    const V made = Lanes::And(ToBytes<kReduced>(sums), channels);
    const std::int64_t at = static_cast<std::int64_t>(vector) * kMade;
    const std::int64_t n = bytes - at < kMade ? bytes - at : kMade;
    if (kLaneBytes == 4 && n == kMade) {
      Lanes::StoreRows(made, out, at);
    } else if (kLaneBytes == 4) {
      std::uint8_t rest[kRows][kMade];
      std::uint8_t* const rests[kRows] = {rest[0], rest[1], rest[2], rest[3]};
      Lanes::StoreRows(made, rests, 0);
      for (int r = 0; r < kRows; ++r)
        std::memcpy(out[r] + at, rest[r], static_cast<std::size_t>(n));
    } else {
      std::uint8_t all[kVectorBytes];
      Lanes::Store(all, made);
      for (int r = 0; r < kRows; ++r) {
        for (std::int64_t i = 0; i < n; ++i) {
          out[r][at + i] = all[i / kLaneBytes * 16 + r * kLaneBytes + i % kLaneBytes];
        }
      }
    }
  }
}

inline void Horizontal(const LaneProgram& program, const std::uint8_t* const* in,
                       std::uint8_t* const* out) {
  if (program.pixel_bytes == 4) return HorizontalKind<4, 1>(program, in, out);
  if (program.outputs_per_lane == 4) return HorizontalKind<1, 4>(program, in, out);
  if (program.outputs_per_lane == 2) return HorizontalKind<1, 2>(program, in, out);
  HorizontalKind<1, 1>(program, in, out);
}

// A vector's bytes from `at` on.
inline V VerticalVector(const std::uint8_t* const* rows, const std::uint32_t* weights, int pairs,
                        std::int64_t at) {
  const V zero = Lanes::Zero();
  V high[4] = {zero, zero, zero, zero}, low[4] = {Half(), Half(), Half(), Half()};
  for (int pair = 0; pair < pairs; ++pair) {
    const V a = Lanes::Load(rows[2 * pair] + at), b = Lanes::Load(rows[2 * pair + 1] + at);
    const V first = Lanes::ZipLow(a, b), second = Lanes::ZipHigh(a, b);
    const V wide[4] = {Lanes::ZipLow(first, zero), Lanes::ZipHigh(first, zero),
                       Lanes::ZipLow(second, zero), Lanes::ZipHigh(second, zero)};
    const V weights_high = Lanes::Broadcast(weights[2 * pair]);
    const V weights_low = Lanes::Broadcast(weights[2 * pair + 1]);
    for (int i = 0; i < 4; ++i) {
      high[i] = Lanes::Add(high[i], Lanes::MulAddPairs(wide[i], weights_high));
      low[i] = Lanes::Add(low[i], Lanes::MulAddPairs(wide[i], weights_low));
    }
  }
  const V sums[4] = {Join(high[0], low[0]), Join(high[1], low[1]), Join(high[2], low[2]),
                     Join(high[3], low[3])};
  return ToBytes<4>(sums);
}

inline void Vertical(const std::uint8_t* const* rows, const std::uint32_t* weights, int pairs,
                     std::int64_t bytes, std::uint32_t channels, std::uint8_t* out) {
  const V kept = Lanes::Broadcast(channels);
  std::int64_t at = 0;
  for (; at + kVectorBytes <= bytes; at += kVectorBytes) {
    Lanes::Store(out + at, Lanes::And(VerticalVector(rows, weights, pairs, at), kept));
  }
  if (at == bytes) return;
  // The rest through a whole vector that ends where the row does. It begins at a
  // pixel, as rows of 4-byte pixels and vectors are multiples of 4.
  if (bytes >= kVectorBytes) {
    at = bytes - kVectorBytes;
    Lanes::Store(out + at, Lanes::And(VerticalVector(rows, weights, pairs, at), kept));
    return;
  }
  for (; at < bytes; ++at) {
    std::uint32_t sum = 1u << (kFractionBits - 1);
    for (int pair = 0; pair < pairs; ++pair) {
      for (int i = 0; i < 2; ++i) {
        const auto high = static_cast<std::int16_t>(weights[2 * pair] >> (16 * i));
        const auto low = static_cast<std::int16_t>(weights[2 * pair + 1] >> (16 * i));
        const std::int32_t weight = high * (1 << kLowBits) + low;
        sum += rows[2 * pair + i][at] * static_cast<std::uint32_t>(weight);
      }
    }
    const std::int32_t value = static_cast<std::int32_t>(sum) >> kFractionBits;
    const std::uint32_t keep = channels >> (8 * (at % 4)) & 0xFF;
    out[at] = static_cast<std::uint8_t>((value < 0 ? 0 : value > 255 ? 255 : value) & keep);
  }
}

}  // namespace
}  // namespace kwker::image
