// The formulas of adam.h and sgd.h, one element at a time, with library square
// roots. For the tests only.
#pragma once

#include <vector>

#include "kernels/optim/adam.h"
#include "kernels/optim/sgd.h"

namespace kwker::optim {

template <typename T>
void ReferenceAdam(const AdamTensor<T>& t, const AdamScalars<T>& s, LibrarySqrt<T> sqrt, Isa isa);

template <typename T>
void ReferenceSgd(const SgdTensor<T>& t, const SgdScalars<T>& s, Isa isa);

// `n` values of which some are special: zeros, denormals, infinities, NaN.
template <typename T>
std::vector<T> TestData(std::int64_t n, int seed, bool special, bool positive = false);

// Equal bits, or both NaN.
template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b);

// Threads for tests: as many tasks as asked, run one after the other, backwards.
ParallelFor Backwards(int threads);

}  // namespace kwker::optim
