// What normalize_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/image/normalize.h"

namespace kwker::image::internal {

// Elements [begin, end) of one run.
void NormalizeSse2(const NormalizeRun<std::uint8_t>& run, std::int64_t begin, std::int64_t end,
                   Scale scale, int period);
void NormalizeSse2(const NormalizeRun<float>& run, std::int64_t begin, std::int64_t end,
                   Scale scale, int period);
void NormalizeAvx2(const NormalizeRun<std::uint8_t>& run, std::int64_t begin, std::int64_t end,
                   Scale scale, int period);
void NormalizeAvx2(const NormalizeRun<float>& run, std::int64_t begin, std::int64_t end,
                   Scale scale, int period);
void NormalizeAvx512(const NormalizeRun<std::uint8_t>& run, std::int64_t begin, std::int64_t end,
                     Scale scale, int period);
void NormalizeAvx512(const NormalizeRun<float>& run, std::int64_t begin, std::int64_t end,
                     Scale scale, int period);

}  // namespace kwker::image::internal
