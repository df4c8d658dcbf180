#include "kernels/base/vec_sse2.h"
//
#include "kernels/image/packed_sse2.h"
#include "kernels/image/pixels_sse2.h"
//
#include "kernels/image/color-inl.h"

namespace kwker::image::internal {

std::int64_t ColorSse2(const ColorBlock& block) { return RunBlock(block); }

}  // namespace kwker::image::internal
