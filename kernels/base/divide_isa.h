// What divide_<isa>.cc define, for divide_test.cc alone.
#pragma once

#include <cstdint>

namespace kwker::internal {

// The quotients a[i] / d of n elements, whole vectors of any instruction set; false
// if the divisor is not served.
bool DivideSse2(std::int64_t n, const float* a, float d, float* quotients);
bool DivideSse2(std::int64_t n, const double* a, double d, double* quotients);
bool DivideAvx2(std::int64_t n, const float* a, float d, float* quotients);
bool DivideAvx2(std::int64_t n, const double* a, double d, double* quotients);
bool DivideAvx512(std::int64_t n, const float* a, float d, float* quotients);
bool DivideAvx512(std::int64_t n, const double* a, double d, double* quotients);

}  // namespace kwker::internal
