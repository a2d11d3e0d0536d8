#!/usr/bin/env python3
"""Make a wheel of the program tribunal.

    python3 packaging/pip/wheel.py tribunal dist                      # a program of this machine
    python3 packaging/pip/wheel.py dist/tribunal.exe dist --version v1.2.0

The wheel holds the program and no Python: pip puts it where commands go. Which system it is for is read from the
program, and the version too where this machine can run it. The file is a build backend besides: pip install
./packaging/pip builds the program, with Go. It needs Python 3.8 and nothing else.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# PyPI's tribunal is the program of somebody else.
NAME = "tribunal-cli"
SUMMARY = "Statistical verdicts on AI agents: passes, fails or undecided, with error rates that hold"

# A program without cgo asks nothing of the C library, so one file is for those with glibc and those with musl. The
# macOS is the oldest that the Go version of go.mod runs on.
PLATFORMS = {
    ("elf", 0x3E): "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("elf", 0xB7): "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("mach-o", 0x01000007): "macosx_12_0_x86_64",
    ("mach-o", 0x0100000C): "macosx_12_0_arm64",
    ("pe", 0x8664): "win_amd64",
    ("pe", 0xAA64): "win_arm64",
}


def platform_of(program: bytes) -> str:
    """The platform tag, from the kind of program and the machine that its header names."""

    def number(at: int, size: int) -> int:
        return int.from_bytes(program[at : at + size], "little")

    found = None
    if program[:4] == b"\x7fELF":
        found = ("elf", number(18, 2))
    elif program[:4] == b"\xcf\xfa\xed\xfe":
        found = ("mach-o", number(4, 4))
    elif program[:2] == b"MZ":
        found = ("pe", number(number(60, 4) + 4, 2))
    if found not in PLATFORMS:
        raise SystemExit("this is no program for Linux, macOS or Windows on amd64 or arm64")
    return PLATFORMS[found]


def version_of(path: pathlib.Path) -> str:
    """What the program says of itself, such as v1.2.0."""
    try:
        said = subprocess.run([path, "version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"{path} cannot be asked for its version, so say it: --version v1.2.0 ({error})")
    return said.split()[1]


def python_version(version: str) -> str:
    """A version of Go, as Python writes it: v1.2.0-rc.1 is 1.2.0rc1."""
    released = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-(rc|alpha|beta)\.?(\d+))?", version)
    if released:
        number, stage, of_stage = released.groups()
        return number + ({"rc": "rc", "alpha": "a", "beta": "b"}[stage] + of_stage if stage else "")
    # Between releases Go writes v1.2.1-0.20261123175107-e862a03abcde, and nothing at all of a plain build.
    between = re.match(r"v?(\d+\.\d+\.\d+)-(?:.*\.)?(\d{14})-", version)
    return f"{between[1]}.dev{between[2]}" if between else "0.0.0.dev0"


def write(folder, name, version, platform, headers, readme, files):
    """Writes a wheel into a folder and returns its name: all of it or none. The same files give the same bytes."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "Requires-Python: >=3.8",
        "Project-URL: Homepage, https://github.com/tribunal-dev/tribunal",
        *headers,
        "Description-Content-Type: text/markdown",
        "",
        readme.read_text(encoding="utf-8"),
    ]
    pure = str(platform == "any").lower()
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
    files = {
        **{place.format(stem=stem): content for place, content in files.items()},
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/METADATA": "\n".join(metadata).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tribunal\nRoot-Is-Purelib: {pure}\n{tags}".encode(),
    }
    lines = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for path, content in files.items()
    ]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = f"{stem}-py3-none-{platform}.whl"
    part = folder / f"{wheel}.part"
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in files.items():
                entry = zipfile.ZipInfo(path)  # of 1980, whenever it is made
                entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
        os.replace(part, folder / wheel)
    finally:
        if part.exists():
            part.unlink()
    return wheel


def make(path: pathlib.Path, folder: pathlib.Path, version: str | None) -> str:
    """Writes the wheel of a program into the folder and returns its name."""
    program = path.read_bytes()
    platform = platform_of(program)
    command = "tribunal.exe" if platform.startswith("win") else "tribunal"
    version = python_version(version or version_of(path.resolve()))
    files = {"{stem}.data/scripts/" + command: program}
    return write(folder, NAME, version, platform, [f"Summary: {SUMMARY}"], HERE / "README.md", files)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """What pip calls. The program is the one with a fleet, which has all commands."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "tribunal")
        try:
            subprocess.run(["go", "build", "-ldflags=-s -w", "-o", program, "./cmd/tribunal-fleet"], cwd=ROOT, check=True,
                           env={**os.environ, "CGO_ENABLED": "0"})
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"the program cannot be built: {error}; it takes Go 1.26")
        return make(program, wheel_directory, None)


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the sources are Go."""
    raise SystemExit("there is no source distribution: build it from a clone")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # what is half written goes, as by Ctrl-C
    arguments = argparse.ArgumentParser(description="Make a wheel of the program tribunal.")
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path, help="where the wheel is written")
    arguments.add_argument("--version", help="such as v1.2.0; what the program says, where this machine can run it")
    asked = arguments.parse_args()
    try:
        print(asked.folder / make(asked.program, asked.folder, asked.version))
    except OSError as error:
        sys.exit(str(error))
