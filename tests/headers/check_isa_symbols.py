#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cpu_step.cpp is compiled once for each instruction set. A function that two of the objects share by name is kept once
by the linker, from any of them: other instruction sets would run it, or crash on it. So every such (weak) symbol has to
have the instruction set's namespace in its name.

Usage: check_isa_symbols.py <nm> <isa> <object>... Prints the symbols that do not; returns 1 if there is one.
"""
import re
import subprocess
import sys

ALLOWED = re.compile(r"DW\.ref\.__gxx_personality_v0")  # a pointer, no code


def main() -> int:
    nm, isa, *objects = sys.argv[1:]
    out = subprocess.run([nm, "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    weak = [match.group(1) for line in out.splitlines() if (match := re.match(r"[0-9a-f]+ [WwVvu] (.*)", line))]
    part = f"{len(isa)}{isa}"  # as it stands in a mangled name
    shared = [name for name in weak if part not in name and not ALLOWED.fullmatch(name)]
    for name in shared:
        print(f"not in namespace talus::{isa}: {name}")
    print(f"{isa}: {len(weak)} weak symbols, {len(shared)} shared with other instruction sets")
    return 1 if shared or not out else 0


if __name__ == "__main__":
    sys.exit(main())
