"""How torch's optimizers call their functional forms."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

# Stand-ins for state of one element, which torch makes at the first step.
_NUMBERS = {"step": 0.0, "mu_product": 1.0, "mu": 1.0, "eta": 0.1}


@dataclass(frozen=True)
class Kind:
    """An optimizer, and what torch.optim.NAME.NAME gets after parameters and gradients."""

    name: str
    cls: type[Optimizer]
    state: tuple[str, ...]  # keys of optimizer.state[parameter], in the order of the lists
    calls_get_value: bool = True  # whether the loop reads its step
    foreach_is_equal: bool = False  # whether foreach=True has the loop's results, and is served

    @property
    def module(self) -> ModuleType:
        # By name, as torch.optim has no attributes for them.
        return import_module(f"torch.optim.{self.name}")

    @property
    def calls(self) -> tuple[str, ...]:
        """The module's functions that the functional form calls on its default path."""
        calls = [f"_single_tensor_{self.name}", "_default_to_fused_or_foreach", "_to_scalar"]
        if self.calls_get_value:
            calls.append("_get_value")
        if self.foreach_is_equal:
            calls.append(f"_multi_tensor_{self.name}")
        return tuple(calls)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of those that serve it."""
        return ("optim.adam", "optim.adamw") if self.name == "adam" else (f"optim.{self.name}",)

    def used_state(self, options: dict[str, Any]) -> list[str]:
        """The keys that a parameter's state has with these options."""
        unused = set()
        if not options.get("centered", True):
            unused.add("grad_avg")
        if options.get("momentum", 1) == 0:
            unused.add("momentum_buffer")
        if not options.get("amsgrad"):
            unused.add("max_exp_avg_sq")
        return [key for key in self.state if key not in unused]

    def arguments(
        self,
        function: Callable[..., object],
        options: dict[str, Any],
        params: list[Tensor],
        grads: list[Tensor],
        states: Sequence[dict[str, Tensor]],
    ) -> tuple[list[list[Any]], dict[str, Any]]:
        """Positional and keyword arguments, as step() gives them.

        Args:
            function: the functional form, for its parameters' names.
            options: a parameter group's.
            states: of each parameter, or {}: what is missing is stood in for, but for momentum
                buffers of SGD's, which its first step makes.
        """
        used = self.used_state(options)
        lists = [
            [self._state(s, key, p) for p, s in zip(params, states, strict=True)]
            if key in used
            else []
            for key in self.state
        ]
        given = dict(options)
        if "betas" in options:
            given["beta1"], given["beta2"] = options["betas"]
        if "etas" in options:
            given["etaminus"], given["etaplus"] = options["etas"]
            given["step_size_min"], given["step_size_max"] = options["step_sizes"]
        given["has_complex"] = any(p.is_complex() for p in params)
        given["has_sparse_grad"] = any(g.is_sparse for g in grads)
        names = list(inspect.signature(function).parameters)[2 + len(lists) :]
        return [params, grads, *lists], {n: given[n] for n in names if n in given}

    def _state(self, state: dict[str, Tensor], key: str, param: Tensor) -> Tensor | None:
        if key in state or self.name == "sgd":
            return state.get(key)
        if key in _NUMBERS:
            return torch.tensor(_NUMBERS[key], dtype=torch.float32, device="cpu")
        return torch.zeros_like(param)


KINDS = (
    Kind(
        "adam",
        torch.optim.Adam,
        ("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"),
        foreach_is_equal=True,
    ),
    Kind(
        "sgd",
        torch.optim.SGD,
        ("momentum_buffer",),
        calls_get_value=False,
        foreach_is_equal=True,  # where it leaves the program's gradients alone
    ),
    Kind(
        "rmsprop",
        torch.optim.RMSprop,
        ("square_avg", "grad_avg", "momentum_buffer", "step"),
        calls_get_value=False,
        foreach_is_equal=True,
    ),
    Kind("adagrad", torch.optim.Adagrad, ("sum", "step"), foreach_is_equal=True),
    Kind("nadam", torch.optim.NAdam, ("exp_avg", "exp_avg_sq", "mu_product", "step")),
    Kind("radam", torch.optim.RAdam, ("exp_avg", "exp_avg_sq", "step")),
    Kind("adamax", torch.optim.Adamax, ("exp_avg", "exp_inf", "step")),
    Kind(
        "adadelta",
        torch.optim.Adadelta,
        ("square_avg", "acc_delta", "step"),
        calls_get_value=False,
        foreach_is_equal=True,
    ),
    Kind("asgd", torch.optim.ASGD, ("ax", "mu", "eta", "step")),
    Kind(
        "rprop",
        torch.optim.Rprop,
        ("prev", "step_size", "step"),
        calls_get_value=False,
        foreach_is_equal=True,
    ),
)
