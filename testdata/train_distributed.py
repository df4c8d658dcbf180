"""Trains a small classifier on several processes of this machine, with gloo.

    python -m torch.distributed.run --nproc-per-node 2 train_distributed.py --strategy fsdp2

Rank 0 prints the loss of every epoch and the checksum of parameters and optimizer state. Two runs
with the same seed, number of processes and threads print the same.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import sys
from typing import Any

import torch
import torch.distributed as dist

# Before init_process_group: functions of this module and of others have the group of the moment as
# a default argument. Imported later, as DistributedDataParallel does, they keep the group to the
# end with its threads, and one that releases a tensor while Python shuts down ends in SIGABRT.
import torch.distributed.nn
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

STRATEGIES = ("ddp", "zero", "fsdp1", "fsdp1-orig", "fsdp2")


def make_model(width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(16, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 4)
    )


def distribute(
    model: nn.Sequential, strategy: str, momentum: float | None
) -> tuple[nn.Module, torch.optim.Optimizer]:
    """The model as the strategy runs it, and its optimizer: AdamW, or SGD with a momentum."""
    kind: Any = torch.optim.AdamW if momentum is None else torch.optim.SGD
    options: dict[str, Any] = {"lr": 1e-2}
    if momentum is not None:
        options["momentum"] = momentum
    if strategy.startswith("fsdp1"):
        wrapped: nn.Module = FullyShardedDataParallel(
            model, device_id=torch.device("cpu"), use_orig_params=strategy == "fsdp1-orig"
        )
        return wrapped, kind(wrapped.parameters(), **options)
    if strategy == "fsdp2":
        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
        for layer in model:
            if isinstance(layer, nn.Linear):
                fully_shard(layer, mesh=mesh)
        fully_shard(model, mesh=mesh)
        return model, kind(model.parameters(), **options)
    wrapped = DistributedDataParallel(model)
    if strategy == "zero":
        sharded = ZeroRedundancyOptimizer(wrapped.parameters(), optimizer_class=kind, **options)
        return wrapped, sharded
    return wrapped, kind(wrapped.parameters(), **options)


def say(line: str) -> None:
    """Prints in one piece: torchrun's ranks share the output and do not buffer it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def whole(tensor: Tensor) -> Tensor:
    """The tensor of all ranks, where this is a shard of it."""
    full = getattr(tensor, "full_tensor", None)
    return tensor.detach() if full is None else full().detach()


def checksum(model: nn.Module, optimizer: torch.optim.Optimizer) -> str:
    """Of parameters and this rank's part of the state, to the bit."""
    total = hashlib.sha256()
    for parameter in model.parameters():
        total.update(whole(parameter).contiguous().numpy().tobytes())
    inner = getattr(optimizer, "optim", optimizer)  # ZeroRedundancyOptimizer's own part
    for state in inner.state.values():
        for value in state.values():
            if isinstance(value, Tensor):
                total.update(whole(value).contiguous().numpy().tobytes())
    return total.hexdigest()[:16]


def train(args: argparse.Namespace) -> None:
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    model, optimizer = distribute(make_model(args.width), args.strategy, args.momentum)
    generator = torch.Generator().manual_seed(1000 * args.seed + rank)
    for epoch in range(args.epochs):
        for _ in range(args.steps):
            inputs = torch.randn(32, 16, generator=generator)
            labels = inputs[:, :4].argmax(1)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
        if rank == 0:
            say(f"epoch {epoch + 1}: loss {loss.item():.6f}")
    say(f"rank {rank}: {checksum(model, optimizer)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--strategy", choices=STRATEGIES, default="ddp")
    parser.add_argument("--momentum", type=float, help="SGD with this momentum instead of AdamW")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20, help="steps an epoch")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    train(args)
    gc.collect()  # models are in cycles, and hold the group
    # DTensor's caches hold it too (fsdp2): time for its threads to release what they used.
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
