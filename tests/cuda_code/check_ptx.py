#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Equal bits on CPU and GPU rest on IEEE operations: looks for others in PTX.

Usage: check_ptx.py <file.ptx>. Fails on approximate operations, on flushed denormals and on fused multiply-adds.
"""
import collections
import re
import sys

FORBIDDEN = {
    "approximate operation": re.compile(r"\.approx\b"),
    "flushes denormals": re.compile(r"\.ftz\b"),
    "fused multiply-add": re.compile(r"\bfma\.r[nzmp](\.sat)?\.f32\b"),
}

# (what, pattern of the mangled function name, why it may stay). A written fma() belongs here.
ALLOWED: list[tuple[str, str, str]] = []

FUNCTION = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")


def main() -> int:
    function = "?"
    instructions = 0
    found: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as ptx:
        for number, line in enumerate(ptx, 1):
            if match := FUNCTION.match(line):
                function = match.group(1)
            code = line.split("//")[0]
            if not code.rstrip().endswith(";"):
                continue
            instructions += 1
            for what, pattern in FORBIDDEN.items():
                if pattern.search(code) and not any(what == a[0] and re.search(a[1], function) for a in ALLOWED):
                    found[what, function].append(f"{number}: {code.strip()}")
    for (what, name), lines in found.items():
        print(f"{what}, {len(lines)} times in {name}, e.g.\n  {lines[0]}")
    print(f"{instructions} instructions, {sum(map(len, found.values()))} forbidden")
    return 1 if found or instructions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
