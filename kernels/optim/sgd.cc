#include "kernels/optim/sgd.h"

#include "kernels/base/by_isa.h"
#include "kernels/base/partition.h"
#include "kernels/optim/sgd_isa.h"

namespace kwker::optim {
namespace {

// Elements that are worth a thread: below twice this a second thread costs more
// than it takes over (see tests/benchmarks).
constexpr std::int64_t kGrain = 32768;

template <typename T>
using RangeFunction = void (*)(const SgdTensor<T>&, std::int64_t, std::int64_t,
                               const SgdScalars<T>&);

}  // namespace

template <typename T>
void Sgd(std::span<const SgdTensor<T>> tensors, const SgdScalars<T>& scalars, Isa isa,
         const ParallelFor& parallel_for) {
  const RangeFunction<T> range =
      ByIsa<RangeFunction<T>>(isa, internal::SgdSse2, internal::SgdAvx2, internal::SgdAvx512);
  ForEachRange(tensors, kGrain, parallel_for,
               [&](const SgdTensor<T>& t, std::int64_t begin, std::int64_t end) {
                 range(t, begin, end, scalars);
               });
}

template void Sgd(std::span<const SgdTensor<float>>, const SgdScalars<float>&, Isa,
                  const ParallelFor&);
template void Sgd(std::span<const SgdTensor<double>>, const SgdScalars<double>&, Isa,
                  const ParallelFor&);

}  // namespace kwker::optim
