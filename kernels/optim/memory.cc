#include "kernels/optim/memory.h"

#include <cstring>

#include "kernels/base/partition.h"

namespace kwker::optim {
namespace {

// Bytes that are worth a thread, as the grain of the steps.
constexpr std::int64_t kGrain = 1 << 18;

}  // namespace

void Copy(std::span<const CopiedBlock> blocks, const ParallelFor& parallel_for) {
  ForEachRange(blocks, kGrain, parallel_for,
               [](const CopiedBlock& b, std::int64_t begin, std::int64_t end) {
                 std::memcpy(b.to + begin, b.from + begin, static_cast<std::size_t>(end - begin));
               });
}

void Clear(std::span<const ClearedBlock> blocks, const ParallelFor& parallel_for) {
  ForEachRange(blocks, kGrain, parallel_for,
               [](const ClearedBlock& b, std::int64_t begin, std::int64_t end) {
                 std::memset(b.block + begin, 0, static_cast<std::size_t>(end - begin));
               });
}

}  // namespace kwker::optim
