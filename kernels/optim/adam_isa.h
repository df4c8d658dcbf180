// What adam_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/optim/adam.h"

namespace kwker::optim::internal {

// Elements [begin, end) of one tensor.
void AdamSse2(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end,
              const AdamScalars<float>& s, const SqrtChoice<float>& sqrt);
void AdamSse2(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end,
              const AdamScalars<double>& s, const SqrtChoice<double>& sqrt);
void AdamAvx2(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end,
              const AdamScalars<float>& s, const SqrtChoice<float>& sqrt);
void AdamAvx2(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end,
              const AdamScalars<double>& s, const SqrtChoice<double>& sqrt);
void AdamAvx512(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end,
                const AdamScalars<float>& s, const SqrtChoice<float>& sqrt);
void AdamAvx512(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end,
                const AdamScalars<double>& s, const SqrtChoice<double>& sqrt);

}  // namespace kwker::optim::internal
