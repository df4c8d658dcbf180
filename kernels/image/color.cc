#include "kernels/image/color.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/base/by_isa.h"
#include "kernels/base/share.h"
#include "kernels/image/color_isa.h"

namespace kwker::image {
namespace {

using internal::ColorBlock;
using internal::kBlock;

// Blocks that are worth a thread.
constexpr std::int64_t kGrain = 32;

// An image without gaps between its rows is one long row.
bool RowsFollow(const ColorPass& pass) {
  return pass.in.row_step == pass.width * pass.in.pixel_step &&
         (pass.out.data == nullptr || pass.out.row_step == pass.width * pass.out.pixel_step);
}

}  // namespace

void Color(const ColorPass& pass, Isa isa, const ParallelFor& parallel_for) {
  const auto run_block =
      ByIsa(isa, &internal::ColorSse2, &internal::ColorAvx2, &internal::ColorAvx512);
  const std::int64_t rows = RowsFollow(pass) ? 1 : pass.rows;
  const std::int64_t width = RowsFollow(pass) ? pass.rows * pass.width : pass.width;
  const std::int64_t row_blocks = (width + kBlock - 1) / kBlock;
  const std::int64_t total = pass.images * rows * row_blocks;
  Share(total, total / kGrain, parallel_for, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t column = i % row_blocks * kBlock;
      const std::int64_t row = i / row_blocks % rows, image = i / row_blocks / rows;
      const std::int64_t pixel = (image * rows + row) * width + column;
      const ColorBlock block = {
          pass.in.At(image, row, column),
          pass.in.pixel_step,
          pass.in.channel_step,
          pass.out.data == nullptr ? nullptr : pass.out.At(image, row, column),
          pass.out.pixel_step,
          pass.out.channel_step,
          static_cast<int>(std::min<std::int64_t>(kBlock, width - column)),
          pass.ops,
          pass.means == nullptr ? 0 : pass.means[image],
          pass.gray,
          pass.plane == nullptr ? nullptr : pass.plane + pixel,
          pass.bytes == nullptr ? nullptr : pass.bytes + pixel};
      const std::int64_t sum = run_block(block);
      if (pass.gray != Gray::kNone) {
        std::atomic_ref(pass.sums[image]).fetch_add(sum, std::memory_order_relaxed);
      }
    }
  });
}

bool BlendIsTheSame(float factor, float rest, float mean, Isa isa) {
  if (isa == Isa::kDefault) return true;
  const auto quantized = [](float x) { return std::trunc(std::clamp(x, 0.0f, 255.0f)); };
  for (int i = 0; i < 256; ++i) {
    const float product = static_cast<float>(i) * factor;
    if (quantized(std::fma(mean, rest, product)) != quantized(mean * rest + product)) return false;
  }
  return true;
}

}  // namespace kwker::image
