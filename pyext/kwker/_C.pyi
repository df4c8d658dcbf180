"""The extension module: kernels on torch's tensors. Not for users; see kwker.torch_ops."""

from collections.abc import Callable
from types import CodeType
from typing import Any, Literal

from torch import Tensor

torch_version: str  # of the headers it was compiled with

class Counters:
    """What one feature has done; shared by all threads."""

    enabled: bool  # looked at by the feature's hook at each call
    unchecked: bool  # whether the next call is to be preceded by set_check()'s function
    @property
    def name(self) -> str: ...
    @property
    def calls(self) -> int: ...
    @property
    def elements(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def fallbacks(self) -> dict[str, int]: ...
    def reset(self) -> None: ...
    def begin_trial(self) -> None:
        """From here on the feature is on for this thread, and what it does is counted apart."""
    def end_trial(self) -> None: ...

def set_check(check: Callable[[str], None]) -> None:
    """Sets what compares a feature, by name, with torch when it is first called."""

resize_counters: Counters
to_dtype_normalize_counters: Counters
to_tensor_counters: Counters
color_counters: Counters
clip_grad_norm_counters: Counters
ema_counters: Counters
zero_grad_counters: Counters

class OptimEntry:
    """One of torch's optimizers."""

    @property
    def counters(self) -> dict[str, Counters]: ...  # by feature
    def set_loop(self, module: dict[str, Any], functions: dict[str, Any]) -> None:
        """The namespace and, by name, the objects in it that the hook stands for."""
    def set_step(self, code: CodeType, function: Callable[..., None]) -> None:
        """The code of the class's step(), and the hook that it calls as functional form."""
    def hook(self, original: Callable[..., None]) -> Callable[..., None]:
        """A function in C in place of the functional form; calls `original` where it declines."""
    def group_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The same in place of _init_group(): does the whole step where all is ordinary."""
    def explain(self, original: Callable[..., None]) -> Callable[..., str]:
        """With the same arguments: why the hook would decline, "" if it would not."""

optimizers: dict[str, OptimEntry]  # by the name of the functional form, "rmsprop"

def isa() -> Literal["default", "avx2", "avx512"]:
    """The instruction set of torch's kernels: see kernels/base/isa.h."""

def sqrt_form(float64: bool) -> str:
    """How kernels make torch's square root here: "rsqrt14", "rsqrt12", "ieee", "library"."""

def thread_reason() -> str:
    """Why no kernel may run on this thread now (a torch mode, recorded gradients); "" if it may."""

def threads_may_be_lost() -> bool:
    """Whether this process was forked with torch in it, before this module was imported.

    Parallel loops of the thread that forked, torch's too, may then wait for ever.
    """

def resize_hook(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function in C in place of PIL.Image.Image.resize; calls `original` where it declines."""

def set_pillow(image_class: type, core: Any) -> None:
    """The class PIL.Image.Image and the module PIL.Image.core; before resize_hook() is used."""

def image_bytes(core: Any, pixels: int, pixel_bytes: int) -> bytes:
    """All bytes of a core image's memory, those between the bands included.

    Raises:
        ValueError: where Pillow does not hand that memory out.
    """

def set_module_methods(methods: dict[str, Any]) -> None:
    """nn.Module's methods by name: modules that have others list their parameters themselves."""

def set_averaging(
    module: dict[str, Any],
    functions: dict[str, Any],
    get_attribute: Callable[..., Any],
    without_gradients: CodeType,
    averaging: dict[str, CodeType],
) -> None:
    """What averaging_hook() stands for.

    Args:
        module: the namespace of torch.optim.swa_utils.
        functions: by name, the objects in it that must be there.
        get_attribute: nn.Module.__getattr__.
        without_gradients: the code of what torch.no_grad() makes of a function.
        averaging: by the names of the functions that make them, averaging functions' code.
    """

def averaging_hook(original: Callable[..., None]) -> Callable[..., None]:
    """A function in C in place of AveragedModel.update_parameters."""

def optimizer_zero_grad_hook(original: Callable[..., None]) -> Callable[..., None]:
    """A function in C in place of Optimizer.zero_grad."""

def module_zero_grad_hook(original: Callable[..., None]) -> Callable[..., None]:
    """A function in C in place of nn.Module.zero_grad; see set_module_methods()."""

def set_clip_grad(module: dict[str, Any], functions: dict[str, Any]) -> None:
    """The namespace of torch.nn.utils.clip_grad; by name, objects in it that must be there."""

def total_norm_hook(original: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function in C in place of torch.nn.utils.get_total_norm."""

def clip_grads_hook(original: Callable[..., None]) -> Callable[..., None]:
    """A function in C in place of torch.nn.utils.clip_grads_with_norm_."""

def set_tensor_classes(image: type, video: type) -> None:
    """torchvision.tv_tensors.Image and .Video."""

def set_pillow_images(image_class: type, core_new: Callable[..., Any], plain_image: Any) -> None:
    """PIL.Image.Image, PIL.Image.core.new, and an image without info."""

def set_compose(plan: Callable[[Any], Any], forward: Callable[..., Any]) -> None:
    """What the hook "compose" asks for a stand-in, and Compose.forward; see _vision_compose.py."""

def set_color_chain(
    jitter: type,
    distort: type,
    permute: Callable[..., Any],
    places: list[tuple[dict[Any, Any], Any, Any]],
) -> None:
    """ColorJitter, RandomPhotometricDistort, permute_channels; what must stand in which dict."""

def vision_hook(entry: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A function in C with that entry; calls `original` where it declines."""

def observe(
    original: Callable[..., Any],
    callback: Callable[[Any, tuple[Any, ...], dict[str, Any]], None],
) -> Callable[..., Any]:
    """A function in C: original(...), then callback(result, args, kwargs); its errors are lost."""

def optim_traffic(grads: list[Tensor], updated: list[list[Tensor]]) -> None:
    """Reads `grads`, writes every tensor of up to four lists back unchanged, as fast as can be.

    Raises:
        ValueError: for tensors that no kernel would take, or lists of other lengths.
    """

def digest_tensor(tensor: Tensor) -> tuple[str, int]:
    """XXH3-128 of dtype, shape and elements in logical order, in hexadecimal; number of NaNs.

    Any NaN counts like any other; the sign of zero counts. Strided CPU tensors of every dtype.

    Raises:
        ValueError: for sparse, quantised and other tensors, and other devices.
    """
