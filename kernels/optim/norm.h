// What gradients are clipped by: their norms, and a common factor.
//
// Euclidean norms as torch 2.13's torch.linalg.vector_norm computes them of float32 tensors on
// the CPU, to the bit, each in one serial chain:
//
//   s_j = s_j + x*x       for the whole vectors of the elements, in memory order, where j counts
//                         eight lanes at every capability (torch's own code for AVX-512 is
//                         that for AVX2); two roundings
//   s   = s_0 + s_1 + ... in this order
//   s   = s + x*x         for the elements of the rest, one after the other
//   norm = sqrt(s), but |x| where there is one element, and 0 where there is none
//
// torch's compiler has taken the rest apart in its own way: elements in whole blocks of some
// length are rounded twice, those behind them once (by a fused multiply-add) where the
// instruction set has that. MatchNorm finds the length.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::optim {

struct NormTensor {
  const float* data;
  std::int64_t numel;
};

// norms[i] is tensors[i]'s. Tensors are shared out among the threads as they are.
void Norms(std::span<const NormTensor> tensors, std::int64_t block, float* norms, Isa isa,
           const ParallelFor& parallel_for);

// The norm of one tensor as torch computes it.
using TorchNorm = float (*)(const float* data, std::int64_t numel);

// The block length with which Norms gives what `torch_norm` gives, 0 if none does. Compares a few
// hundred short arrays.
std::int64_t MatchNorm(Isa isa, TorchNorm torch_norm);

// Multiplies all elements by `factor`, as torch's mul_ does.
struct ScaledTensor {
  float* data;
  std::int64_t numel;
};
void Scale(std::span<const ScaledTensor> tensors, float factor, Isa isa,
           const ParallelFor& parallel_for);

}  // namespace kwker::optim
