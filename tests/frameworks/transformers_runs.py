"""What Hugging Face's Trainer does around a step, with models made from their configurations."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.optim import Adam, lr_scheduler
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    Trainer,
    TrainingArguments,
)

from side import Run, left_by

VOCABULARY, LENGTH = 50, 12


def bert() -> PreTrainedModel:
    return BertForSequenceClassification(
        BertConfig(
            vocab_size=VOCABULARY,
            max_position_embeddings=LENGTH,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_labels=3,
        )
    )


def gpt2() -> PreTrainedModel:
    """With weights that the embedding and the output share."""
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCABULARY,
            n_positions=LENGTH,
            n_embd=32,
            n_layer=2,
            n_head=2,
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def sentences() -> list[dict[str, Tensor]]:
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(VOCABULARY, (64, LENGTH), generator=generator)
    return [{"input_ids": i, "labels": i[0] % 3} for i in ids]


def texts() -> list[dict[str, Tensor]]:
    return [{"input_ids": s["input_ids"], "labels": s["input_ids"]} for s in sentences()]


def trainer(model: PreTrainedModel, examples: Any, optimizers: Any = None, **options: Any) -> Any:
    arguments: dict[str, Any] = {
        "output_dir": ".",
        "use_cpu": True,
        "max_steps": 6,
        "per_device_train_batch_size": 4,
        "learning_rate": 0.01,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
    } | options
    return Trainer(
        model,
        TrainingArguments(**arguments),
        train_dataset=examples,
        optimizers=optimizers or (None, None),
    )


def left_by_trainer(trained: Any) -> object:
    logs = [
        {key: log[key] for key in ("loss", "grad_norm", "learning_rate") if key in log}
        for log in trained.state.log_history
    ]
    return left_by(trained.model, trained.optimizer.optimizer), logs


def default_optimizer() -> object:
    """That is torch's fused AdamW."""
    training = trainer(bert(), sentences())
    training.train()
    return left_by_trainer(training)


def adamw_torch_resumed() -> object:
    """Accumulates and clips; from a checkpoint in the middle of an epoch."""
    options = {
        "optim": "adamw_torch",
        "lr_scheduler_type": "cosine",
        "warmup_steps": 2,
        "weight_decay": 0.1,
        "gradient_accumulation_steps": 2,
        "max_grad_norm": 0.5,
        "save_strategy": "steps",
        "save_steps": 3,
    }
    straight = trainer(bert(), sentences(), **options)
    straight.train()
    saved = torch.load("checkpoint-3/optimizer.pt")
    resumed = trainer(bert(), sentences(), **options)
    resumed.train(resume_from_checkpoint="checkpoint-3")
    return left_by_trainer(straight), saved, left_by_trainer(resumed)


def adamw_torch_bf16() -> object:
    training = trainer(gpt2(), texts(), optim="adamw_torch", bf16=True)
    training.train()
    return left_by_trainer(training)


def sgd() -> object:
    training = trainer(gpt2(), texts(), optim="sgd")
    training.train()
    return left_by_trainer(training)


def own_adam() -> object:
    model = gpt2()
    optimizer = Adam(model.parameters(), lr=0.01)
    schedule = lr_scheduler.StepLR(optimizer, 2, 0.5)
    training = trainer(model, texts(), (optimizer, schedule))
    training.train()
    return left_by_trainer(training)


RUNS: dict[str, Run] = {
    run.__name__: run
    for run in (default_optimizer, adamw_torch_resumed, adamw_torch_bf16, sgd, own_adam)
}
