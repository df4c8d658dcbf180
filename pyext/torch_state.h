// What torch has decided for this process and this thread.
#pragma once

#include <cstdint>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"
#include "kernels/base/sqrt.h"
#include "pyext/counters.h"

namespace kwker::pyext {

// The instruction set of torch's own kernels (ATEN_CPU_CAPABILITY included).
Isa TorchIsa();

// torch's threads: at::parallel_for and torch.set_num_threads.
ParallelFor TorchThreads();

// A child that is forked while OpenMP's threads exist has none of them, yet waits
// for them at its first parallel loop. Kernels start them for a sum of small
// tensors, where torch would not; so from now on the threads of whoever forks are
// ended before, and started again when they are wanted. torch_is_new: this very
// process has imported torch just now.
void SurviveForks(bool torch_is_new);

// Whether this process was forked with torch in it before SurviveForks() was
// called: then nobody can tell whether its threads live, and kernels do without.
bool ThreadsMayBeLost();

// Why no kernel may run on this thread now, whatever its tensors: a torch
// function or dispatch mode, a functorch transform, tracing, autocast, inference
// mode, recorded gradients, a floating-point mode that differs from the default.
Reason CheckThread();

// The same but for recorded gradients: enough where no tensor requires one.
Reason CheckModes();

// Why no kernel may use torch's other threads for this many elements. Torch starts
// them from 32768 elements on, so for fewer they are neither started nor asked.
Reason CheckThreads(std::int64_t elements);

// The square root that torch.sqrt computes, and the fastest way to compute it
// inside a kernel compiled for TorchIsa(). The first call for a type compares
// (see kernels/base/sqrt.h) and takes up to some tens of milliseconds.
template <typename T>
SqrtChoice<T> TorchSqrt();

}  // namespace kwker::pyext
