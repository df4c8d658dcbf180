"""Trains a character-level transformer on the source of Python's standard library.

    python char_transformer.py --epochs 1

Nothing is downloaded: the text is a fixed list of modules of the interpreter that runs the
script. Two runs with the same seed and number of threads print the same losses.
"""

from __future__ import annotations

import argparse
import math
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# Large, plain-Python modules that every CPython from 3.8 to 3.14 ships.
MODULES = (
    "argparse",
    "ast",
    "calendar",
    "configparser",
    "dataclasses",
    "difflib",
    "doctest",
    "fractions",
    "functools",
    "heapq",
    "inspect",
    "mailbox",
    "optparse",
    "pickle",
    "random",
    "shutil",
    "statistics",
    "subprocess",
    "tarfile",
    "textwrap",
    "threading",
    "typing",
    "uuid",
    "zipapp",
)


def read_corpus() -> str:
    """The modules' source, one after the other."""
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    return "\n".join(
        (stdlib / f"{name}.py").read_text(encoding="utf-8", errors="replace") for name in MODULES
    )


class Corpus:
    """Text as character indices, split into a training and a validation part."""

    def __init__(self, text: str, held_out: float) -> None:
        self.characters = sorted(set(text))
        index = {c: i for i, c in enumerate(self.characters)}
        data = torch.tensor([index[c] for c in text], dtype=torch.long)
        split = int(len(data) * (1 - held_out))
        self.train, self.valid = data[:split], data[split:]

    @property
    def vocabulary(self) -> int:
        return len(self.characters)

    def decode(self, tokens: list[int]) -> str:
        return "".join(self.characters[t] for t in tokens)


def draw_batch(data: Tensor, size: int, block: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random windows (size, block) of the text and the same windows one character later."""
    starts = torch.randint(len(data) - block - 1, (size, 1), generator=rng)
    windows = data[starts + torch.arange(block + 1)]
    return windows[:, :-1].contiguous(), windows[:, 1:].contiguous()


@dataclass
class Config:
    vocabulary: int
    block: int
    layers: int
    heads: int
    width: int
    dropout: float


class SelfAttention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.heads
        self.dropout = config.dropout
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.projection = nn.Linear(config.width, config.width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        y = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=self.dropout if self.training else 0.0
        )
        merged: Tensor = self.projection(y.transpose(1, 2).reshape(batch, length, width))
        return merged


class Block(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = SelfAttention(config)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = nn.Sequential(
            nn.Linear(config.width, 4 * config.width),
            nn.GELU(),
            nn.Linear(4 * config.width, config.width),
            nn.Dropout(config.dropout),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        x = x + self.mlp(self.mlp_norm(x))
        return x


class CharTransformer(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.position = nn.Parameter(torch.zeros(config.block, config.width))
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        self.apply(self._initialize)
        nn.init.normal_(self.position, std=0.02)
        for name, parameter in self.named_parameters():
            # Layers that end a residual branch: keep the stream's variance at depth.
            if name.endswith(("projection.weight", "mlp.2.weight")):
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * config.layers))

    @staticmethod
    def _initialize(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, length, vocabulary) for tokens (batch, length)."""
        x = self.token(tokens) + self.position[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.head(self.norm(x))
        return logits

    @torch.no_grad()
    def sample(self, tokens: Tensor, length: int, rng: torch.Generator) -> Tensor:
        """Continues tokens (1, n) by `length` characters."""
        for _ in range(length):
            logits = self(tokens[:, -self.config.block :])[:, -1]
            following = torch.multinomial(F.softmax(logits, dim=-1), 1, generator=rng)
            tokens = torch.cat([tokens, following], dim=1)
        return tokens


def make_optimizer(model: nn.Module, lr: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW that decays matrices, but no biases and norms."""
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [
        {"params": matrices, "weight_decay": weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.99))


def warmup_cosine(warmup: int, total: int) -> Callable[[int], float]:
    """Factor of the learning rate at a step: linear warm-up, then a cosine down to a tenth."""

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        progress = (step - warmup) / max(1, total - warmup)
        return 0.1 + 0.45 * (1 + math.cos(math.pi * min(1.0, progress)))

    return factor


def cross_entropy(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


@torch.no_grad()
def evaluate(model: nn.Module, data: Tensor, args: argparse.Namespace) -> float:
    """Mean validation loss over the same windows each time."""
    model.eval()
    rng = torch.Generator().manual_seed(args.seed + 1)
    losses = [
        cross_entropy(model, *draw_batch(data, 4 * args.batch_size, args.block, rng)).item()
        for _ in range(args.eval_batches)
    ]
    model.train()
    return sum(losses) / len(losses)


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1337)
    parser.add_argument("--steps-per-epoch", type=int, default=160)
    parser.add_argument("--batch-size", type=int, default=4, help="windows a step")
    parser.add_argument("--block", type=int, default=48, help="characters a window")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=160)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=20, help="steps of linear warm-up")
    parser.add_argument("--weight-decay", type=float, default=0.1)
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of the gradient")
    parser.add_argument("--eval-batches", type=int, default=4)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N characters")
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="save model and optimizer")
    return parser.parse_args()


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    rng = torch.Generator().manual_seed(args.seed)

    corpus = Corpus(read_corpus(), held_out=0.1)
    config = Config(
        corpus.vocabulary, args.block, args.layers, args.heads, args.width, args.dropout
    )
    model = CharTransformer(config)
    parameters = list(model.parameters())
    optimizer = make_optimizer(model, args.lr, args.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, warmup_cosine(args.warmup, args.epochs * args.steps_per_epoch)
    )
    print(
        f"{len(corpus.train):,} characters, {corpus.vocabulary} different;"
        f" {sum(p.numel() for p in parameters):,} parameters in {len(parameters)} tensors"
    )

    for epoch in range(1, args.epochs + 1):
        total = 0.0
        for _ in range(args.steps_per_epoch):
            inputs, targets = draw_batch(corpus.train, args.batch_size, args.block, rng)
            loss = cross_entropy(model, inputs, targets)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, args.clip)
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(
            f"epoch {epoch}: train loss {total / args.steps_per_epoch:.6f},"
            f" valid loss {evaluate(model, corpus.valid, args):.6f}"
        )

    if args.sample:
        model.eval()
        start = corpus.train[: args.block].unsqueeze(0)
        tokens = model.sample(start, args.sample, rng)[0, args.block :].tolist()
        print(corpus.decode(tokens))
    if args.checkpoint:
        torch.save(
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "args": vars(args)},
            args.checkpoint,
        )


if __name__ == "__main__":
    main()
