#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom: samples, bench, tests -> include/talus; src/device -> src/host -> kernels -> include/talus;
src/lab -> include/talus.

Usage: check_includes.py <root of the tree>. Prints each offending line; returns 1 if there is one.
"""
import pathlib
import re
import sys

CUDA = r"(cuda|cub/|thrust/|nv/|nvtx|cooperative_groups|curand|cublas|device_launch|vector_types|texture|driver_types)"

# folder: [(what must not be included, why)]
RULES = {
    "include": [
        (CUDA, "public headers know no CUDA"),
        (r"(Eigen/|tbb/|oneapi/)", "public headers need the standard library alone"),
        (r".*\b(kernels|src)/", "public headers do not reach inside"),
    ],
    "kernels": [
        (CUDA, "kernels know no CUDA header"),
        (r"(Eigen/|tbb/|oneapi/)", "kernels need the standard library and include/talus alone"),
        (r".*\b(src|host|device|stages)/", "kernels know no executor"),
        (r"(exec|exec_cpu|backend|pipeline|memory|table|simulation|step_views)\.h", "kernels know no executor"),
    ],
    "src/host": [
        (CUDA, "src/host is compiled without the toolkit"),
        (r".*\bdevice/", "src/host does not know src/device"),
    ],
    "src/lab": [(r".*\b(kernels|host|device|stages|scenes)/", "the laboratory knows contact_problem.h, not the engine")],
    "samples": [(r".*\b(kernels|src|host|device|stages)/", "samples use the public headers")],
    "bench": [(r".*\b(kernels|src|host|device|stages)/", "the benchmark uses the public headers")],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
# What differs between compilers is named in config.h; everything else asks TALUS_ON_DEVICE and the like.
COMPILER = re.compile(r"^\s*#.*\b(__CUDACC__|__CUDA_ARCH__|__NVCC__)\b")
COMPILER_HOME = "include/talus/config.h"
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    files = errors = 0
    for folder, rules in RULES.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            files += 1
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                why = [reason for pattern, reason in rules
                       if (match := INCLUDE.match(line)) and re.match(pattern, match.group(1))]
                if COMPILER.match(line) and folder in ("include", "kernels", "src/host") and name != COMPILER_HOME:
                    why.append(f"compilers are told apart in {COMPILER_HOME}")
                for reason in why:
                    print(f"{name}:{number}: {line.strip()}  ({reason})")
                    errors += 1
    print(f"{files} files, {errors} errors")
    return 1 if errors or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
