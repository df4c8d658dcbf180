// Splitting a list of arrays among threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/base/parallel_for.h"

namespace kwker {

// Calls body(item, begin, end) so that every element of every item is in one
// range, with the same amount of work for each thread: an item is cut where the
// share of a thread ends, between cache lines. Items need a member `numel`.
//
// `grain` is the number of elements that are worth a thread; below two of them
// everything stays on the calling thread.
template <typename Item, typename Body>
void ForEachRange(std::span<const Item> items, std::int64_t grain, const ParallelFor& parallel_for,
                  const Body& body) {
  // What an item costs apart from its elements, in elements.
  constexpr std::int64_t kItemCost = 64;
  constexpr std::int64_t kCut = 64;

  std::int64_t total = 0;
  for (const Item& item : items) total += item.numel + kItemCost;
  const auto tasks =
      static_cast<int>(std::clamp<std::int64_t>(total / grain, 1, parallel_for.threads));
  if (tasks == 1) {
    for (const Item& item : items) body(item, std::int64_t{0}, item.numel);
    return;
  }

  parallel_for.run(tasks, [&](int task) {
    const std::int64_t first = total * task / tasks;
    const std::int64_t last = total * (task + 1) / tasks;
    std::int64_t start = 0;  // of this item, on the same scale as first and last
    for (const Item& item : items) {
      if (start >= last) break;
      // A cut at position x of the scale falls behind this many elements. Both
      // neighbours compute it alike.
      const auto cut = [&](std::int64_t x) {
        const std::int64_t elements = std::clamp<std::int64_t>(x - start, 0, item.numel);
        return elements == item.numel ? elements : elements / kCut * kCut;
      };
      const std::int64_t begin = cut(first), end = cut(last);
      if (begin < end) body(item, begin, end);
      start += item.numel + kItemCost;
    }
  });
}

}  // namespace kwker
