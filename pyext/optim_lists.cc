#include "pyext/optim_lists.h"

#include <utility>

namespace kwker::pyext {
namespace {

double Load(const at::Tensor& number) {
  return number.scalar_type() == at::kFloat ? *number.const_data_ptr<float>()
                                            : *number.const_data_ptr<double>();
}

void Store(const at::Tensor& number, double value) {
  if (number.scalar_type() == at::kFloat) {
    *number.mutable_data_ptr<float>() = static_cast<float>(value);
  } else {
    *number.mutable_data_ptr<double>() = value;
  }
  BumpVersion(number, 1);
}

std::int64_t Bytes(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

}  // namespace

OptimLists::OptimLists(TensorList params, TensorList grads)
    : params_(std::move(params)), grads_(std::move(grads)) {
  Require(size() > 0 && grads_.size() == size(), Reason::kArguments);
  Require(params_.CheckPlacement(grads_));
  Require(CheckDense(*params_[0]));
}

void OptimLists::AddState(TensorList list, int writes) {
  Require(list.size() == size(), Reason::kArguments);
  states_.push_back({std::move(list), writes});
  Require(params_.CheckPlacement(states_.back().tensors));
}

void OptimLists::AddNumbers(TensorList list) {
  Require(list.size() == size(), Reason::kArguments);
  numbers_.push_back({std::move(list), {}});
  Numbers& numbers = numbers_.back();
  Require(!numbers.tensors.HasDTensors(), Reason::kStep);
  numbers.next.resize(size());
  for (std::size_t i = 0; i < size(); ++i) Require(CheckScalarTensor(*numbers.tensors[i]));
}

double OptimLists::Number(std::size_t k, std::size_t i) const {
  return Load(*numbers_[k].tensors[i]);
}

double OptimLists::Sum(std::size_t k, std::size_t i, double x) const {
  const double number = Number(k, i);
  if (numbers_[k].tensors[i]->scalar_type() == at::kDouble) return number + x;
  return static_cast<float>(number) + Rounded<float>(x);
}

double OptimLists::Product(std::size_t k, std::size_t i, double x) const {
  const double number = Number(k, i);
  if (numbers_[k].tensors[i]->scalar_type() == at::kDouble) return number * x;
  return static_cast<float>(number) * Rounded<float>(x);
}

void OptimLists::CheckAll() const {
  AliasCheck alias;
  for (std::size_t i = 0; i < size(); ++i) {
    const at::Tensor &p = *params_[i], &g = *grads_[i];
    Require(CheckDense(p));
    Require(p.scalar_type() == params_[0]->scalar_type(), Reason::kMixedDtypes);
    alias.Write(p.const_data_ptr(), Bytes(p));
    const auto check = [&p](const at::Tensor& tensor) {
      Require(CheckDense(tensor));
      Require(CheckSameLayout(p, tensor));
    };
    check(g);
    alias.Read(g.const_data_ptr(), Bytes(p));
    for (const States& state : states_) {
      check(*state.tensors[i]);
      alias.Write(state.tensors[i]->const_data_ptr(), Bytes(p));
    }
    for (const Numbers& numbers : numbers_) {
      const at::Tensor& number = *numbers.tensors[i];
      alias.Write(number.const_data_ptr(), Bytes(number));
    }
  }
  Require(!alias.Overlaps(), Reason::kAliasing);
}

template <typename T>
std::vector<OptimLists::Arrays<T>> OptimLists::GetArrays() const {
  CheckAll();
  std::vector<Arrays<T>> arrays;
  arrays.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const at::Tensor& p = *params_[i];
    arrays.push_back({p.mutable_data_ptr<T>(), grads_[i]->const_data_ptr<T>(), {}, p.numel()});
    for (std::size_t k = 0; k < states_.size(); ++k) {
      arrays.back().states[k] = states_[k].tensors[i]->mutable_data_ptr<T>();
    }
  }
  return arrays;
}

std::int64_t OptimLists::Elements() const {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < size(); ++i) elements += params_[i]->numel();
  return elements;
}

// As many in-place operators as torch's loop runs on each.
void OptimLists::Finish(int writes) const {
  for (std::size_t i = 0; i < size(); ++i) {
    BumpVersion(params_.Outer(i), writes);
    for (const States& state : states_) BumpVersion(state.tensors.Outer(i), state.writes);
    for (const Numbers& numbers : numbers_) Store(*numbers.tensors[i], numbers.next[i]);
  }
}

template std::vector<OptimLists::Arrays<float>> OptimLists::GetArrays() const;
template std::vector<OptimLists::Arrays<double>> OptimLists::GetArrays() const;

}  // namespace kwker::pyext
