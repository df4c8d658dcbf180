"""torch.compile reads torch's own code, with Kwker or without: the same graphs and operators."""

from __future__ import annotations

import pytest

from processes import run

CODE = """
import torch
from torch._dynamo.testing import CompileCounter
from torchvision.transforms import v2
import kwker.torch_ops as sto

if {installs}:
    sto.install()
image = torch.arange(3 * 20 * 30).remainder(251).to(torch.uint8).reshape(3, 20, 30)
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
averaged = torch.optim.swa_utils.AveragedModel(model)
optimizer = torch.optim.RAdam(model.parameters())
model(torch.ones(3)).sum().backward()
counter = CompileCounter()
{setup}
call = torch.compile({call}, backend=counter{options})
for _ in range(2):
    torch.manual_seed(0)
    outcome = call({arguments})
print(counter.frame_count, counter.op_count, {result})
"""


@pytest.mark.parametrize(
    ("setup", "call", "options", "arguments", "result"),
    [
        (
            "steps = [v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5], [2])]",
            "v2.Compose(steps)",
            ", fullgraph=True",
            "image",
            "outcome.sum().item()",
        ),
        ("", "v2.ColorJitter(0.2, 0.2)", "", "image", "outcome.sum().item()"),
        ("", "averaged.update_parameters", "", "model", "averaged.module.weight.sum().item()"),
        ("", "model.zero_grad", "", "", "model.weight.grad"),
        ("", "lambda: optimizer.step()", "", "", "model.weight.sum().item()"),
    ],
    ids=["compose", "jitter", "averages", "zero_grad", "step"],
)
def test_sees_what_it_sees_without(
    setup: str, call: str, options: str, arguments: str, result: str
) -> None:
    parts = {
        "setup": setup,
        "call": call,
        "options": options,
        "arguments": arguments,
        "result": result,
    }
    ours, theirs = (run(CODE.format(installs=installs, **parts)) for installs in (True, False))
    assert (ours.returncode, ours.stdout) == (0, theirs.stdout), ours.stderr
