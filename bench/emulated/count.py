#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the work of a CUDA step under the emulator of the tests, writes bench/emulated/<scene>.json and says what
changed since the committed files.

    bench/emulated/count.py [build directory] [--scenes a,b] [--before n] [--steps 2] [--out directory]
    bench/emulated/count.py --self-test

The build directory is build/release unless named. The steps before run on the CPU backend; a few CUDA steps follow from
its snapshot, and two are counted (two, for both sides of the contact cache). Counts are work, not time: instructions
are PTX, sectors are 32 bytes of global memory before any cache. They depend on the scene and the code alone, so a
changed number is a changed program. Per step:

    launches, graph_launches, graph_nodes, grid_barriers, host_syncs, blocking_copies, memcpys, memsets, allocations
    bytes (32 a sector), sweeps (of the solver), bytes_per_contact_and_sweep (stage solve_contacts with all it does to
        bodies: where points_per_contact is 4, that is a manifold of 4 points)
    bytes_per_contact (of scenes that say so): of one more biased or relaxing sweep, with its bodies
    stages: launches, grid_barriers, bytes, share of the bytes [%]
    kernels: stage; launches; grid_barriers (in cooperative launches); warp_instructions; active_lanes (of 32);
        load_sectors, store_sectors, atomic_sectors; bytes and share [%];
        first_touch_bytes (each sector once a launch: what a perfect cache would leave to do);
        load_efficiency, store_efficiency [%] (bytes asked for / bytes of sectors);
        peak: bytes and warp_instructions of the step that has most (one that searches for near boxes anew, say);
        memory_bytes: what passes caches of so many MB (scenes that bench/emulated/model scales up)
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SORTS = "sort and scan"  # kernels that no stage has for itself
SECTOR = 32              # [bytes]
TOLD = 0.01              # changes below are not printed
TOLD_KERNELS = 12        # nor are kernels beyond these


class Plan(NamedTuple):
    before: int = 120          # steps
    caches: tuple = ()         # [MB] sizes to count memory traffic with
    sweeps: bool = False       # count single sweeps of the solver, too


# A box_tumble is still falling after 120 steps. Two sizes of it tell what grows with the scene and what does not.
CACHES = (1, 2, 4, 8, 16)
PLANS = {
    "box_pile_8000": Plan(caches=CACHES),
    "box_tumble_4000": Plan(before=240),
    "box_tumble_8000": Plan(before=240, caches=CACHES),
    "mixed_pile_1000": Plan(),
    "pyramid2d_40": Plan(sweeps=True),
    "pyramid3d_20": Plan(sweeps=True),
}


# ---- names ---------------------------------------------------------------------------------------------------------

def sweep_names() -> list[str]:
    """The values of `enum class Sweep`, in order: kernels are compiled for each."""
    text = (ROOT / "kernels" / "solve.h").read_text(encoding="utf-8")
    match = re.search(r"enum class Sweep[^{]*\{(.*?)\}", text, re.DOTALL)
    return re.findall(r"^\s*(\w+)\s*,", match.group(1), re.MULTILINE) if match else []


def short_name(name: str, sweeps: list[str]) -> str:
    """void talus::run<talus::device::UpdateBounds>(...) -> UpdateBounds; CUB's kernels -> cub::DeviceScanKernel."""
    if match := re.match(r"(?:void )?talus::run\w*<(.*)>\(", name):
        kernel = re.sub(r"talus::(?:\w+::)?", "", match.group(1)).strip()
        return re.sub(r"\(Sweep\)(\d+)u?", lambda m: sweeps[int(m[1])] if int(m[1]) < len(sweeps) else m[1], kernel)
    if match := re.search(r"\b(Device\w+Kernel|\w*Kernel)\b", name):
        return "cub::" + match.group(1)
    return name.split("(")[0]


def stage_words() -> dict[str, set[str]]:
    """The words of each stage's driver: a kernel belongs to the stage that names it."""
    return {path.stem: set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
            for path in sorted((ROOT / "src" / "host" / "stages").glob("*.h"))}


def stage_of(kernel: str, words: dict[str, set[str]]) -> str:
    found = [stage for stage, names in words.items() if re.split(r"\W", kernel)[0] in names]
    return found[0] if len(found) == 1 and not kernel.startswith("cub::") else "several" if found else SORTS


# ---- counting ------------------------------------------------------------------------------------------------------

def emulator(build: pathlib.Path) -> pathlib.Path:
    found = sorted(build.rglob("libcudart.so.13"))
    if not found:
        sys.exit(f"count.py: no libcudart.so.13 below {build}; build the tests with CUDA first")
    return found[0].parent


def program(build: pathlib.Path) -> pathlib.Path:
    found = [path for path in build.rglob("count_steps") if path.is_file() and os.access(path, os.X_OK)]
    if not found:
        sys.exit(f"count.py: no program count_steps below {build}")
    return found[0].resolve()


def run(build: pathlib.Path, scene: str, before: int, steps: int, cache: int,
        solver: tuple[str, ...] = ()) -> tuple[dict, list[dict]]:
    """Facts of the scene, and the emulator's profile of each step with a cache of so many MB (0: none)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LD_LIBRARY_PATH=str(emulator(build)), CUDAEMU_L2_MB=str(cache),
                           CUDAEMU_PROFILE_SKIP="cooperative_groups",  # polling at barriers: rounds of the emulator
                           CUDAEMU_PROFILE=os.path.join(folder, "all.json"))
        result = subprocess.run([program(build), scene, str(before), str(steps), folder, *solver], env=environment,
                                text=True, stdout=subprocess.PIPE, check=False)
        if result.returncode != 0:
            sys.exit(f"count.py: {scene} failed")
        profiles = [json.loads(pathlib.Path(folder, f"{i}.json").read_text(encoding="utf-8")) for i in range(steps)]
        return json.loads(result.stdout), profiles


def number(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)


def least_relax_sweeps() -> int:
    text = (ROOT / "src" / "host" / "stages" / "solve_contacts.h").read_text(encoding="utf-8")
    match = re.search(r"kLeastRelaxSweeps = (\d+)", text)
    return int(match.group(1)) if match else 0


def sweeps_per_step(facts: dict, least_relax: int) -> int:
    """As in src/host/stages/solve_contacts.h, without restitution: a warm start, then biased and relaxing sweeps."""
    relax = facts["substeps"] * facts["relax_iterations"]
    return 1 + facts["substeps"] * facts["iterations"] + (max(relax, least_relax) if relax else 0)


def grid_barriers(kernel: dict) -> float:
    """Barriers of the whole grid. The emulator counts a block's barrier once a warp, and cooperative groups put two of
    them around the wait of one thread. CUB's kernels are not cooperative: theirs are the block's own."""
    warps = kernel["threads"] / 32
    is_ours = re.match(r"(?:void )?talus::", kernel["name"])
    return round(kernel["barriers"] / (2 * warps) * kernel["launches"]) if is_ours and warps else 0


SUMS = {
    "launches": lambda k: k["launches"],
    "barriers": grid_barriers,
    "warp": lambda k: k["warp_instructions"],
    "lanes": lambda k: k["thread_instructions"],
    "load": lambda k: k["global_load_sectors"],
    "store": lambda k: k["global_store_sectors"],
    "atomic": lambda k: k["global_atomic_sectors"],
    "first": lambda k: k["global_load_unique_sectors"] + k["global_store_unique_sectors"],
    "load_bytes": lambda k: k["global_load_bytes"],
    "store_bytes": lambda k: k["global_store_bytes"],
    "memory": lambda k: k["dram_read_sectors"] + k["dram_write_sectors"],
}


def bytes_of(row: dict) -> int:
    return SECTOR * (row["load"] + row["store"] + row["atomic"])


def kernel_sums(profiles: list[dict], sweeps: list[str]) -> dict[str, dict]:
    """Counters of all steps by short name, and bytes and instructions of the step that has most of them."""
    kernels: dict[str, dict] = {}
    for profile in profiles:
        step: dict[str, dict] = {}
        for kernel in profile["kernels"]:
            row = step.setdefault(short_name(kernel["name"], sweeps), dict.fromkeys(SUMS, 0))
            for key, value_of in SUMS.items():
                row[key] += value_of(kernel)
        for name, row in step.items():
            total = kernels.setdefault(name, {**dict.fromkeys(SUMS, 0), "peak_bytes": 0, "peak_warp": 0})
            for key, value in row.items():
                total[key] += value
            total["peak_bytes"] = max(total["peak_bytes"], bytes_of(row))
            total["peak_warp"] = max(total["peak_warp"], row["warp"])
    return kernels


def sweep_bytes(facts: dict, profiles: list[dict], more_facts: dict, more_profiles: list[dict]) -> float | None:
    """Bytes a contact of one sweep, from two runs that differ in the number of sweeps."""
    def solve_bytes(of: list[dict]) -> float:
        return bytes_of(kernel_sums(of, [])["SolveContactsTask"]) / len(of)

    least = least_relax_sweeps()
    sweeps = sweeps_per_step(more_facts, least) - sweeps_per_step(facts, least)
    if more_facts["contacts"] != facts["contacts"] or sweeps == 0:
        return None
    return round((solve_bytes(more_profiles) - solve_bytes(profiles)) / sweeps / facts["contacts"], 1)


def efficiency(used: int, sectors: int) -> float | None:
    return round(100 * used / (SECTOR * sectors), 1) if sectors else None


def summary(scene: str, before: int, facts: dict, profiles: dict[int, list[dict]]) -> dict:
    """The contents of a file. Profiles are by size of the cache; they differ in memory traffic alone."""
    sweeps, words = sweep_names(), stage_words()
    sums = {cache: kernel_sums(of_cache, sweeps) for cache, of_cache in profiles.items()}
    any_cache = next(iter(profiles))
    steps, kernels = len(profiles[any_cache]), sums[any_cache]
    api = {key: sum(profile["api"][key] for profile in profiles[any_cache]) for key in profiles[any_cache][0]["api"]}
    all_bytes = sum(map(bytes_of, kernels.values())) / steps or 1
    table, stages = {}, {}
    for name, k in sorted(kernels.items(), key=lambda item: -bytes_of(item[1])):
        row = {
            "stage": stage_of(name, words),
            "launches": number(k["launches"] / steps),
            "grid_barriers": number(k["barriers"] / steps),
            "warp_instructions": number(k["warp"] / steps),
            "active_lanes": round(k["lanes"] / k["warp"], 1) if k["warp"] else None,
            "load_sectors": number(k["load"] / steps),
            "store_sectors": number(k["store"] / steps),
            "atomic_sectors": number(k["atomic"] / steps),
            "bytes": number(bytes_of(k) / steps),
            "share": round(100 * bytes_of(k) / steps / all_bytes, 1),
            "first_touch_bytes": number(SECTOR * k["first"] / steps),
            "load_efficiency": efficiency(k["load_bytes"], k["load"]),
            "store_efficiency": efficiency(k["store_bytes"], k["store"]),
        }
        if steps > 1:
            row["peak"] = {"bytes": k["peak_bytes"], "warp_instructions": k["peak_warp"]}
        if caches := [cache for cache in sums if cache > 0]:
            row["memory_bytes"] = {str(c): number(SECTOR * sums[c][name]["memory"] / steps) for c in caches}
        table[name] = row
        stage = stages.setdefault(row["stage"], {"launches": 0, "grid_barriers": 0, "bytes": 0})
        for key in stage:
            stage[key] = number(stage[key] + row[key])
    for stage in stages.values():
        stage["share"] = round(100 * stage["bytes"] / all_bytes, 1)
    contacts, count = facts["contacts"], sweeps_per_step(facts, least_relax_sweeps())
    solve = stages.get("solve_contacts", {}).get("bytes", 0)
    return {
        "scene": scene,
        "steps_before": before,
        "steps_counted": steps,
        **facts,
        "per_step": {
            "launches": number(api["kernel_launches"] / steps),
            "graph_launches": number(api["graph_launches"] / steps),
            "graph_nodes": number(api["graph_nodes_run"] / steps),
            "grid_barriers": number(sum(row["grid_barriers"] for row in table.values())),
            "host_syncs": number(api["host_syncs"] / steps),
            "blocking_copies": number(api["blocking_copies"] / steps),
            "memcpys": number((api["memcpy_h2d"] + api["memcpy_d2h"] + api["memcpy_d2d"]) / steps),
            "memsets": number(api["memsets"] / steps),
            "allocations": number(api["allocations"] / steps),
            "bytes": number(sum(row["bytes"] for row in table.values())),
            "warp_instructions": number(sum(row["warp_instructions"] for row in table.values())),
            "sweeps": count,
            "points_per_contact": round(facts["points"] / contacts, 2) if contacts else None,
            "bytes_per_contact_and_sweep": round(solve / count / contacts, 1) if contacts else None,
        },
        "stages": stages,
        "kernels": table,
    }


# ---- files ---------------------------------------------------------------------------------------------------------

def text_of(result: dict) -> str:
    """JSON with one line a kernel, so that a difference reads well."""
    result = dict(result)
    tables = {key: result.pop(key) for key in ("stages", "kernels")}
    text = json.dumps(result, indent=1)[:-2]
    for key, rows in tables.items():
        text += f',\n "{key}": {{\n'
        text += ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()) + "\n }"
    return text + "\n}\n"


def committed(scene: str) -> dict | None:
    shown = subprocess.run(["git", "-C", str(HERE), "show", f"HEAD:./{scene}.json"], capture_output=True, text=True)
    return json.loads(shown.stdout) if shown.returncode == 0 else None


def differences(was: dict, now: dict) -> list[str]:
    """What changed by more than a per cent, as lines: totals, then kernels with the largest change first."""

    def changed(old, new) -> bool:
        if not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
            return old != new
        return abs(new - old) > TOLD * abs(old)

    def percent(old, new) -> str:
        return f" ({100 * (new / old - 1):+.1f} %)" if old and new is not None else ""

    lines = [f"{key}: {was.get(key)} -> {now[key]}" for key in ("bodies", "pairs", "contacts", "points", "colors")
             if changed(was.get(key), now[key])]
    old, new = was["per_step"], now["per_step"]
    lines += [f"{key}: {old[key]} -> {new[key]}{percent(old[key], new[key])}" for key in new
              if key in old and changed(old[key], new[key])]
    rows = []
    for name in was["kernels"].keys() | now["kernels"].keys():
        a, b = was["kernels"].get(name), now["kernels"].get(name)
        if a is None or b is None:
            weight = (b or a)["bytes"]
            what = "gone" if b is None else f"new, {b['launches']} launches, {b['bytes']} bytes"
        else:
            keys = [key for key in ("launches", "grid_barriers", "warp_instructions", "active_lanes", "bytes")
                    if key in a and changed(a[key], b[key])]
            weight = abs(b["bytes"] - a["bytes"])
            what = ", ".join(f"{key} {a[key]} -> {b[key]}{percent(a[key], b[key])}" for key in keys)
        if what:
            rows.append((-weight, f"{name}: {what}"))
    rows.sort()
    left = [f"and {len(rows) - TOLD_KERNELS} kernels more"] if len(rows) > TOLD_KERNELS else []
    return lines + [line for _, line in rows[:TOLD_KERNELS]] + left


def self_test() -> None:
    sweeps = ["warm_start", "biased"]
    assert short_name("void talus::run_lanes<talus::device::SolveContacts<(talus::device::Sweep)1> >(talus::LaneRange, "
                      "talus::device::X)", sweeps) == "SolveContacts<biased>"
    assert short_name("void talus::run_together<talus::device::SolveContactsTask>(talus::device::SolveContactsTask)",
                      sweeps) == "SolveContactsTask"
    assert short_name("void cub::CUB_1::detail::scan::DeviceScanKernel<int>(int)", sweeps) == "cub::DeviceScanKernel"
    words = {"solve_contacts": {"SolveContacts", "Count"}, "find_pairs": {"SweepEntries", "Count"}}
    assert stage_of("SolveContacts<biased>", words) == "solve_contacts"
    assert stage_of("Count", words) == "several" and stage_of("cub::DeviceScanKernel", words) == SORTS
    settings = {"substeps": 4, "iterations": 1, "relax_iterations": 1}
    assert sweeps_per_step(settings, 3) == 9 and sweeps_per_step(settings, 6) == 11
    assert sweeps_per_step({**settings, "substeps": 1}, 3) == 5
    assert sweeps_per_step({**settings, "relax_iterations": 0}, 3) == 5
    # Two launches of 3 blocks of 8 warps with 116 barriers of the grid each.
    cooperative = {"name": "void talus::run_together<X>(X)", "threads": 2 * 3 * 256, "launches": 2,
                   "barriers": 2 * 3 * 8 * 2 * 116}
    assert grid_barriers(cooperative) == 2 * 116
    assert grid_barriers({**cooperative, "name": "void cub::K(int)"}) == 0
    counters = ("launches barriers warp_instructions thread_instructions global_load_sectors global_store_sectors "
                "global_atomic_sectors global_load_unique_sectors global_store_unique_sectors global_load_bytes "
                "global_store_bytes dram_read_sectors dram_write_sectors threads").split()
    one = {"kernels": [{**dict.fromkeys(counters, 1), "name": "void talus::run<talus::device::X>(int)"}]}
    two = {"kernels": one["kernels"] * 2}
    sums = kernel_sums([one, two], sweeps)["X"]
    assert sums["load"] == 3 and sums["first"] == 6 and sums["peak_bytes"] == 2 * 3 * SECTOR and sums["peak_warp"] == 2
    kernel = {"launches": 1, "bytes": 100, "warp_instructions": 7}
    was = {"contacts": 5, "per_step": {"launches": 2}, "kernels": {"A": kernel, "B": kernel}}
    now = {"bodies": 1, "pairs": 1, "contacts": 5, "points": 1, "colors": 1, "per_step": {"launches": 3},
           "kernels": {"A": {**kernel, "bytes": 150}, "C": kernel}}
    lines = "\n".join(differences({**now, **was}, now))
    assert "launches: 2 -> 3 (+50.0 %)" in lines and "A: bytes 100 -> 150 (+50.0 %)" in lines, lines
    assert "B: gone" in lines and "C: new" in lines and "contacts" not in lines, lines
    assert differences(now, now) == []
    print("bench/emulated/count.py: self-test passed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--scenes", default=",".join(PLANS))
    parser.add_argument("--before", type=int, help="steps before counting begins")
    parser.add_argument("--steps", type=int, default=2, help="steps counted; even, for both sides of the cache")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--self-test", action="store_true", help="check the arithmetic of this program")
    args = parser.parse_args()
    if args.self_test:
        self_test()
        return
    plans = {scene: PLANS.get(scene, Plan()) for scene in args.scenes.split(",")}
    if args.before is not None:
        plans = {scene: plan._replace(before=args.before) for scene, plan in plans.items()}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {scene: {cache: pool.submit(run, args.build, scene, plan.before, args.steps, cache)
                        for cache in plan.caches or (0,)} for scene, plan in plans.items()}
        # One biased sweep a sub-step more, and four relaxing ones a sub-step instead of six in all.
        sweeps = {scene: {name: pool.submit(run, args.build, scene, plan.before, args.steps, 0, solver)
                          for name, solver in (("biased", ("2", "1")), ("relaxing", ("1", "4")))}
                  for scene, plan in plans.items() if plan.sweeps}
        for scene, by_cache in runs.items():
            results = {cache: future.result() for cache, future in by_cache.items()}
            facts = next(iter(results.values()))[0]
            result = summary(scene, plans[scene].before, facts, {c: r[1] for c, r in results.items()})
            if scene in sweeps:
                result["per_step"]["bytes_per_contact"] = {
                    name: sweep_bytes(facts, results[next(iter(results))][1], *future.result())
                    for name, future in sweeps[scene].items()}
            (args.out / f"{scene}.json").write_text(text_of(result), encoding="utf-8")
            print(f"{scene}: {result['bodies']} bodies, {result['contacts']} contacts; per step "
                  f"{json.dumps(result['per_step'])}")
            was = committed(scene)
            lines = ["  not committed yet"] if was is None else [f"  {line}" for line in differences(was, result)]
            print("\n".join(lines or ["  as committed"]), flush=True)


if __name__ == "__main__":
    main()
