"""Options of the optimizers beside Adam and SGD."""

from __future__ import annotations

from typing import Any

from torch.optim import ASGD, Adadelta, Adagrad, Adamax, NAdam, Optimizer, RAdam, RMSprop, Rprop

from comparison import By
from tables import Case

_DECAYS: list[dict[str, Any]] = [
    {},
    {"lr": 0.1, "weight_decay": 0.01},
    {"maximize": True},
    {"weight_decay": 0.3, "maximize": True},
    {"lr": 1},
    {"lr": 0.0, "weight_decay": 0.1},
    {"lr": 1e30},
    {"eps": 0.0},
    {"eps": 1e-3, "lr": 3e-4},
]
_DECOUPLED: list[dict[str, Any]] = [
    {"decoupled_weight_decay": True},
    {"decoupled_weight_decay": True, "weight_decay": 0.1},
    {"decoupled_weight_decay": True, "weight_decay": 1, "lr": 1, "maximize": True},
]
_BETAS: list[dict[str, Any]] = [
    {"betas": (0.5, 0.9)},
    {"betas": (0.3, 0.7), "weight_decay": 0.3},
    {"betas": (0.9, 0.0)},
    {"betas": (0.500000001, 0.999)},  # 1 - beta1 beside the one half where lerp changes its form
    {"betas": (0.499999999, 0.999)},
]
_RMSPROP: list[dict[str, Any]] = [
    {"alpha": 0.5},
    {"alpha": 0.3, "centered": True},
    {"alpha": 0.0},
    {"alpha": 1.0, "centered": True},
    {"centered": True},
    {"centered": True, "weight_decay": 0.1, "maximize": True},
    {"momentum": 0.9},
    {"momentum": 0.9, "centered": True},
    {"momentum": 0.5, "weight_decay": 0.1, "maximize": True},
    {"momentum": 0.9, "centered": True, "weight_decay": 0.1, "eps": 1e-3},
    {"momentum": 1},
]
_ADAGRAD: list[dict[str, Any]] = [
    {"lr_decay": 0.1},
    {"lr_decay": 1},
    {"initial_accumulator_value": 0.1},
    {"lr_decay": 0.3, "initial_accumulator_value": 1.0, "weight_decay": 0.1, "maximize": True},
]
_NADAM: list[dict[str, Any]] = [
    {"momentum_decay": 0.0},
    {"momentum_decay": 1},
    {"momentum_decay": 0.9, "weight_decay": 0.1, "maximize": True},
]
_ADADELTA: list[dict[str, Any]] = [
    {"rho": 0.5},
    {"rho": 0.0},
    {"rho": 1.0, "weight_decay": 0.1},
    {"lr": 0.3, "rho": 0.95, "eps": 1e-2, "maximize": True},
]
_ASGD: list[dict[str, Any]] = [
    {"t0": 2},  # averages from the fourth step on
    {"t0": 0, "lambd": 0.1, "alpha": 0.5},
    {"t0": 1.5, "alpha": 2, "weight_decay": 0.1, "maximize": True},
    {"lambd": 1, "lr": 1, "alpha": 0},
]
_RPROP: list[dict[str, Any]] = [
    {},
    {"lr": 0.1, "maximize": True},
    {"lr": 1},
    {"lr": 0.0},
    {"lr": 1e30},
    {"etas": (0.3, 1.7)},
    {"step_sizes": (0.0, 1.0)},
    {"step_sizes": (-0.0, 1e-5), "maximize": True},
    {"step_sizes": (1.0, 0.5)},  # the most is less than the least
    {"step_sizes": (0, 1)},
    {"step_sizes": (-1.0, -0.5)},
]
_RPROP_AT_THE_EDGE: list[dict[str, Any]] = [  # in float32 a factor is one, or zero
    {"etas": (0.999999999, 1.5)},
    {"etas": (1e-50, 2.0)},
    {"etas": (0.5, 1.000000001)},
]


def _cases(cls: type[Optimizer], *options: list[dict[str, Any]]) -> list[Case]:
    return [Case(cls, o) for some in options for o in some]


OURS: list[Case] = [
    *_cases(RMSprop, _DECAYS, _RMSPROP),
    *_cases(Adagrad, _DECAYS, _ADAGRAD),
    *_cases(NAdam, _DECAYS, _BETAS, _DECOUPLED, _NADAM),
    *_cases(RAdam, _DECAYS, _BETAS, _DECOUPLED),
    *_cases(Adamax, _DECAYS, _BETAS),
    *_cases(Adadelta, _DECAYS, _ADADELTA),
    *_cases(ASGD, _DECAYS[:-2], _ASGD),
    *_cases(Rprop, _RPROP),
    *(Case(Rprop, options, By.ANY) for options in _RPROP_AT_THE_EDGE),
]

# The weight of a lerp is one: signs of zero depend on where torch's vector code ends.
WEIGHT_ONE: list[Case] = [
    Case(RMSprop, {"alpha": 0.0, "centered": True}),
    Case(NAdam, {"betas": (0.0, 0.99), "weight_decay": 0.1}),
    Case(RAdam, {"betas": (0.0, 0.9)}),
    Case(Adamax, {"betas": (1e-30, 0.9), "maximize": True}),
]

# A few that between them take every branch of the kernels.
BRANCHES: list[Case] = [
    Case(RMSprop, {"weight_decay": 0.1}),
    Case(RMSprop, {"momentum": 0.9, "centered": True, "maximize": True}),
    Case(Adagrad, {"lr_decay": 0.1, "weight_decay": 0.1}),
    Case(NAdam, {"weight_decay": 0.1, "betas": (0.3, 0.99)}),
    Case(NAdam, {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    Case(RAdam, {"weight_decay": 0.1, "maximize": True}),
    Case(RAdam, {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    Case(Adamax, {"weight_decay": 0.1, "betas": (0.3, 0.9)}),
    Case(Adadelta, {"weight_decay": 0.1, "maximize": True}),
    Case(ASGD, {"weight_decay": 0.1, "t0": 1}),
    Case(Rprop, {"lr": 0.1, "step_sizes": (0.05, 0.3)}),
    Case(Rprop, {"maximize": True}),
]
