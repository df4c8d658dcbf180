// What sqrt_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/base/sqrt.h"

namespace kwker::internal {

void SqrtSse2(const SqrtChoice<float>& choice, std::int64_t n, const float* x, float* y);
void SqrtSse2(const SqrtChoice<double>& choice, std::int64_t n, const double* x, double* y);
void SqrtAvx2(const SqrtChoice<float>& choice, std::int64_t n, const float* x, float* y);
void SqrtAvx2(const SqrtChoice<double>& choice, std::int64_t n, const double* x, double* y);
void SqrtAvx512(const SqrtChoice<float>& choice, std::int64_t n, const float* x, float* y);
void SqrtAvx512(const SqrtChoice<double>& choice, std::int64_t n, const double* x, double* y);

}  // namespace kwker::internal
