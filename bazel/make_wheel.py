"""Writes a wheel. See the rule `wheel` in wheel.bzl, which runs this."""

import argparse
import base64
import hashlib
import os
import stat
import zipfile


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--metadata", required=True, help="the METADATA file's text")
    parser.add_argument(
        "--file",
        nargs=2,
        action="append",
        default=[],
        metavar=("SOURCE", "PATH"),
        help="PATH is the file's place in the wheel",
    )
    parser.add_argument(
        "--script",
        nargs=2,
        action="append",
        default=[],
        metavar=("SOURCE", "NAME"),
        help="installed as bin/NAME",
    )
    args = parser.parse_args()

    name, version, python, abi, platform = os.path.basename(args.out)[: -len(".whl")].split("-")
    dist = f"{name}-{version}"
    entries = []
    for source, path in args.file:
        with open(source, "rb") as f:
            entries.append((path, f.read(), 0o644))
    for source, script in args.script:
        with open(source, "rb") as f:
            entries.append((f"{dist}.data/scripts/{script}", f.read(), 0o755))
    wheel = "Wheel-Version: 1.0\nGenerator: kwker\nRoot-Is-Purelib: false\n"
    wheel += f"Tag: {python}-{abi}-{platform}\n"
    entries.sort()
    entries.append((dist + ".dist-info/METADATA", args.metadata.encode(), 0o644))
    entries.append((dist + ".dist-info/WHEEL", wheel.encode(), 0o644))

    record = dist + ".dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(args.out, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data, mode in entries:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
            write(out, path, data, mode)
        write(out, record, ("".join(lines) + record + ",,\n").encode(), 0o644)


def write(out: zipfile.ZipFile, path: str, data: bytes, mode: int) -> None:
    # The same inputs make the same file: no time of day in it.
    info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    out.writestr(info, data)


if __name__ == "__main__":
    main()
