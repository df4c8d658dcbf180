"""The places in torch at which the recorder looks on.

Each is replaced by `kwker._C.observe(original, callback)`, a function in C: it adds no frame to the
script's tracebacks and no error of the callback gets through. Both sides of an audit have them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType, ModuleType
from typing import Any

Callback = Callable[[Any, tuple[Any, ...], dict[str, Any]], None]  # result, args, kwargs


def observe_torch(
    torch: ModuleType, *, backward: Callback, save: Callback, optimizer: Callback
) -> None:
    """Calls back after each `backward()`, each `torch.save` and for each new optimizer.

    `optimizer` is called with the optimizer as the only argument, while it is being constructed,
    copied or unpickled.
    """
    from kwker import _C

    # Tensor.backward() goes through this attribute too.
    torch.autograd.backward = _C.observe(torch.autograd.backward, backward)
    saver = _C.observe(torch.save, save)
    for module in (torch, torch.serialization):
        vars(module)["save"] = saver

    # Called by Optimizer.__init__ and by __setstate__, and by nothing at each step. A function in C
    # does not bind to an instance as a method does, so it is the getter of a property.
    cls = torch.optim.Optimizer
    bind = partial(MethodType, cls._patch_step_function)
    cls._patch_step_function = property(_C.observe(bind, optimizer))
