"""Errors from inside torch's functions at which an audit looks on, with their tracebacks."""

import io
import pickle
import sys
import traceback

import torch


def backward_twice() -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()


def no_graph() -> None:
    torch.autograd.backward([torch.ones(1)])


def save_lambda() -> None:
    torch.save(lambda: None, io.BytesIO())


def no_parameters() -> None:
    torch.optim.SGD([], lr=0.1)


def bad_rate() -> None:
    torch.optim.AdamW([torch.ones(1, requires_grad=True)], lr=-1)


def bad_state() -> None:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    pickle.loads(pickle.dumps(optimizer)).load_state_dict({"param_groups": [], "state": {}})


for function in (backward_twice, no_graph, save_lambda, no_parameters, bad_rate, bad_state):
    try:
        function()
    except Exception:
        traceback.print_exc(file=sys.stdout)
backward_twice()
