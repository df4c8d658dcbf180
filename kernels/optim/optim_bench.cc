// Bytes a second of the optimizers' kernels on one thread, by instruction set,
// square root and size: bazel run //kernels/optim:optim_bench. For comparisons
// with torch see tests/benchmarks.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "kernels/optim/adam.h"
#include "kernels/optim/sgd.h"

namespace kwker::optim {
namespace {

template <typename T>
void Sqrt(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}

void BM_AdamW(benchmark::State& state) {
  const auto isa = static_cast<Isa>(state.range(0));
  const auto form = static_cast<SqrtForm>(state.range(1));
  const std::int64_t n = state.range(2);
  if (!IsaIsSupported(isa)) return state.SkipWithError("not on this CPU");
  if (form == SqrtForm::kEstimate && isa != Isa::kAvx512) {
    return state.SkipWithError("AVX-512 only");
  }
  const auto size = static_cast<std::size_t>(n);
  std::vector<float> p(size, 1), g(size, 0.1f), m(size, 0.1f), v(size, 0.01f);
  const AdamTensor<float> tensor = {p.data(), g.data(), m.data(), v.data(), n, -1e-3f, 0.5f};
  const AdamScalars<float> scalars = {
      WeightDecay::kDecoupled, 0.999f, 0.01f, 0.1f, 0.999f, 1e-3f, 1e-8f, false};
  for (auto _ : state) {
    Adam<float>({&tensor, 1}, scalars, {form, &Sqrt<float>}, isa, Serial());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 7 * 4);  // 4 read, 3 written
  state.SetLabel(std::string(IsaName(isa)) + " " + SqrtFormName(form));
}
BENCHMARK(BM_AdamW)->ArgsProduct({{0, 1, 2}, {0, 1, 2}, {4096, 262144, 16777216}});

void BM_SgdMomentum(benchmark::State& state) {
  const auto isa = static_cast<Isa>(state.range(0));
  const std::int64_t n = state.range(1);
  if (!IsaIsSupported(isa)) return state.SkipWithError("not on this CPU");
  const auto size = static_cast<std::size_t>(n);
  std::vector<float> p(size, 1), g(size, 0.1f), b(size, 0.1f);
  const SgdTensor<float> tensor = {p.data(), g.data(), b.data(), n, false};
  const SgdScalars<float> scalars = {-0.1f, 1e-4f, 0.9f, 1, true, false, false};
  for (auto _ : state) {
    Sgd<float>({&tensor, 1}, scalars, isa, Serial());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 5 * 4);  // 3 read, 2 written
  state.SetLabel(std::string(IsaName(isa)));
}
BENCHMARK(BM_SgdMomentum)->ArgsProduct({{0, 1, 2}, {4096, 262144, 16777216}});

}  // namespace
}  // namespace kwker::optim
