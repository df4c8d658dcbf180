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

}  // namespace kwker::image
