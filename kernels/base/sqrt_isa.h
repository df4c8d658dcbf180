// What sqrt_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/base/sqrt.h"

namespace kwker::internal {

void SqrtIeeeSse2(std::int64_t n, const float* x, float* y, LibrarySqrt<float> library);
void SqrtIeeeSse2(std::int64_t n, const double* x, double* y, LibrarySqrt<double> library);
void SqrtIeeeAvx2(std::int64_t n, const float* x, float* y, LibrarySqrt<float> library);
void SqrtIeeeAvx2(std::int64_t n, const double* x, double* y, LibrarySqrt<double> library);
void SqrtIeeeAvx512(std::int64_t n, const float* x, float* y, LibrarySqrt<float> library);
void SqrtIeeeAvx512(std::int64_t n, const double* x, double* y, LibrarySqrt<double> library);
void SqrtEstimateAvx512(std::int64_t n, const float* x, float* y, LibrarySqrt<float> library);
void SqrtEstimateAvx512(std::int64_t n, const double* x, double* y, LibrarySqrt<double> library);

}  // namespace kwker::internal
