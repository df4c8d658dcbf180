#include "kernels/image/normalize.h"

#include "kernels/base/by_isa.h"
#include "kernels/base/partition.h"
#include "kernels/image/normalize_isa.h"

namespace kwker::image {
namespace {

// Elements that are worth a thread.
constexpr std::int64_t kGrain = 65536;

template <typename In>
using RangeFunction = void (*)(const NormalizeRun<In>&, std::int64_t, std::int64_t, Scale, int);

}  // namespace

template <typename In>
void Normalize(std::span<const NormalizeRun<In>> runs, Scale scale, int period, Isa isa,
               const ParallelFor& parallel_for) {
  const auto range = ByIsa<RangeFunction<In>>(isa, internal::NormalizeSse2, internal::NormalizeAvx2,
                                              internal::NormalizeAvx512);
  ForEachRange(runs, kGrain, parallel_for,
               [&](const NormalizeRun<In>& run, std::int64_t begin, std::int64_t end) {
                 range(run, begin, end, scale, period);
               });
}

template void Normalize(std::span<const NormalizeRun<std::uint8_t>>, Scale, int, Isa,
                        const ParallelFor&);
template void Normalize(std::span<const NormalizeRun<float>>, Scale, int, Isa, const ParallelFor&);

}  // namespace kwker::image
