#include "pyext/traffic.h"

#include <stdexcept>
#include <vector>

#include "kernels/optim/traffic.h"
#include "pyext/optim_common.h"

namespace kwker::pyext {
namespace {

std::uint32_t* Words(const at::Tensor& tensor) {
  return static_cast<std::uint32_t*>(tensor.mutable_data_ptr());
}

std::vector<optim::TrafficTensor> Collect(const TensorList& grads,
                                          const std::vector<TensorList>& updated) {
  std::vector<optim::TrafficTensor> tensors;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    Require(CheckDense(*grads[i]));
    optim::TrafficTensor tensor = {};
    tensor.gradient = Words(*grads[i]);
    tensor.numel = static_cast<std::int64_t>(grads[i]->nbytes() / sizeof(std::uint32_t));
    for (std::size_t k = 0; k < updated.size(); ++k) {
      Require(CheckDense(*updated[k][i]));
      Require(CheckSameLayout(*grads[i], *updated[k][i]));
      tensor.updated[k] = Words(*updated[k][i]);
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

}  // namespace

void OptimTraffic(const pybind11::list& grads, const std::vector<pybind11::list>& updated) {
  const Reason reason = ReasonOf([&] {
    Require(updated.size() <= std::size(optim::TrafficTensor{}.updated), Reason::kArguments);
    const TensorList read = Tensors(grads.ptr());
    std::vector<TensorList> written;
    for (const pybind11::list& list : updated) {
      written.push_back(Tensors(list.ptr(), static_cast<Py_ssize_t>(read.size())));
    }
    const std::vector<optim::TrafficTensor> tensors = Collect(read, written);
    const pybind11::gil_scoped_release unlocked;
    optim::Traffic(tensors, TorchIsa(), TorchThreads());
    return Reason::kNone;
  });
  if (reason != Reason::kNone) {
    throw std::invalid_argument(std::string("kwker: no traffic to measure: ") + ReasonText(reason));
  }
}

}  // namespace kwker::pyext
