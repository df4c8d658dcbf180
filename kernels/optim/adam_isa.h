// What adam_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/optim/adam.h"

namespace kwker::optim::internal {

// Elements [begin, end) of one tensor. `in_rest`: they are in the rest of one of
// torch's loops (kernels/base/loop_ends.h); only asked where it matters.
void AdamSse2(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end, bool in_rest,
              const AdamScalars<float>& s, const SqrtChoice<float>& sqrt);
void AdamSse2(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end, bool in_rest,
              const AdamScalars<double>& s, const SqrtChoice<double>& sqrt);
void AdamAvx2(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end, bool in_rest,
              const AdamScalars<float>& s, const SqrtChoice<float>& sqrt);
void AdamAvx2(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end, bool in_rest,
              const AdamScalars<double>& s, const SqrtChoice<double>& sqrt);
void AdamAvx512(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end, bool in_rest,
                const AdamScalars<float>& s, const SqrtChoice<float>& sqrt);
void AdamAvx512(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end, bool in_rest,
                const AdamScalars<double>& s, const SqrtChoice<double>& sqrt);

}  // namespace kwker::optim::internal
