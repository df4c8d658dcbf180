// Where a step finds its lists of tensors: in the arguments of a call of torch's functional
// form, or in the optimizer itself.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <span>
#include <vector>

#include "pyext/optim_common.h"
#include "pyext/optim_group.h"

namespace kwker::pyext {

class OptimSource {
 public:
  // The list that stands at this place in the functional form's signature, with None in it
  // where that is allowed. Throws FallBack if it is not all ordinary.
  virtual TensorList Take(std::size_t place, bool or_none = false) const = 0;

 protected:
  ~OptimSource() = default;
};

class ArgumentSource final : public OptimSource {
 public:
  // Python lists, borrowed.
  explicit ArgumentSource(std::span<PyObject* const> arguments) : arguments_(arguments) {}

  TensorList Take(std::size_t place, bool or_none) const override {
    return Tensors(arguments_[place], /*size=*/-1, or_none);
  }

 private:
  std::span<PyObject* const> arguments_;
};

class GroupSource final : public OptimSource {
 public:
  // `keys`: of a parameter's state, in the order of the lists after parameters and
  // gradients. All must outlive this. There is no None: who has state, has all of it.
  GroupSource(const OptimGroup& group, std::span<PyObject* const> keys) : keys_(keys) {
    params_.reserve(group.size());
    group.ForEachGradient(
        [this](PyObject* param, const at::Tensor& tensor, const at::Tensor& grad, PyObject* state) {
          params_.push_back({param, &tensor, &grad, state});
        });
  }

  TensorList Take(std::size_t place, bool) const override {
    TensorList list;
    list.Reserve(params_.size());
    for (const Param& param : params_) {
      if (place == 0) {
        list.Append(param.object, *param.tensor);
      } else if (place == 1) {
        list.Append(*param.grad);
      } else {
        AppendState(param.state, keys_[place - 2], &list);
      }
    }
    return list;
  }

 private:
  struct Param {
    PyObject* object;
    const at::Tensor *tensor, *grad;
    PyObject* state;
  };

  std::span<PyObject* const> keys_;
  std::vector<Param> params_;
};

}  // namespace kwker::pyext
