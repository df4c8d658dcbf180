#include "kernels/image/tables.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "kernels/base/share.h"

namespace kwker::image {
namespace {

// Bytes that are worth a thread.
constexpr std::int64_t kGrain = 32768;

// Calls body(plane, image, channel) for all planes, on as many threads as are worth it.
template <typename Body>
void EachPlane(const PlaneSizes& sizes, const ParallelFor& parallel_for, const Body& body) {
  const std::int64_t planes = sizes.images * sizes.channels;
  const std::int64_t worth = planes * sizes.rows * sizes.width / kGrain;
  Share(planes, std::min(worth, planes), parallel_for, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      body(i, i / sizes.channels, i % sizes.channels);
    }
  });
}

// A plane's rows, as one where they follow each other.
template <typename T>
PlaneSizes Joined(const PlaneSizes& sizes, const Pixels<T>& a, std::int64_t other_row_step) {
  const std::int64_t row = sizes.width * a.pixel_step;
  if (a.row_step != row || other_row_step != row) return sizes;
  return {sizes.images, sizes.channels, 1, sizes.rows * sizes.width};
}

// The loops take copies of all that they need: a byte that is stored may, for all a compiler
// knows, change anything that is read through a pointer.

// Several counts side by side, so that equal neighbours need not wait for each other.
constexpr int kLanes = 4;
using Lanes = std::array<std::array<std::uint32_t, 256>, kLanes>;

void CountRow(const std::uint8_t* row, std::int64_t step, std::int64_t width, Lanes& lanes) {
  std::int64_t x = 0;
  for (; x + kLanes <= width; x += kLanes, row += kLanes * step) {
    for (int lane = 0; lane < kLanes; ++lane) ++lanes[lane][row[lane * step]];
  }
  for (; x < width; ++x, row += step) ++lanes[0][*row];
}

void MapRow(const std::uint8_t* from, std::int64_t from_step, std::uint8_t* to,
            std::int64_t to_step, std::int64_t width, const std::uint8_t* table) {
  std::int64_t x = 0;
  for (; x + 4 <= width; x += 4, from += 4 * from_step, to += 4 * to_step) {
    const std::uint8_t a = table[from[0]], b = table[from[from_step]],
                       c = table[from[2 * from_step]], d = table[from[3 * from_step]];
    to[0] = a;
    to[to_step] = b;
    to[2 * to_step] = c;
    to[3 * to_step] = d;
  }
  for (; x < width; ++x, from += from_step, to += to_step) *to = table[*from];
}

}  // namespace

void CountBytes(const Pixels<const std::uint8_t>& in, const PlaneSizes& all_sizes,
                std::span<ByteCounts> counts, const ParallelFor& parallel_for) {
  const PlaneSizes sizes = Joined(all_sizes, in, in.row_step);
  EachPlane(sizes, parallel_for, [&](std::int64_t plane, std::int64_t image, std::int64_t channel) {
    Lanes lanes = {};
    const std::uint8_t* base = in.data + image * in.image_step + channel * in.channel_step;
    for (std::int64_t y = 0; y < sizes.rows; ++y) {
      CountRow(base + y * in.row_step, in.pixel_step, sizes.width, lanes);
    }
    for (const auto& lane : lanes) {
      std::transform(lane.begin(), lane.end(), counts[plane].begin(), counts[plane].begin(),
                     std::plus<std::int64_t>());
    }
  });
}

void ApplyTables(const Pixels<const std::uint8_t>& in, const Pixels<std::uint8_t>& out,
                 const PlaneSizes& all_sizes, std::span<const ByteTable> tables,
                 const ParallelFor& parallel_for) {
  const bool alike = in.pixel_step == out.pixel_step;
  const PlaneSizes sizes = alike ? Joined(all_sizes, in, out.row_step) : all_sizes;
  EachPlane(sizes, parallel_for, [&](std::int64_t plane, std::int64_t image, std::int64_t channel) {
    const ByteTable& table = tables[tables.size() == 1 ? 0 : plane];
    for (std::int64_t y = 0; y < sizes.rows; ++y) {
      const std::uint8_t* from =
          in.data + image * in.image_step + channel * in.channel_step + y * in.row_step;
      std::uint8_t* to =
          out.data + image * out.image_step + channel * out.channel_step + y * out.row_step;
      MapRow(from, in.pixel_step, to, out.pixel_step, sizes.width, table.data());
    }
  });
}

void ApplyRule(const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels, ByteRule rule) {
  // As words: the compiler has vectors for them, and there the fourth byte can be left out.
  constexpr std::uint32_t kBytes = 0x00FFFFFF, kOnes = 0x00010101, kHigh = 0x00808080;
  const std::uint32_t mask = rule.mask * kOnes;
  const auto each = [&](const auto& function) {
    for (std::int64_t i = 0; i < pixels; ++i) {
      std::uint32_t x;
      std::memcpy(&x, in + 4 * i, sizeof x);
      x = function(x) & mask;
      std::memcpy(out + 4 * i, &x, sizeof x);
    }
  };
  if (rule.threshold > 255) return each([](std::uint32_t x) { return x; });
  if (rule.threshold <= 0) return each([](std::uint32_t x) { return ~x; });
  // Bytes side by side, without carries from one to the next: the highest bit of each byte tells
  // whether it reaches the threshold, and is then spread over the byte.
  const auto threshold = static_cast<std::uint32_t>(rule.threshold);
  const std::uint32_t low = ((128 - threshold) & 127) * kOnes;
  const bool beyond_half = threshold > 128;
  each([=](std::uint32_t x) {
    const std::uint32_t carried = (x & ~kHigh & kBytes) + low;
    // For a threshold up to 128: the high bit, or enough below it. Above: both.
    const std::uint32_t reached =
        beyond_half ? carried & x & kHigh : (threshold == 128 ? x & kHigh : (carried | x) & kHigh);
    const std::uint32_t spread = (reached << 1) - (reached >> 7);
    return x ^ spread;
  });
}

void ApplyTables(const std::uint8_t* in, std::uint8_t* out, std::int64_t pixels,
                 const std::array<ByteTable, 3>& tables) {
  const std::uint8_t *r = tables[0].data(), *g = tables[1].data(), *b = tables[2].data();
  for (std::int64_t i = 0; i < pixels; ++i) {
    std::uint32_t x;
    std::memcpy(&x, in + 4 * i, sizeof x);
    x = static_cast<std::uint32_t>(r[x & 255]) | static_cast<std::uint32_t>(g[x >> 8 & 255]) << 8 |
        static_cast<std::uint32_t>(b[x >> 16 & 255]) << 16;
    std::memcpy(out + 4 * i, &x, sizeof x);
  }
}

std::array<ByteCounts, 3> CountBytes(const std::uint8_t* in, std::int64_t pixels) {
  std::array<ByteCounts, 3> counts = {};
  // Several counts side by side, so that equal neighbours need not wait for each other.
  std::array<std::array<std::array<std::uint32_t, 256>, 3>, 2> lanes = {};
  const auto count = [&](std::int64_t i, auto& lane) {
    std::uint32_t x;
    std::memcpy(&x, in + 4 * i, sizeof x);
    ++lane[0][x & 255];
    ++lane[1][x >> 8 & 255];
    ++lane[2][x >> 16 & 255];
  };
  std::int64_t i = 0;
  for (; i + 2 <= pixels; i += 2) {
    count(i, lanes[0]);
    count(i + 1, lanes[1]);
  }
  if (i < pixels) count(i, lanes[0]);
  for (int c = 0; c < 3; ++c) {
    for (int x = 0; x < 256; ++x) counts[c][x] = std::int64_t{lanes[0][c][x]} + lanes[1][c][x];
  }
  return counts;
}

}  // namespace kwker::image
