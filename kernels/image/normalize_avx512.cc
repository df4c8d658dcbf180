#include "kernels/base/vec_avx512.h"
//
#include "kernels/image/pixels_avx512.h"
//
#include "kernels/image/normalize-inl.h"

namespace kwker::image::internal {

void NormalizeAvx512(const NormalizeRun<std::uint8_t>& run, std::int64_t begin, std::int64_t end,
                     Scale scale, int period) {
  AnyScale(run, begin, end, scale, period);
}

void NormalizeAvx512(const NormalizeRun<float>& run, std::int64_t begin, std::int64_t end,
                     Scale scale, int period) {
  AnyScale(run, begin, end, scale, period);
}

}  // namespace kwker::image::internal
