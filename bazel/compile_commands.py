#!/usr/bin/env python3
"""Writes compile_commands.json for clangd and clang-tidy.

Run it in the workspace, after a `bazel build //...` (so that @libtorch and the
others are there): python3 bazel/compile_commands.py
"""

import json
import os
import subprocess


def bazel(*args: str) -> str:
    return subprocess.run(
        ("bazel", *args), check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout


def main() -> None:
    workspace = bazel("info", "workspace").strip()
    base = bazel("info", "output_base").strip()
    execroot = bazel("info", "execution_root").strip()

    def absolute(arg: str) -> str:
        for prefix, root in (("external/", base), ("bazel-out/", execroot)):
            for option in ("", "-I", "-L"):
                if arg.startswith(option + prefix):
                    return option + os.path.join(root, arg[len(option) :])
        return arg

    commands = {}
    query = 'mnemonic("CppCompile", //...)'
    for action in json.loads(bazel("aquery", query, "--output=jsonproto"))["actions"]:
        args = [absolute(a) for a in action["arguments"] if a != "-fno-canonical-system-headers"]
        file = args[args.index("-c") + 1]
        commands[file] = {"directory": workspace, "file": file, "arguments": args}
    with open(os.path.join(workspace, "compile_commands.json"), "w") as f:
        json.dump([commands[file] for file in sorted(commands)], f, indent=1)
    print(f"{len(commands)} files")


if __name__ == "__main__":
    main()
