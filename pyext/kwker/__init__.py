"""PyTorch on the CPU made faster, with results equal to the bit.

    import kwker.torch_ops as sto

    sto.install()

This package imports nothing: torch is loaded by `kwker.torch_ops`.
"""

__version__ = "0.1.0"
