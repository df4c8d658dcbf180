#include "kernels/image/float_color.h"

#include <algorithm>
#include <atomic>

#include "kernels/base/by_isa.h"
#include "kernels/base/share.h"
#include "kernels/image/float_color_isa.h"

namespace kwker::image {
namespace {

using internal::FloatBlock;
using internal::kFloatBlock;

// Values that are worth a thread.
constexpr std::int64_t kGrain = 32768;

// run(block) for all pixels of all images.
template <typename Run>
void EachBlock(const FloatPass& pass, const ParallelFor& parallel_for, const Run& run) {
  // An image without gaps between its rows is one long row.
  const bool joined = pass.in.row_step == pass.width * pass.in.pixel_step &&
                      pass.out.row_step == pass.width * pass.out.pixel_step;
  const std::int64_t rows = joined ? 1 : pass.rows;
  const std::int64_t width = joined ? pass.rows * pass.width : pass.width;
  const std::int64_t in_row = (width + kFloatBlock - 1) / kFloatBlock;
  const std::int64_t pixels = pass.images * rows * width;
  Share(pass.images * rows * in_row, 3 * pixels / kGrain, parallel_for,
        [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t column = i % in_row * kFloatBlock;
            const std::int64_t row = i / in_row % rows, image = i / in_row / rows;
            run(FloatBlock{pass.in.At(image, row, column), pass.in.pixel_step, pass.in.channel_step,
                           pass.out.At(image, row, column), pass.out.pixel_step,
                           pass.out.channel_step,
                           static_cast<int>(std::min<std::int64_t>(kFloatBlock, width - column)),
                           pass.factor, pass.rest});
          }
        });
}

}  // namespace

bool FloatHue(const FloatPass& pass, Isa isa, const ParallelFor& parallel_for) {
  const auto run =
      ByIsa(isa, &internal::FloatHueSse2, &internal::FloatHueAvx2, &internal::FloatHueAvx512);
  std::atomic<bool> usual = true;
  EachBlock(pass, parallel_for, [&](const FloatBlock& block) {
    if (usual.load(std::memory_order_relaxed) && !run(block)) usual = false;
  });
  return usual;
}

void FloatSaturation(const FloatPass& pass, Isa isa, const ParallelFor& parallel_for) {
  EachBlock(pass, parallel_for,
            ByIsa(isa, &internal::FloatSaturationSse2, &internal::FloatSaturationAvx2,
                  &internal::FloatSaturationAvx512));
}

void FloatSolarize(const float* in, float* out, std::int64_t n, float threshold, Isa isa,
                   const ParallelFor& parallel_for) {
  const auto run = ByIsa(isa, &internal::FloatSolarizeSse2, &internal::FloatSolarizeAvx2,
                         &internal::FloatSolarizeAvx512);
  Share(n, n / kGrain, parallel_for, [&](std::int64_t first, std::int64_t last) {
    run(in + first, out + first, last - first, threshold);
  });
}

}  // namespace kwker::image
