// What resize_<isa>.cc define: declarations only, as such files must share no code.
//
// Both passes work on bytes and on weights that are split in two, so that
// products of 16 bits suffice: weight = (high << kLowBits) + low.
#pragma once

#include <cstdint>

namespace kwker::image::internal {

inline constexpr int kFractionBits = 22;  // of a weight
inline constexpr int kLowBits = 11;
inline constexpr int kRows = 4;  // that the horizontal pass does at once

// The horizontal pass, as a program for vectors of 16-byte lanes. A lane makes
// `outputs_per_lane` neighbouring elements (one, if they are pixels of 4 bytes):
// step by step it takes 16 bytes from the line, spreads those that `masks`
// names (0x80: none) to 16 bits each, and adds their products with the weights to
// its four sums of 32 bits, which are reduced to one an output element at the end.
struct LaneProgram {
  int pixel_bytes;       // 1 or 4
  int outputs_per_lane;  // 4, 2 or 1
  int out_size;          // elements of the line that is made
  int vectors;
  bool shares_gathers;        // the bytes of a step hold those of the next one, `advance` further
  int advance;                // bytes of the line from one step to the next
  const std::int32_t* base;   // by lane: where its first step begins in the line
  const std::int32_t* steps;  // by vector
  const std::uint8_t* masks;  // by vector: as many bytes as it has
  const std::int16_t* const* weights;  // by vector: for each step the high, then the low halves
  std::uint32_t channels;              // what is kept of each 4-byte pixel; all bits for 1 byte
};

// kRows lines at once. Pointers may repeat. 16 bytes must be readable from where
// any step begins.
using HorizontalFunction = void (*)(const LaneProgram& program, const std::uint8_t* const* in,
                                    std::uint8_t* const* out);

// out[i] = sum over rows of rows[r][i] * weight[r], for i < bytes. Rows come in
// pairs; weights[2 * p] holds the high halves of pair p, weights[2 * p + 1] the low
// ones, the first row's in the lower 16 bits.
using VerticalFunction = void (*)(const std::uint8_t* const* rows, const std::uint32_t* weights,
                                  int pairs, std::int64_t bytes, std::uint32_t channels,
                                  std::uint8_t* out);

void HorizontalSse2(const LaneProgram& program, const std::uint8_t* const* in,
                    std::uint8_t* const* out);
void HorizontalAvx2(const LaneProgram& program, const std::uint8_t* const* in,
                    std::uint8_t* const* out);
void HorizontalAvx512(const LaneProgram& program, const std::uint8_t* const* in,
                      std::uint8_t* const* out);

void VerticalSse2(const std::uint8_t* const* rows, const std::uint32_t* weights, int pairs,
                  std::int64_t bytes, std::uint32_t channels, std::uint8_t* out);
void VerticalAvx2(const std::uint8_t* const* rows, const std::uint32_t* weights, int pairs,
                  std::int64_t bytes, std::uint32_t channels, std::uint8_t* out);
void VerticalAvx512(const std::uint8_t* const* rows, const std::uint32_t* weights, int pairs,
                    std::int64_t bytes, std::uint32_t channels, std::uint8_t* out);

}  // namespace kwker::image::internal
