#include "kernels/image/sharpen.h"

#include <cstring>

#include "kernels/base/by_isa.h"
#include "kernels/base/share.h"
#include "kernels/image/sharpen_isa.h"

namespace kwker::image {
namespace {

using internal::SharpenRow;

// Elements that are worth a thread.
constexpr std::int64_t kGrain = 32768;

// Calls inner(row) for the rows that have two neighbours, and outer(in, out, n) for the others.
template <typename T, typename Inner, typename Outer>
void EachRow(const SharpenPass<T>& pass, bool pillow, const ParallelFor& parallel_for,
             const Inner& inner, const Outer& outer) {
  const std::int64_t total = pass.planes * pass.rows, n = pass.width * pass.step;
  Share(total, total * n / kGrain, parallel_for, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t plane = i / pass.rows, y = i % pass.rows;
      const T* in = pass.in + plane * pass.in_plane + y * pass.in_row;
      T* out = pass.out + plane * pass.out_plane + y * pass.out_row;
      if (y == 0 || y == pass.rows - 1) {
        outer(in, out, n);
      } else {
        inner(SharpenRow<T>{in - pass.in_row, in, in + pass.in_row, out, n, pass.step, pass.factor,
                            pass.rest, pillow});
      }
    }
  });
}

void Bytes(const SharpenPass<std::uint8_t>& pass, bool pillow, Isa isa,
           const ParallelFor& parallel_for) {
  const auto inner = ByIsa(isa, &internal::SharpenBytesSse2, &internal::SharpenBytesAvx2,
                           &internal::SharpenBytesAvx512);
  EachRow(pass, pillow, parallel_for, inner,
          [](const std::uint8_t* in, std::uint8_t* out, std::int64_t n) {
            std::memcpy(out, in, static_cast<std::size_t>(n));
          });
}

}  // namespace

void SharpenBytes(const SharpenPass<std::uint8_t>& pass, Isa isa, const ParallelFor& parallel_for) {
  Bytes(pass, /*pillow=*/false, isa, parallel_for);
}

void SharpenPillow(const SharpenPass<std::uint8_t>& pass, Isa isa,
                   const ParallelFor& parallel_for) {
  Bytes(pass, /*pillow=*/true, isa, parallel_for);
}

void SharpenFloats(const SharpenPass<float>& pass, Isa isa, const ParallelFor& parallel_for) {
  const auto inner = ByIsa(isa, &internal::SharpenFloatsSse2, &internal::SharpenFloatsAvx2,
                           &internal::SharpenFloatsAvx512);
  const auto outer = ByIsa(isa, &internal::ClampSse2, &internal::ClampAvx2, &internal::ClampAvx512);
  EachRow(pass, /*pillow=*/false, parallel_for, inner, outer);
}

}  // namespace kwker::image
