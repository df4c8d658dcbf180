#include "kernels/base/vec_avx2.h"
//
#define KWKER_STEP StepAvx2
#include "kernels/optim/steps-inl.h"
