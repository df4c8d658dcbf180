#include "kernels/image/lanes_sse2.h"
//
#include "kernels/image/resize-inl.h"

namespace kwker::image::internal {

void HorizontalSse2(const LaneProgram& program, const std::uint8_t* const* in,
                    std::uint8_t* const* out) {
  Horizontal(program, in, out);
}

void VerticalSse2(const std::uint8_t* const* rows, const std::uint32_t* weights, int pairs,
                  std::int64_t bytes, std::uint32_t channels, std::uint8_t* out) {
  Vertical(rows, weights, pairs, bytes, channels, out);
}

}  // namespace kwker::image::internal
