"""Uses worker processes of every kind, DataLoader's too."""

import multiprocessing
import sys

import numpy as np
import torch


def square(x: int) -> int:
    return x * x


class Squares(torch.utils.data.Dataset):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.tensor(i * i)


if __name__ == "__main__":
    kinds = sys.argv[1:] or ["fork", "spawn", "forkserver"]
    for kind in kinds:
        with multiprocessing.get_context(kind).Pool(2) as pool:
            print(kind, sum(pool.map(square, range(5))), np.arange(3).sum(), flush=True)
    for kind in kinds:
        loader = torch.utils.data.DataLoader(
            Squares(), batch_size=4, num_workers=2, multiprocessing_context=kind
        )
        print(kind, [batch.sum().item() for batch in loader], flush=True)
    multiprocessing.set_start_method(kinds[-1], force=True)
    process = multiprocessing.Process(target=sys.exit, args=(3,))
    process.start()
    process.join()
    print(process.exitcode)
