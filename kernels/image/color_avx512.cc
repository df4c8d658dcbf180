#include "kernels/base/vec_avx512.h"
//
#include "kernels/image/packed_avx2.h"
#include "kernels/image/pixels_avx512.h"
//
#include "kernels/image/color-inl.h"

namespace kwker::image::internal {

std::int64_t ColorAvx512(const ColorBlock& block) { return RunBlock(block); }

}  // namespace kwker::image::internal
