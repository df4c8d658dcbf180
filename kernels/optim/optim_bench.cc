// Bytes a second of the optimizers' kernels on one thread, by instruction set,
// square root and size, beside the traffic alone ("floor"):
// bazel run -c opt //kernels/optim:optim_bench. For comparisons with torch see
// tests/benchmarks.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/optim/adam.h"
#include "kernels/optim/sgd.h"
#include "kernels/optim/traffic.h"

namespace kwker::optim {
namespace {

template <typename T>
void Sqrt(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}

void SkipUnlessSupported(benchmark::State& state, Isa isa) {
  if (!IsaIsSupported(isa)) state.SkipWithError("not on this CPU");
}

template <typename T, Isa kIsa, SqrtForm kForm>
void BM_AdamW(benchmark::State& state) {
  SkipUnlessSupported(state, kIsa);
  const std::int64_t n = state.range(0) / static_cast<std::int64_t>(sizeof(T) / 4);
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> p(size, T(1)), g(size, T(0.1)), m(size, T(0.1)), v(size, T(0.01));
  const AdamTensor<T> tensor = {p.data(), g.data(), m.data(), v.data(), n, T(-1e-3), T(0.3)};
  const AdamScalars<T> scalars = {
      WeightDecay::kDecoupled, T(0.999), T(0.01), T(0.1), T(0.999), T(1e-3), T(1e-8), false};
  for (auto _ : state) {
    Adam<T>({&tensor, 1}, scalars, {kForm, &Sqrt<T>}, kIsa, Serial());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 7 * 4);  // 4 read, 3 written
}

template <Isa kIsa>
void BM_SgdMomentum(benchmark::State& state) {
  SkipUnlessSupported(state, kIsa);
  const std::int64_t n = state.range(0);
  const auto size = static_cast<std::size_t>(n);
  std::vector<float> p(size, 1), g(size, 0.1f), b(size, 0.1f);
  const SgdTensor<float> tensor = {p.data(), g.data(), b.data(), n, false};
  const SgdScalars<float> scalars = {-0.1f, 1e-4f, 0.9f, 1, true, false, false};
  for (auto _ : state) {
    Sgd<float>({&tensor, 1}, scalars, kIsa, Serial());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 5 * 4);  // 3 read, 2 written
}

// The same arrays as SGD with momentum (two updated) or Adam (three).
template <Isa kIsa, int kUpdated>
void BM_Floor(benchmark::State& state) {
  SkipUnlessSupported(state, kIsa);
  const std::int64_t n = state.range(0);
  std::vector<std::vector<std::uint32_t>> arrays(kUpdated + 1);
  for (auto& array : arrays) array.assign(static_cast<std::size_t>(n), 1);
  TrafficTensor tensor = {{}, arrays[kUpdated].data(), n};
  for (int k = 0; k < kUpdated; ++k) tensor.updated[k] = arrays[k].data();
  for (auto _ : state) {
    Traffic({&tensor, 1}, kIsa, Serial());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * (2 * kUpdated + 1) * 4);
}

constexpr auto kDefault = Isa::kDefault, kAvx2 = Isa::kAvx2, kAvx512 = Isa::kAvx512;
constexpr auto kLibrary = SqrtForm::kLibrary, kIeee = SqrtForm::kIeee,
               kRsqrt12 = SqrtForm::kRsqrt12, kRsqrt14 = SqrtForm::kRsqrt14;

#define KWKER_BENCHMARK(...) \
  BENCHMARK_TEMPLATE(__VA_ARGS__)->Arg(4096)->Arg(65536)->Arg(524288)->Arg(16777216)

KWKER_BENCHMARK(BM_Floor, kAvx2, 3);
KWKER_BENCHMARK(BM_AdamW, float, kAvx2, kLibrary);
KWKER_BENCHMARK(BM_AdamW, float, kAvx2, kIeee);
KWKER_BENCHMARK(BM_AdamW, float, kAvx2, kRsqrt12);
KWKER_BENCHMARK(BM_AdamW, double, kAvx2, kLibrary);
KWKER_BENCHMARK(BM_AdamW, double, kAvx2, kIeee);
KWKER_BENCHMARK(BM_Floor, kAvx512, 3);
KWKER_BENCHMARK(BM_AdamW, float, kAvx512, kLibrary);
KWKER_BENCHMARK(BM_AdamW, float, kAvx512, kIeee);
KWKER_BENCHMARK(BM_AdamW, float, kAvx512, kRsqrt14);
KWKER_BENCHMARK(BM_AdamW, double, kAvx512, kRsqrt14);
KWKER_BENCHMARK(BM_AdamW, float, kDefault, kIeee);
KWKER_BENCHMARK(BM_AdamW, float, kDefault, kRsqrt12);
KWKER_BENCHMARK(BM_Floor, kAvx2, 2);
KWKER_BENCHMARK(BM_SgdMomentum, kAvx2);
KWKER_BENCHMARK(BM_Floor, kAvx512, 2);
KWKER_BENCHMARK(BM_SgdMomentum, kAvx512);

}  // namespace
}  // namespace kwker::optim
