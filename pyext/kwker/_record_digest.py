"""From a value to the `Output` an audit compares: dtype, shape and a digest of the bits.

Dense tensors go to `kwker._C.digest_tensor` (XXH3-128 in C++, whatever the strides). Every other
kind has a rule here; composite kinds are a BLAKE2b-128 over the digests of their parts.
"""

from __future__ import annotations

import hashlib
import math
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy
    from torch import Tensor


class Output(NamedTuple):
    """One value that a run left behind, as RESULT.json lists it."""

    name: str
    dtype: str  # as torch names it, without "torch."; NumPy's and Python's own with a prefix
    shape: tuple[int, ...]
    bytes: int  # elements times their size
    nans: int
    digest: str  # 32 hexadecimal digits


def of_leaf(name: str, value: Any) -> Output:
    """The output for anything that counts as one: a tensor, an array, a number, text, None."""
    if value is None or type(value) in _SCALARS:
        return of_scalar(name, value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return of_array(name, value)
    if numpy is not None and isinstance(value, numpy.generic):
        return of_array(name, numpy.asarray(value))
    return of_tensor(name, value)


_SCALARS = (bool, int, float, complex, str, bytes)


def of_tensor(name: str, tensor: Tensor) -> Output:
    """The output for any tensor: dense, sparse, quantised, meta, nested, subclass, on any device.

    Runs no code of the user's: torch function and dispatch modes and overrides are switched off.
    Of a subclass that holds other tensors in its attributes, call this for those instead.
    """
    with _plain_torch():
        dtype = str(tensor.dtype).removeprefix("torch.")
        if not _has_elements(tensor):
            return Output(name, dtype, (), 0, 0, _combine(f"no elements {dtype}", []))
        digest, nans = _digest(tensor)
        if tensor.is_nested:
            return Output(name, dtype, (), 0, nans, digest)
        return Output(
            name,
            dtype,
            tuple(tensor.shape),
            tensor.numel() * tensor.dtype.itemsize,
            nans,
            digest,
        )


def of_array(name: str, array: numpy.ndarray[Any, Any]) -> Output:
    """The output for a NumPy array of any dtype but object."""
    import numpy

    # Not array.view: a subclass may override it.
    base = numpy.ndarray.view(array, numpy.ndarray)
    # from_numpy takes neither read-only, byte-swapped nor backward arrays.
    ready = numpy.require(base, base.dtype.newbyteorder("="), ["A", "W", "C"]).reshape(base.shape)
    dtype = f"numpy.{base.dtype.name}"
    if "torch" in sys.modules:  # else the script does without, and so does its audit
        import torch

        try:
            return of_tensor(name, torch.from_numpy(ready))._replace(dtype=dtype)
        except TypeError:  # a dtype that torch does not have
            pass
    nans = 0
    if ready.dtype.kind in "fc":
        is_nan = numpy.isnan(ready)
        nans = int(is_nan.sum())
        ready = numpy.where(is_nan, ready.dtype.type("nan"), ready) if nans else ready
    digest = _combine(f"{base.dtype.str} {base.shape}", [ready.tobytes()])
    return Output(name, dtype, base.shape, base.nbytes, nans, digest)


def of_scalar(name: str, value: complex | str | bytes | None) -> Output:
    """The output for a plain Python value: floats by their bits, any NaN like any other."""
    kind = type(value).__name__
    nans = 0
    if isinstance(value, complex):
        nans = int(math.isnan(value.real)) + int(math.isnan(value.imag))
        data = _float_bits(value.real) + _float_bits(value.imag)
    elif isinstance(value, float):
        nans = int(math.isnan(value))
        data = _float_bits(value)
    elif isinstance(value, bytes):
        data = value
    elif isinstance(value, int):
        data = f"{value:x}".encode()  # in decimals, Python refuses long ones
    else:
        data = str(value).encode(errors="surrogatepass")
    return Output(name, f"python.{kind}", (), len(data), nans, _combine(kind, [data]))


def gradient_of(tensor: Tensor) -> Tensor | None:
    """The tensor's `.grad`; None where it has none, or is not of the kind that keeps one."""
    import torch

    def get(attribute: str) -> Any:
        return vars(torch._C.TensorBase)[attribute].__get__(tensor)

    with _plain_torch():
        return get("grad") if get("is_leaf") or get("retains_grad") else None


def plain_elements(tensor: Tensor) -> Any:
    """The elements' bytes in logical order, as a NumPy array.

    None: it is not a dense tensor, whose elements are all that there is to it.
    """
    import torch

    with _plain_torch():
        if not _has_elements(tensor):
            return None
        if type(tensor) is not torch.Tensor:
            tensor = torch.Tensor.as_subclass(tensor, torch.Tensor)
        if tensor.is_nested or tensor.is_quantized or tensor.layout is not torch.strided:
            return None
        if tensor.device.type == "meta":
            return None
        plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
        return plain.reshape(-1).view(torch.uint8).numpy()


def combined(name: str, outputs: Iterable[Output]) -> Output:
    """Many outputs as one, where listing each would make the report unreadable."""
    count = size = nans = 0
    parts: list[bytes] = []
    for output in outputs:
        count += 1
        size += output.bytes
        nans += output.nans
        parts.append(f"{output.dtype} {output.shape} {output.digest}".encode())
    return Output(name, "combined", (count,), size, nans, _combine("combined", parts))


def _float_bits(value: float) -> bytes:
    return struct.pack("<d", math.nan if math.isnan(value) else value)


def _combine(kind: str, parts: Iterable[bytes]) -> str:
    state = hashlib.blake2b(kind.encode(), digest_size=16)
    for part in parts:
        state.update(struct.pack("<q", len(part)))
        state.update(part)
    return state.hexdigest()


@contextmanager
def _plain_torch() -> Iterator[None]:
    """No subclass, no mode of the user's sees what is done inside; autograd neither."""
    import torch

    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch(), torch.no_grad():
        yield


def _digest(tensor: Tensor) -> tuple[str, int]:
    """The digest of one tensor and the number of its NaNs; call it under `_plain_torch`."""
    import torch

    from kwker import _C

    if type(tensor) is not torch.Tensor:
        tensor = torch.Tensor.as_subclass(tensor, torch.Tensor)
    if tensor.is_nested:
        return _digest_parts("nested", tensor.unbind())
    if tensor.device.type == "meta":
        return _combine(f"meta {tensor.dtype} {tuple(tensor.shape)}", []), 0
    for layout, parts in _SPARSE_PARTS.items():
        if tensor.layout is getattr(torch, layout):
            return _digest_parts(
                f"{layout} {tuple(tensor.shape)} {tensor.dtype}", [get(tensor) for get in parts]
            )
    if tensor.is_quantized:
        return _digest_parts(f"quantized {tensor.qscheme()}", _quantised_parts(tensor))
    if tensor.layout is not torch.strided:  # oneDNN's own layout
        tensor = tensor.to_dense()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    digest, nans = _C.digest_tensor(tensor.detach().resolve_conj().resolve_neg())
    return digest, nans


def _has_elements(tensor: Tensor) -> bool:
    """False for a subclass that stands for a tensor without being one (`_make_wrapper_subclass`).

    Of those nothing else may be asked here: the answers come from Python code of the subclass.
    """
    import torch

    if type(tensor) is torch.Tensor or type(tensor) is torch.nn.Parameter:
        return True
    dispatch = next(
        vars(cls)["__torch_dispatch__"]
        for cls in type(tensor).__mro__
        if "__torch_dispatch__" in vars(cls)
    )
    if dispatch is vars(torch.Tensor)["__torch_dispatch__"]:
        return True
    try:
        return torch.Tensor.untyped_storage(tensor).data_ptr() != 0
    except RuntimeError:
        return False


_SPARSE_PARTS: dict[str, list[Callable[[Tensor], Tensor]]] = {
    "sparse_coo": [lambda t: t._indices(), lambda t: t._values()],
    "sparse_csr": [lambda t: t.crow_indices(), lambda t: t.col_indices(), lambda t: t.values()],
    "sparse_csc": [lambda t: t.ccol_indices(), lambda t: t.row_indices(), lambda t: t.values()],
    "sparse_bsr": [lambda t: t.crow_indices(), lambda t: t.col_indices(), lambda t: t.values()],
    "sparse_bsc": [lambda t: t.ccol_indices(), lambda t: t.row_indices(), lambda t: t.values()],
}


def _quantised_parts(tensor: Tensor) -> list[Tensor]:
    import torch

    if "channel" in str(tensor.qscheme()):
        return [
            tensor.int_repr(),
            tensor.q_per_channel_scales(),
            tensor.q_per_channel_zero_points(),
            torch.tensor(tensor.q_per_channel_axis()),
        ]
    return [
        tensor.int_repr(),
        torch.tensor(tensor.q_scale(), dtype=torch.float64),
        torch.tensor(tensor.q_zero_point()),
    ]


def _digest_parts(kind: str, parts: Iterable[Tensor]) -> tuple[str, int]:
    digests = [_digest(part) for part in parts]
    return _combine(kind, [d.encode() for d, _ in digests]), sum(nans for _, nans in digests)
