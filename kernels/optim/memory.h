// Copying and clearing many blocks of memory at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/base/parallel_for.h"

namespace kwker::optim {

// `numel` bytes; a block and its source do not overlap each other or other blocks.
struct CopiedBlock {
  std::byte* to;
  const std::byte* from;
  std::int64_t numel;
};

struct ClearedBlock {
  std::byte* block;
  std::int64_t numel;
};

void Copy(std::span<const CopiedBlock> blocks, const ParallelFor& parallel_for);

// Sets all bytes to zero.
void Clear(std::span<const ClearedBlock> blocks, const ParallelFor& parallel_for);

}  // namespace kwker::optim
