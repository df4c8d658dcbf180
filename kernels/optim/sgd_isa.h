// What sgd_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/optim/sgd.h"

namespace kwker::optim::internal {

// Elements [begin, end) of one tensor.
void SgdSse2(const SgdTensor<float>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<float>& s);
void SgdSse2(const SgdTensor<double>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<double>& s);
void SgdAvx2(const SgdTensor<float>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<float>& s);
void SgdAvx2(const SgdTensor<double>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<double>& s);
void SgdAvx512(const SgdTensor<float>& t, std::int64_t begin, std::int64_t end,
               const SgdScalars<float>& s);
void SgdAvx512(const SgdTensor<double>& t, std::int64_t begin, std::int64_t end,
               const SgdScalars<double>& s);

}  // namespace kwker::optim::internal
