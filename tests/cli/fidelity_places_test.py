"""A script does the same as under plain Python wherever it lies, and whatever it is called."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from processes import PROGRAM, Starter, end_of, kwker, same_as_python

# In ASCII, whatever the names are.
SEES = """
import ascii_only, json, os, sys
own = {name: repr(globals().get(name)) for name in ("__file__", "__name__", "__doc__")}
print(json.dumps([sys.argv, sys.path, own, os.getcwd(), ascii_only.__file__]))
1 / 0
"""

NAMES = {
    "no extension": "train",
    "another": "train.txt",
    "blanks": "two words .py",
    "letters": "ü∑🙂.py",
    "bytes": os.fsdecode(b"caf\xe9.py"),
    "newline": "new\nline.py",
    "quotes": "'a' \"b\" $(c).py",
    "dash": "./-m.py",
    "hidden": ".train",
    "dots": "a.b.c.py",
}


def write(folder: Path, name: str, code: str = SEES) -> str:
    """A script with the module that it imports; its path."""
    folder.mkdir(exist_ok=True)
    (folder / "ascii_only.py").write_text("")
    path = os.path.join(folder, name)
    Path(path).write_text(code)
    return path


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_names(start: Starter, name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "scripts", name)
    assert "ZeroDivisionError" in same_as_python(start, [path, "a", os.fsdecode(b"\xff")]).err
    same_as_python(start, [name], cwd=tmp_path / "scripts")


@pytest.mark.parametrize(
    "path", ["scripts/../scripts/train.py", "scripts//train.py", "./scripts/./train.py"]
)
def test_ways_there(start: Starter, path: str, tmp_path: Path) -> None:
    write(tmp_path / "scripts", "train.py")
    same_as_python(start, [path], cwd=tmp_path)


@pytest.mark.parametrize("link", ["link.py", "other/link", "folder/train.py", "chain"])
def test_symbolic_links(start: Starter, link: str, tmp_path: Path) -> None:
    """The modules beside the script are found, and not those beside the link."""
    path = write(tmp_path / "scripts", "train.py")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "ascii_only.py").write_text("1 / 0")
    (tmp_path / "link.py").symlink_to(path)
    (tmp_path / "other" / "link").symlink_to("../scripts/train.py")
    (tmp_path / "folder").symlink_to("scripts")
    (tmp_path / "chain").symlink_to("other/link")
    same_as_python(start, [link], cwd=tmp_path)
    same_as_python(start, [str(tmp_path / link)])


def test_a_zip_file(start: Starter, tmp_path: Path) -> None:
    path = tmp_path / "app"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("__main__.py", "import sys, inner\nprint(sys.argv, sys.path[0], __spec__)")
        file.writestr("inner.py", "print(__name__)")
    assert "inner" in same_as_python(start, [str(path), "x"]).out


WORKER = """
import multiprocessing, os, sys

def work(x):
    import beside
    return x * beside.ANSWER

if __name__ == "__main__":
    os.chdir(sys.argv[1])
    multiprocessing.set_start_method(sys.argv[2])
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=queue.put, args=(work(1),))
    process.start()
    print(queue.get(), os.getcwd(), flush=True)
    process.join()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, range(4)), flush=True)
    print(process.exitcode, multiprocessing.get_start_method())
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_goes_elsewhere_and_starts_workers(start: Starter, method: str, tmp_path: Path) -> None:
    """By the method that it has chosen, from a folder that its path does not lead from."""
    write(tmp_path / "scripts", "train.py", WORKER)
    (tmp_path / "scripts" / "beside.py").write_text("ANSWER = 42")
    (tmp_path / "elsewhere").mkdir()
    ended = same_as_python(start, ["scripts/train.py", "elsewhere", method], cwd=tmp_path)
    assert "[0, 42, 84, 126]" in ended.out, ended


AGAIN = """
import os, sys
print(sys.argv, os.environ.get("ROUND"), flush=True)
if os.environ.get("ROUND") != "2":
    os.environ["ROUND"] = str(int(os.environ.get("ROUND", 0)) + 1)
    os.execv(sys.executable, [sys.executable, *sys.argv])
sys.exit(3)
"""


def test_starts_itself_again(start: Starter, tmp_path: Path) -> None:
    ended = same_as_python(start, [write(tmp_path / "scripts", "train.py", AGAIN), "a", "b"])
    assert (ended.status, ended.out.count("train.py")) == (3, 3)


OTHERS = """
import os, subprocess, sys
python = sys.executable
for command in ([python, "-m", "ascii_only"], [python, "-c", "print(1)"], ["sh", "-c", "exit 5"]):
    print(subprocess.run(command, cwd=os.path.dirname(__file__)).returncode, flush=True)
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, repr((__name__, sys.argv)).encode())
    os._exit(0)
os.close(writer)
print(os.read(reader, 1000), os.waitstatus_to_exitcode(os.wait()[1]))
with os.popen("cat", "w") as pipe:
    pipe.write("popen\\n")
"""


def test_starts_other_programs(start: Starter, tmp_path: Path) -> None:
    same_as_python(start, [write(tmp_path / "scripts", "train.py", OTHERS), "x"])


@pytest.mark.parametrize("text", [b"", b"one\ntwo", b"\xff\n" * 1000], ids=["empty", "two", "long"])
def test_stdin(text: bytes, tmp_path: Path) -> None:
    """Under `kwker run`; an audit's runs have none, as each would take it from the next."""
    code = "import sys\nprint([len(l) for l in sys.stdin.buffer], sys.stdin.isatty())\n"
    path = write(tmp_path / "scripts", "train.py", code)
    ends = [
        subprocess.run(command, input=text, capture_output=True, check=True)
        for command in (kwker("run", "--", path), [sys.executable, path])
    ]
    assert (ends[0].stdout, ends[0].stderr) == (ends[1].stdout, ends[1].stderr)


def test_the_first_python_on_path_is_a_shell_script(tmp_path: Path) -> None:
    wrapper = tmp_path / "bin" / "python"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nFROM_WRAPPER=1 exec {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    code = "import os, sys\nprint(sys.executable, sys.prefix, sys.argv, sys.orig_argv[1:])\n"
    path = write(tmp_path / "scripts", "train.py", code)
    env = {"PATH": f"{wrapper.parent}:{os.environ['PATH']}", "KWKER_PYTHON": "", "VIRTUAL_ENV": ""}
    ours = end_of([PROGRAM, "run", "--", path, "x"], env=env)
    assert ours == end_of([str(wrapper), path, "x"], env=env)
    assert ours.status == 0, ours
