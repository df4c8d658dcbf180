"""Functions that were imported before install() or while it held go to workers by spawn."""

from __future__ import annotations

import pickle
from multiprocessing.reduction import ForkingPickler

from torchvision.transforms.functional import to_tensor

import kwker.torch_ops as sto


def sent(thing: object) -> object:
    """What a worker makes of it."""
    return pickle.loads(ForkingPickler.dumps(thing))


def test_imported_before() -> None:
    sto.install()
    try:
        from torchvision.transforms import functional

        assert functional.to_tensor is not to_tensor
        assert sent([to_tensor]) == [functional.to_tensor]
        assert sent(test_imported_before) is test_imported_before
    finally:
        sto.uninstall()
    assert sent(to_tensor) is to_tensor
    assert not hasattr(ForkingPickler, "reducer_override")


def test_imported_while_installed() -> None:
    sto.install()
    from torchvision.transforms import functional

    hook = functional.to_tensor
    assert sent(hook) is hook and pickle.loads(pickle.dumps(hook)) is hook
    sto.uninstall()
    assert sent(hook) is to_tensor and pickle.loads(pickle.dumps(hook)) is to_tensor


def test_a_reducer_of_the_programs_stays() -> None:
    def mine(self: object, thing: object) -> object:
        return NotImplemented

    setattr(ForkingPickler, "reducer_override", mine)  # noqa: B010
    try:
        sto.install()
        assert vars(ForkingPickler)["reducer_override"] is mine
        sto.uninstall()
        assert vars(ForkingPickler)["reducer_override"] is mine
    finally:
        delattr(ForkingPickler, "reducer_override")
