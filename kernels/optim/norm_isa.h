// What norm_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

namespace kwker::optim::internal {

// See norm.h.
float NormSse2(const float* data, std::int64_t numel, std::int64_t block);
float NormAvx2(const float* data, std::int64_t numel, std::int64_t block);

void ScaleSse2(float* data, std::int64_t begin, std::int64_t end, float factor);
void ScaleAvx2(float* data, std::int64_t begin, std::int64_t end, float factor);
void ScaleAvx512(float* data, std::int64_t begin, std::int64_t end, float factor);

}  // namespace kwker::optim::internal
