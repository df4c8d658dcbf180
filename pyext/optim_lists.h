// The tensors of one step of an optimizer, checked and made ready for
// kernels/optim/steps.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/optim/gradient.h"
#include "kernels/optim/steps.h"
#include "pyext/optim_common.h"

namespace kwker::pyext {

// Everything throws FallBack before anything has been changed.
class OptimLists {
 public:
  OptimLists(TensorList params, TensorList grads);

  // Adds a list of state tensors that lie in memory as the parameters do. `writes` is
  // the number of in-place operators that torch's loop runs on each.
  void AddState(TensorList list, int writes);

  // Adds a list of state tensors of one element each, as step counters are.
  void AddNumbers(TensorList list);

  std::size_t size() const { return params_.size(); }
  bool IsFloat() const { return params_[0]->scalar_type() == at::kFloat; }

  // Number i of the k-th list of AddNumbers, as it is, and after arithmetic in the dtype
  // of its tensor. SetNumber's is stored at the end of Run.
  double Number(std::size_t k, std::size_t i) const;
  double Sum(std::size_t k, std::size_t i, double x) const;
  double Product(std::size_t k, std::size_t i, double x) const;
  void SetNumber(std::size_t k, std::size_t i, double value) { numbers_[k].next[i] = value; }

  // Counts the steps in list k; returns that of parameter i, from 1 on.
  double CountStep(std::size_t k, std::size_t i) {
    const double step = Sum(k, i, 1);
    SetNumber(k, i, step);
    return step;
  }

  // One parameter's arrays; `states` in the order of AddState.
  template <typename T>
  struct Arrays {
    T* param;
    const T* grad;
    std::array<T*, 3> states;
    std::int64_t numel;
  };
  template <typename T>
  std::vector<Arrays<T>> GetArrays() const;

  // Runs the kernel unless mode says not to. `writes` as above, on the parameters.
  template <class Tensor, class Scalars>
  void Run(const char* name, Counters& counters, Mode mode, const std::vector<Tensor>& tensors,
           const Scalars& scalars, int writes) const {
    const std::int64_t elements = Elements();
    Require(CheckThreads(elements));
    if (mode == Mode::kExplain) return;
    RunKernel(counters, name, elements, [&] {
      optim::Step(std::span<const Tensor>(tensors), scalars, TorchIsa(), TorchThreads());
    });
    Finish(writes);
  }

 private:
  struct States {
    TensorList tensors;
    int writes;
  };
  struct Numbers {
    TensorList tensors;
    std::vector<double> next;
  };

  std::int64_t Elements() const;
  void CheckAll() const;
  void Finish(int writes) const;

  TensorList params_, grads_;
  std::vector<States> states_;
  std::vector<Numbers> numbers_;
};

// What the scalars of a kernel with a lerp of this weight have for `torch_threads`.
template <typename T>
int ThreadsForLerp(T weight) {
  return weight == T(1) ? TorchThreads().threads : 0;
}

}  // namespace kwker::pyext
