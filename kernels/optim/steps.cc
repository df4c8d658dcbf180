#include "kernels/optim/steps.h"

#include "kernels/base/by_isa.h"
#include "kernels/base/loop_ends.h"
#include "kernels/base/partition.h"
#include "kernels/optim/steps_isa.h"

namespace kwker::optim {
namespace {

// Elements that are worth a thread: below twice this a second thread costs more
// than it takes over (see tests/benchmarks).
constexpr std::int64_t kGrain = 24576;

template <class Tensor, class Scalars>
using RangeFunction = void (*)(const Tensor&, std::int64_t, std::int64_t, const Scalars&, bool);

}  // namespace

template <class Tensor, class Scalars>
void Step(std::span<const Tensor> tensors, const Scalars& scalars, Isa isa,
          const ParallelFor& parallel_for) {
  const auto range = ByIsa<RangeFunction<Tensor, Scalars>>(
      isa, internal::StepSse2, internal::StepAvx2, internal::StepAvx512);
  int torch_threads = 0;
  if constexpr (requires { scalars.torch_threads; }) torch_threads = scalars.torch_threads;
  ForEachRange(
      tensors, kGrain, parallel_for, [&](const Tensor& t, std::int64_t begin, std::int64_t end) {
        if (torch_threads == 0) return range(t, begin, end, scalars, false);
        const LoopEnds ends(t.numel, sizeof(*t.param), torch_threads);
        ends.ForEachPart(begin, end, [&](std::int64_t from, std::int64_t to, bool in_rest) {
          range(t, from, to, scalars, in_rest);
        });
      });
}

#define KWKER_INSTANTIATE(NAME)                                                                \
  template void Step(std::span<const NAME##Tensor<float>>, const NAME##Scalars<float>&, Isa,   \
                     const ParallelFor&);                                                      \
  template void Step(std::span<const NAME##Tensor<double>>, const NAME##Scalars<double>&, Isa, \
                     const ParallelFor&);
KWKER_FOR_EACH_STEP(KWKER_INSTANTIATE)
#undef KWKER_INSTANTIATE

}  // namespace kwker::optim
