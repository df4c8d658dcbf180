// kernels/optim/adam.cc, planted with an error: the last bit of some of AdamW's
// parameters. Linked in its place, it shows what the self-check is for.
#define Adam RightAdam
#include "kernels/optim/adam.cc"
#undef Adam

#include <bit>
#include <type_traits>

namespace kwker::optim {

template <typename T>
void Adam(std::span<const AdamTensor<T>> tensors, const AdamScalars<T>& scalars,
          const SqrtChoice<T>& sqrt, Isa isa, const ParallelFor& parallel_for) {
  RightAdam(tensors, scalars, sqrt, isa, parallel_for);
  if (scalars.weight_decay_kind != WeightDecay::kDecoupled) return;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (const AdamTensor<T>& t : tensors) {
    for (std::int64_t i = 2; i < t.numel; i += 5) {
      t.param[i] = std::bit_cast<T>(std::bit_cast<Bits>(t.param[i]) ^ 1);
    }
  }
}

template void Adam(std::span<const AdamTensor<float>>, const AdamScalars<float>&,
                   const SqrtChoice<float>&, Isa, const ParallelFor&);
template void Adam(std::span<const AdamTensor<double>>, const AdamScalars<double>&,
                   const SqrtChoice<double>&, Isa, const ParallelFor&);

}  // namespace kwker::optim
