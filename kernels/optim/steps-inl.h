// The bodies of steps.h for one instruction set. Include a vec_*.h first, and define
// KWKER_STEP as that set's function of steps_isa.h.
#pragma once

#include <cstdint>

#include "kernels/optim/adadelta-inl.h"
#include "kernels/optim/adagrad-inl.h"
#include "kernels/optim/adamax-inl.h"
#include "kernels/optim/asgd-inl.h"
#include "kernels/optim/average-inl.h"
#include "kernels/optim/nadam-inl.h"
#include "kernels/optim/radam-inl.h"
#include "kernels/optim/rmsprop-inl.h"
#include "kernels/optim/rprop-inl.h"
#include "kernels/optim/steps_isa.h"

namespace kwker::optim::internal {

#define KWKER_DEFINE_RANGES(NAME)                                                      \
  void KWKER_STEP(const NAME##Tensor<float>& t, std::int64_t begin, std::int64_t end,  \
                  const NAME##Scalars<float>& s, bool in_rest) {                       \
    NAME##Range<F32>(t, begin, end, s, in_rest);                                       \
  }                                                                                    \
  void KWKER_STEP(const NAME##Tensor<double>& t, std::int64_t begin, std::int64_t end, \
                  const NAME##Scalars<double>& s, bool in_rest) {                      \
    NAME##Range<F64>(t, begin, end, s, in_rest);                                       \
  }
KWKER_FOR_EACH_STEP(KWKER_DEFINE_RANGES)
#undef KWKER_DEFINE_RANGES

}  // namespace kwker::optim::internal
