// Splitting a number of equal pieces among threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/base/parallel_for.h"

namespace kwker {

// Calls body(first, last) so that each of the pieces 0 ... total - 1 is in one range, on as
// many threads as the work is worth; on the calling one alone where that is one or none.
template <typename Body>
void Share(std::int64_t total, std::int64_t worth, const ParallelFor& parallel_for,
           const Body& body) {
  const auto tasks = static_cast<int>(std::clamp<std::int64_t>(worth, 1, parallel_for.threads));
  if (tasks == 1) {
    body(std::int64_t{0}, total);
    return;
  }
  parallel_for.run(tasks,
                   [&](int task) { body(total * task / tasks, total * (task + 1) / tasks); });
}

}  // namespace kwker
