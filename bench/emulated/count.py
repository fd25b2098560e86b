#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the work of a CUDA step under the emulator of the tests, and writes bench/emulated/<scene>.json.

    bench/emulated/count.py <build directory> [--scenes a,b] [--before 120] [--steps 4] [--out directory]

Counts are work, not time: instructions are PTX, sectors are 32 bytes of global memory before any cache. They depend on
the scene and the code alone, so a changed number is a changed program. Per step:

    launches, graph_launches, host_syncs, blocking_copies, memcpys, memsets, allocations
    kernels: launches, warp_instructions, load_sectors, store_sectors, atomic_sectors, bytes (32 a sector);
             first_touch_bytes (each sector once a launch: what a perfect cache would leave);
             load_efficiency, store_efficiency [%] (bytes asked for / bytes of sectors); active_lanes (of 32);
             bytes_per_contact_and_sweep (solver kernels: one sweep goes over all colors)
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_SCENES = "box_pile_1000,mixed_pile_1000,pyramid2d_20"
PALETTE = 12  # launches of a sweep: kPalette in kernels/counters.h


def short_name(name: str) -> str:
    """void talus::run<talus::device::UpdateBounds>(...) -> UpdateBounds; CUB's kernels -> cub::DeviceScanKernel."""
    if match := re.match(r"(?:void )?talus::run(?:_lanes)?<(.*)>\(", name):
        kernel = re.sub(r"talus::(?:\w+::)?", "", match.group(1)).strip()
        sweeps = "warm_start", "biased", "relax", "bounce"
        return re.sub(r"\((?:Sweep)\)(\d+)u?", lambda m: sweeps[int(m.group(1))], kernel)
    if match := re.search(r"\b(Device\w+Kernel|\w*Kernel)\b", name):
        return "cub::" + match.group(1)
    return name.split("(")[0]


def emulator(build: pathlib.Path) -> pathlib.Path:
    found = sorted(build.rglob("libcudart.so.13"))
    if not found:
        sys.exit(f"count.py: no libcudart.so.13 below {build}; build the tests with CUDA first")
    return found[0].parent


def run(program: pathlib.Path, libraries: pathlib.Path, scene: str, before: int, steps: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile.json")
        environment = dict(os.environ, LD_LIBRARY_PATH=str(libraries), CUDAEMU_PROFILE=os.path.join(folder, "all.json"))
        result = subprocess.run([program, scene, str(before), str(steps), profile], env=environment, text=True,
                                stdout=subprocess.PIPE, check=False)
        if result.returncode != 0:
            sys.exit(f"count.py: {scene} failed")
        with open(profile, encoding="utf-8") as file:
            return summary(scene, before, steps, json.loads(result.stdout), json.load(file))


def number(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)


def summary(scene: str, before: int, steps: int, facts: dict, profile: dict) -> dict:
    api = profile["api"]
    kernels: dict[str, dict] = {}
    for k in profile["kernels"]:
        row = kernels.setdefault(short_name(k["name"]), {key: 0 for key in (
            "launches", "warp", "lanes", "load", "store", "atomic", "first", "load_bytes", "store_bytes")})
        row["launches"] += k["launches"]
        row["warp"] += k["warp_instructions"]
        row["lanes"] += k["thread_instructions"]
        row["load"] += k["global_load_sectors"]
        row["store"] += k["global_store_sectors"]
        row["atomic"] += k["global_atomic_sectors"]
        row["first"] += k["global_load_unique_sectors"] + k["global_store_unique_sectors"]
        row["load_bytes"] += k["global_load_bytes"]
        row["store_bytes"] += k["global_store_bytes"]

    def efficiency(used: int, sectors: int) -> float | None:
        return round(100 * used / (32 * sectors), 1) if sectors else None

    table = {}
    for name, k in sorted(kernels.items(), key=lambda item: -item[1]["load"] - item[1]["store"]):
        row = {
            "launches": number(k["launches"] / steps),
            "warp_instructions": number(k["warp"] / steps),
            "load_sectors": number(k["load"] / steps),
            "store_sectors": number(k["store"] / steps),
            "atomic_sectors": number(k["atomic"] / steps),
            "bytes": number(32 * (k["load"] + k["store"] + k["atomic"]) / steps),
            "first_touch_bytes": number(32 * k["first"] / steps),
            "load_efficiency": efficiency(k["load_bytes"], k["load"]),
            "store_efficiency": efficiency(k["store_bytes"], k["store"]),
            "active_lanes": round(k["lanes"] / k["warp"], 1) if k["warp"] else None,
        }
        if name.startswith("SolveContacts") and facts["contacts"] > 0:
            sweeps = k["launches"] / PALETTE
            row["bytes_per_contact_and_sweep"] = number(
                round(32 * (k["load"] + k["store"]) / sweeps / facts["contacts"], 1))
        table[name] = row
    solve = [row for name, row in table.items() if name.startswith("SolveContacts")]
    sweeps = sum(row["launches"] for row in solve) / PALETTE
    return {
        "scene": scene,
        "steps_before": before,
        "steps_counted": steps,
        **facts,
        "per_step": {
            "launches": number(api["kernel_launches"] / steps),
            "graph_launches": number(api["graph_launches"] / steps),
            "host_syncs": number(api["host_syncs"] / steps),
            "blocking_copies": number(api["blocking_copies"] / steps),
            "memcpys": number((api["memcpy_h2d"] + api["memcpy_d2h"] + api["memcpy_d2d"]) / steps),
            "memsets": number(api["memsets"] / steps),
            "allocations": number(api["allocations"] / steps),
            "bytes": number(sum(row["bytes"] for row in table.values())),
            "sweeps": number(sweeps),
            "bytes_per_contact_and_sweep": number(round(
                sum(row["bytes"] for row in solve) / sweeps / facts["contacts"], 1)) if sweeps and facts["contacts"]
            else None,
        },
        "kernels": table,
    }


def write(path: pathlib.Path, result: dict) -> None:
    """JSON with one line a kernel, so that a difference reads well."""
    kernels = result.pop("kernels")
    text = json.dumps(result, indent=1)[:-2] + ',\n "kernels": {\n'
    text += ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in kernels.items()) + "\n }\n}\n"
    path.write_text(text, encoding="utf-8")
    json.loads(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--scenes", default=DEFAULT_SCENES)
    parser.add_argument("--before", type=int, default=120, help="steps before counting begins")
    parser.add_argument("--steps", type=int, default=4, help="steps counted; even, for both sides of the cache")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    args = parser.parse_args()
    found = [path for path in args.build.rglob("count_steps") if path.is_file() and os.access(path, os.X_OK)]
    if not found:
        sys.exit(f"count.py: no program count_steps below {args.build}")
    libraries = emulator(args.build)
    for scene in args.scenes.split(","):
        result = run(found[0], libraries, scene, args.before, args.steps)
        per_step = dict(result["per_step"])
        write(args.out / f"{scene}.json", result)
        print(f"{scene}: {result['bodies']} bodies, {result['contacts']} contacts; per step {json.dumps(per_step)}")


if __name__ == "__main__":
    main()
