#include "kernels/image/tables.h"

#include <algorithm>
#include <functional>

namespace kwker::image {
namespace {

// Bytes that are worth a thread.
constexpr std::int64_t kGrain = 32768;

// Calls body(plane, image, channel) for all planes, on as many threads as are worth it.
template <typename Body>
void EachPlane(const PlaneSizes& sizes, const ParallelFor& parallel_for, const Body& body) {
  const std::int64_t planes = sizes.images * sizes.channels;
  const std::int64_t worth = planes * sizes.rows * sizes.width / kGrain;
  const auto tasks =
      static_cast<int>(std::clamp<std::int64_t>(std::min(worth, planes), 1, parallel_for.threads));
  const auto run = [&](int task) {
    for (std::int64_t i = planes * task / tasks; i < planes * (task + 1) / tasks; ++i) {
      body(i, i / sizes.channels, i % sizes.channels);
    }
  };
  if (tasks == 1) {
    run(0);
  } else {
    parallel_for.run(tasks, run);
  }
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

}  // namespace kwker::image
