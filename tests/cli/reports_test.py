"""The forms of a report that go into files: Markdown, HTML, JSON by its schema."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from PIL import Image

from processes import Ended, assert_one_line, end_of, kwker

SCHEMA = Path(os.environ.get("SCHEMA", "audit/report.schema.json"))
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

CODE = """
import torch
weight = torch.nn.Parameter(torch.ones(64, 64))
optimizer = torch.optim.AdamW([weight])
for _ in range(20):
    (weight * weight).sum().backward()
    optimizer.step()
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """An audit's end, and a folder with its report.json, report.md and report.html."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "a & b <c>.py").write_text(CODE)
    files = [f"--{form}=report.{end}" for form, end in (("json", "json"), ("markdown", "md"))]
    ended = end_of(
        kwker("audit", "--pairs", 2, *files, "--html", "report.html", "--", "a & b <c>.py"),
        cwd=folder,
    )
    return ended, folder


def element_texts(page: str, name: str) -> list[str]:
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    return ["".join(element.itertext()) for element in root.iter(name)]


def test_json_is_as_the_schema_says(reports: tuple[Ended, Path]) -> None:
    schema: dict[str, Any] = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    report = json.loads((reports[1] / "report.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(report)


def test_html_is_well_formed_and_alone(reports: tuple[Ended, Path]) -> None:
    ended, folder = reports
    assert ended.status == 0, ended
    page = (folder / "report.html").read_text()
    (heading,) = element_texts(page, "h1")
    assert "outputs equal to the bit" in heading
    assert "a & b <c>.py" in element_texts(page, "code")[0]
    assert {"Times", "Pairs", "Features", "Peak memory", "Runs"} <= set(element_texts(page, "h2"))
    assert "optim.adamw" in element_texts(page, "td")
    for part in ("http:", "https:", "<script", "<link", "url("):
        assert part not in page.replace("http://www.w3.org/2000/svg", "")


def test_markdown_says_the_same(reports: tuple[Ended, Path]) -> None:
    ended, folder = reports
    page = (folder / "report.md").read_text()
    assert page.startswith("**")
    assert "outputs equal to the bit" in page.splitlines()[0]
    assert "| optim.adamw | 20 | 0 |" in page
    assert "outputs equal to the bit" in ended.out


def test_written_after_every_pair(tmp_path: Path) -> None:
    code = "import os, shutil\nif os.path.exists('r.html'): shutil.copy('r.html', 'early.html')\n"
    (tmp_path / "script.py").write_text(code)
    options = ["--pairs", 2, "--warmup", 0, "--html", "r.html"]
    end_of(kwker("audit", *options, "--", "script.py"), cwd=tmp_path)
    assert "1 pair" in element_texts((tmp_path / "early.html").read_text(), "h1")[0]


def test_only_one_on_stdout() -> None:
    words = ["audit", "--json", "-", "--html", "-", "--", "-c", "pass"]
    assert_one_line(end_of(kwker(*words)), "--json", "--html", "stdout")


@pytest.mark.parametrize("option", ["--markdown", "--html"])
def test_a_file_that_cannot_be(option: str) -> None:
    words = ["audit", option, "/no/such/folder/x", "--", "-c", "pass"]
    assert_one_line(end_of(kwker(*words)), "/no/such/folder")
    assert_one_line(end_of(kwker("audit", option, "", "--", "-c", "pass")), option, "name a file")


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it(reports: tuple[Ended, Path], scheme: str, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    setting = {"dark": 0, "light": 1}[scheme]
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path}",
        f"--blink-settings=preferredColorScheme={setting}",
        "--window-size=900,1600",
        f"--screenshot={picture}",
        (reports[1] / "report.html").as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with Image.open(picture) as image:
        pixels = image.convert("L")
        corner = pixels.getpixel((2, 2))
        assert isinstance(corner, int)
        assert (corner > 200) == (scheme == "light")
        colours = image.convert("RGB").getcolors(1 << 24)
        assert colours is not None
        assert len(colours) > 50  # text, lines and dots, not an empty page
