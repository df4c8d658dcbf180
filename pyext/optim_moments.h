// What the entries of NAdam and RAdam share.
#pragma once

#include "kernels/optim/moments.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"

namespace kwker::pyext {

// The hyperparameters of moments.h as Python objects.
struct MomentsArguments {
  PyObject *beta1, *beta2, *lr, *weight_decay, *decoupled, *maximize;
};

template <typename T>
optim::MomentsScalars<T> GetMoments(const MomentsArguments& a) {
  const double beta1 = Beta(a.beta1), beta2 = Beta(a.beta2);
  const double lr = PlainOrNumpy(a.lr).value, weight_decay = PlainOrNumpy(a.weight_decay).value;
  const bool decays = weight_decay != 0, decoupled = Flag(a.decoupled);
  const optim::MomentsScalars<T> scalars = {
      {Flag(a.maximize), decays && !decoupled, Rounded<T>(weight_decay)},
      decays && decoupled,
      Rounded<T>(1 - lr * weight_decay),
      Rounded<T>(1 - beta1),
      Rounded<T>(beta2),
      Rounded<T>(1 - beta2)};
  return scalars;
}

// Parameters are written once, and once more where they decay by themselves.
template <typename T>
int DecayWrites(const optim::MomentsScalars<T>& scalars) {
  return scalars.decoupled ? 1 : 0;
}

template <typename T>
optim::MomentsTensor<T> GetMomentsTensor(const OptimLists::Arrays<T>& arrays) {
  return {arrays.param, arrays.grad, arrays.states[0], arrays.states[1], arrays.numel};
}

}  // namespace kwker::pyext
