#include "kernels/base/vec_sse2.h"
//
#define KWKER_STEP StepSse2
#include "kernels/optim/steps-inl.h"
