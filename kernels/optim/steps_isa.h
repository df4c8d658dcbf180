// What steps_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/optim/adadelta.h"
#include "kernels/optim/adagrad.h"
#include "kernels/optim/adamax.h"
#include "kernels/optim/asgd.h"
#include "kernels/optim/average.h"
#include "kernels/optim/nadam.h"
#include "kernels/optim/radam.h"
#include "kernels/optim/rmsprop.h"
#include "kernels/optim/rprop.h"

// All that steps.h takes.
#define KWKER_FOR_EACH_STEP(DO) \
  DO(Rmsprop) DO(Adagrad) DO(Nadam) DO(Radam) DO(Adamax) DO(Adadelta) DO(Asgd) DO(Rprop) DO(Average)

namespace kwker::optim::internal {

// Elements [begin, end) of one tensor; in_rest: see kernels/base/loop_ends.h.
#define KWKER_DECLARE_RANGE(FUNCTION, NAME, T)                                  \
  void FUNCTION(const NAME##Tensor<T>& t, std::int64_t begin, std::int64_t end, \
                const NAME##Scalars<T>& s, bool in_rest);
#define KWKER_DECLARE_RANGES(NAME)             \
  KWKER_DECLARE_RANGE(StepSse2, NAME, float)   \
  KWKER_DECLARE_RANGE(StepSse2, NAME, double)  \
  KWKER_DECLARE_RANGE(StepAvx2, NAME, float)   \
  KWKER_DECLARE_RANGE(StepAvx2, NAME, double)  \
  KWKER_DECLARE_RANGE(StepAvx512, NAME, float) \
  KWKER_DECLARE_RANGE(StepAvx512, NAME, double)
KWKER_FOR_EACH_STEP(KWKER_DECLARE_RANGES)
#undef KWKER_DECLARE_RANGES
#undef KWKER_DECLARE_RANGE

}  // namespace kwker::optim::internal
