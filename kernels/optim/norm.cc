#include "kernels/optim/norm.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <numeric>
#include <vector>

#include "kernels/base/by_isa.h"
#include "kernels/base/partition.h"
#include "kernels/optim/norm_isa.h"

namespace kwker::optim {
namespace {

// Elements that are worth a thread, and what a tensor costs apart from its elements.
constexpr std::int64_t kGrain = 24576;
constexpr std::int64_t kTensorCost = 64;

using NormFunction = float (*)(const float*, std::int64_t, std::int64_t);

NormFunction Choose(Isa isa) {
  return ByIsa(isa, internal::NormSse2, internal::NormAvx2, internal::NormAvx2);
}

}  // namespace

void Norms(std::span<const NormTensor> tensors, std::int64_t block, float* norms, Isa isa,
           const ParallelFor& parallel_for) {
  const NormFunction norm = Choose(isa);
  std::int64_t total = 0;
  for (const NormTensor& t : tensors) total += t.numel + kTensorCost;
  const auto tasks = static_cast<int>(std::clamp<std::int64_t>(
      total / kGrain, 1,
      std::min<std::int64_t>(parallel_for.threads, static_cast<std::int64_t>(tensors.size()))));
  if (tasks <= 1) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      norms[i] = norm(tensors[i].data, tensors[i].numel, block);
    }
    return;
  }
  // The largest first, each by whoever is free.
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tensors[a].numel > tensors[b].numel; });
  std::atomic<std::size_t> next = 0;
  parallel_for.run(tasks, [&](int) {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const NormTensor& t = tensors[order[i]];
      norms[order[i]] = norm(t.data, t.numel, block);
    }
  });
}

void Scale(std::span<const ScaledTensor> tensors, float factor, Isa isa,
           const ParallelFor& parallel_for) {
  const auto range = ByIsa(isa, internal::ScaleSse2, internal::ScaleAvx2, internal::ScaleAvx512);
  ForEachRange(tensors, kGrain, parallel_for,
               [&](const ScaledTensor& t, std::int64_t begin, std::int64_t end) {
                 range(t.data, begin, end, factor);
               });
}

std::int64_t MatchNorm(Isa isa, TorchNorm torch_norm) {
  constexpr std::int64_t kLongest = 40;
  constexpr int kRepeats = 12;
  std::vector<std::array<float, kLongest>> arrays(kRepeats);
  std::uint32_t x = 1;
  for (auto& array : arrays) {
    for (float& value : array) {
      x = x * 1664525u + 1013904223u;
      value = static_cast<float>(x >> 8) * 0x1p-23f - 1;
    }
  }
  // The longest rest is shorter than the last: all of it is rounded once.
  for (const std::int64_t block : {4, 1, 8, 16}) {
    bool same = true;
    for (std::int64_t n = 0; same && n <= kLongest; ++n) {
      for (const auto& array : arrays) {
        const float ours = Choose(isa)(array.data(), n, block);
        const float theirs = torch_norm(array.data(), n);
        if (std::bit_cast<std::uint32_t>(ours) != std::bit_cast<std::uint32_t>(theirs)) {
          same = false;
          break;
        }
      }
    }
    if (same) return block;
  }
  return 0;
}

}  // namespace kwker::optim
