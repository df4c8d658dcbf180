#include "kernels/image/color.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/image/color_isa.h"

namespace kwker::image {
namespace {

using internal::ColorBlock;
using internal::kBlock;

// Blocks that are worth a thread.
constexpr std::int64_t kGrain = 32;

auto Choose(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return internal::ColorAvx512;
    case Isa::kAvx2:
      return internal::ColorAvx2;
    case Isa::kDefault:
      break;
  }
  return internal::ColorSse2;
}

template <typename T>
T* At(const Pixels<T>& pixels, std::int64_t image, std::int64_t row, std::int64_t column) {
  return pixels.data + image * pixels.image_step + row * pixels.row_step +
         column * pixels.pixel_step;
}

// An image without gaps between its rows is one long row.
bool RowsFollow(const ColorPass& pass) {
  return pass.in.row_step == pass.width * pass.in.pixel_step &&
         (pass.out.data == nullptr || pass.out.row_step == pass.width * pass.out.pixel_step);
}

}  // namespace

void Color(const ColorPass& pass, Isa isa, const ParallelFor& parallel_for) {
  const auto run_block = Choose(isa);
  const std::int64_t rows = RowsFollow(pass) ? 1 : pass.rows;
  const std::int64_t width = RowsFollow(pass) ? pass.rows * pass.width : pass.width;
  const std::int64_t row_blocks = (width + kBlock - 1) / kBlock;
  const std::int64_t total = pass.images * rows * row_blocks;
  const auto tasks =
      static_cast<int>(std::clamp<std::int64_t>(total / kGrain, 1, parallel_for.threads));

  const auto run_task = [&](int task) {
    for (std::int64_t i = total * task / tasks; i < total * (task + 1) / tasks; ++i) {
      const std::int64_t column = i % row_blocks * kBlock;
      const std::int64_t row = i / row_blocks % rows, image = i / row_blocks / rows;
      const std::int64_t pixel = (image * rows + row) * width + column;
      const ColorBlock block = {
          At(pass.in, image, row, column),
          pass.in.pixel_step,
          pass.in.channel_step,
          pass.out.data == nullptr ? nullptr : At(pass.out, image, row, column),
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
  };
  if (tasks == 1) {
    run_task(0);
  } else {
    parallel_for.run(tasks, run_task);
  }
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
