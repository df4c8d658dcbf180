// Time of one resize on one thread, by instruction set, filter, pixel and size:
// bazel run -c opt //kernels/image:resize_bench. For comparisons with Pillow see
// tests/benchmarks/vision.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/image/resize.h"

namespace kwker::image {
namespace {

void BM_ResizeBytes(benchmark::State& state) {
  const auto isa = static_cast<Isa>(state.range(0));
  const auto filter = static_cast<Filter>(state.range(1));
  const int pixel = static_cast<int>(state.range(2));
  const int width = static_cast<int>(state.range(3)), height = width * 3 / 4;
  if (!IsaIsSupported(isa)) return state.SkipWithError("not on this CPU");
  const auto bytes = static_cast<std::size_t>(width * height * pixel);
  std::vector<std::uint8_t> in(bytes, 100), out(224 * 224 * static_cast<std::size_t>(pixel));
  std::vector<const std::uint8_t*> rows;
  for (int y = 0; y < height; ++y) rows.push_back(in.data() + y * width * pixel);
  const ResizeGeometry geometry = {
      width, height, 224, 224, 0, 0, static_cast<float>(width), static_cast<float>(height), filter};
  for (auto _ : state) {
    ResizeBytes(geometry, {pixel, 0xFFFFFF}, rows.data(), out.data(), isa);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.SetLabel(std::string(IsaName(isa)));
}
BENCHMARK(BM_ResizeBytes)
    ->ArgNames({"isa", "filter", "pixel", "width"})
    ->ArgsProduct({{0, 1, 2}, {1, 2, 3}, {1, 4}, {160, 500, 1280}});

void BM_MakeTaps(benchmark::State& state) {
  const auto filter = static_cast<Filter>(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(MakeTaps(filter, 500, 0, 500, 224, Precision::kFixedPoint));
}
BENCHMARK(BM_MakeTaps)->ArgName("filter")->DenseRange(1, 7);

}  // namespace
}  // namespace kwker::image
