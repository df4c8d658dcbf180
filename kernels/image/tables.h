// Adjustments of 8-bit images that look only at a byte and at how often each byte occurs: a
// table of 256 for each channel, and the counts to make it of.
//
// Plain loops at every instruction set: a table in the first cache serves about a byte a cycle,
// which is several times what torch's many passes do.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/base/parallel_for.h"
#include "kernels/image/color.h"

namespace kwker::image {

using ByteTable = std::array<std::uint8_t, 256>;
using ByteCounts = std::array<std::int64_t, 256>;

// How many there are, image by image and channel by channel.
struct PlaneSizes {
  std::int64_t images, channels, rows, width;
};

// `counts`: one for each plane, all zeros before.
void CountBytes(const Pixels<const std::uint8_t>& in, const PlaneSizes& planes,
                std::span<ByteCounts> counts, const ParallelFor& parallel_for);

// `tables`: one for each plane, or one for all.
void ApplyTables(const Pixels<const std::uint8_t>& in, const Pixels<std::uint8_t>& out,
                 const PlaneSizes& planes, std::span<const ByteTable> tables,
                 const ParallelFor& parallel_for);

// What needs no table: 255 - x where x >= threshold (0 to 256), without the bits not in `mask`.
struct ByteRule {
  int threshold;
  std::uint8_t mask;
};

// For pixels of four bytes, one behind the other, whose fourth byte becomes 0: a PIL image's.
void ApplyRule(const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels, ByteRule rule);

// The same by a table for each of the first three.
void ApplyTables(const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels,
                 const std::array<ByteTable, 3>& tables);

// Counts of the first three.
std::array<ByteCounts, 3> CountBytes(const std::uint8_t* in, std::int64_t pixels);

}  // namespace kwker::image
