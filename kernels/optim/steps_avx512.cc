#include "kernels/base/vec_avx512.h"
//
#define KWKER_STEP StepAvx512
#include "kernels/optim/steps-inl.h"
