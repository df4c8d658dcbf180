#include "kernels/optim/adam.h"

#include "kernels/base/by_isa.h"
#include "kernels/base/loop_ends.h"
#include "kernels/base/partition.h"
#include "kernels/optim/adam_isa.h"

namespace kwker::optim {
namespace {

// Elements that are worth a thread: below twice this a second thread costs more
// than it takes over (see tests/benchmarks).
constexpr std::int64_t kGrain = 24576;

template <typename T>
using RangeFunction = void (*)(const AdamTensor<T>&, std::int64_t, std::int64_t, bool,
                               const AdamScalars<T>&, const SqrtChoice<T>&);

}  // namespace

template <typename T>
void Adam(std::span<const AdamTensor<T>> tensors, const AdamScalars<T>& scalars,
          const SqrtChoice<T>& sqrt, Isa isa, const ParallelFor& parallel_for) {
  const RangeFunction<T> range =
      ByIsa<RangeFunction<T>>(isa, internal::AdamSse2, internal::AdamAvx2, internal::AdamAvx512);
  ForEachRange(tensors, kGrain, parallel_for,
               [&](const AdamTensor<T>& t, std::int64_t begin, std::int64_t end) {
                 if (scalars.one_minus_beta1 != T(1) && t.max_exp_avg_sq == nullptr) {
                   return range(t, begin, end, false, scalars, sqrt);
                 }
                 const LoopEnds ends(t.numel, sizeof(T), scalars.torch_threads);
                 ends.ForEachPart(begin, end,
                                  [&](std::int64_t from, std::int64_t to, bool in_rest) {
                                    range(t, from, to, in_rest, scalars, sqrt);
                                  });
               });
}

template void Adam(std::span<const AdamTensor<float>>, const AdamScalars<float>&,
                   const SqrtChoice<float>&, Isa, const ParallelFor&);
template void Adam(std::span<const AdamTensor<double>>, const AdamScalars<double>&,
                   const SqrtChoice<double>&, Isa, const ParallelFor&);

}  // namespace kwker::optim
