#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles PTX for one GPU and prints a table of registers; a kernel that spills them to memory is an error.

Usage: check_ptxas.py <ptxas> <sm_XX> <file.ptx>.
"""
import os
import re
import shutil
import subprocess
import sys

ENTRY = re.compile(r"Compiling entry function '([^']+)' for '(\w+)'")
PROPERTIES = re.compile(r"Function properties for (\S+)")
SPILL = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def readable(names: list[str]) -> list[str]:
    filt = shutil.which("c++filt")
    if not filt or not names:
        return names
    out = subprocess.run([filt], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return [re.sub(r"\bvoid |talus::|CUB_\w+::|detail::", "", line) for line in out.splitlines()]


def main() -> int:
    ptxas, arch, ptx = sys.argv[1:]
    run = subprocess.run([ptxas, "-v", f"-arch={arch}", "-o", os.devnull, ptx], capture_output=True, text=True)
    output = run.stdout + run.stderr
    if run.returncode != 0:
        print(output)
        return 1

    rows: dict[str, dict[str, int]] = {}
    spills: dict[str, tuple[int, int]] = {}
    entry = function = ""
    for line in output.splitlines():
        if match := ENTRY.search(line):
            entry = match.group(1)
            rows[entry] = {"registers": 0, "stack": 0, "shared": 0}
        elif match := PROPERTIES.search(line):
            function = match.group(1)
        elif match := SPILL.search(line):
            stack, stores, loads = map(int, match.groups())
            if function in rows:
                rows[function]["stack"] = stack
            if stores or loads:
                spills[function] = (stores, loads)
        elif match := USED.search(line):
            rows[entry]["registers"] = int(match.group(1))
            if shared := SHARED.search(line):
                rows[entry]["shared"] = int(shared.group(1))

    names = sorted(rows, key=lambda name: -rows[name]["registers"])
    print(f"{arch}: {len(rows)} kernels\nregisters  stack B  shared B  kernel")
    for name, text in zip(names, readable(names)):
        row = rows[name]
        print(f"{row['registers']:9d}  {row['stack']:7d}  {row['shared']:8d}  {text[:150]}")
    for name, text in zip(spills, readable(list(spills))):
        print(f"spills {spills[name][0]} bytes of stores, {spills[name][1]} bytes of loads: {text}")
    return 1 if spills or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
