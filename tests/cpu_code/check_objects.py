#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Equal bits with every instruction set rest on IEEE operations: looks for others in machine code of x86-64.

Usage: check_objects.py <objdump> <object>... Fails on fused multiply-adds and approximate reciprocals, which a compiler
may bring in behind the code's back.
"""
import collections
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"\t(vfn?m(?:add|sub)\w*|v?rcp\w*|v?rsqrt\w*)\s")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")


def main() -> int:
    objdump, *objects = sys.argv[1:]
    instructions = 0
    found: dict[tuple[str, str], int] = collections.Counter()
    for name in objects:
        out = subprocess.run([objdump, "-d", "--no-show-raw-insn", name], capture_output=True, text=True, check=True)
        function = "?"
        for line in out.stdout.splitlines():
            if match := FUNCTION.match(line):
                function = match.group(1)
            instructions += line.count("\t") > 0
            if match := FORBIDDEN.search(line + " "):
                found[match.group(1), function] += 1
    for (what, function), times in found.items():
        print(f"{what}, {times} times in {function}")
    print(f"{instructions} instructions, {sum(found.values())} forbidden")
    return 1 if found or instructions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
