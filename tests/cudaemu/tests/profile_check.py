#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the JSON profile of profile.cu with the expected counts. usage: profile_check.py profile.json"""
import json
import sys

KERNELS = {
    'coalesced': dict(launches=2, blocks=8, threads=2048, global_load_requests=64, global_store_requests=64,
                      global_load_sectors=256, global_store_sectors=256, global_load_bytes=8192,
                      global_load_efficiency=100.0, global_load_unique_sectors=256, avg_active_lanes=32.0),
    'strided': dict(launches=1, global_load_requests=32, global_load_sectors=1024, global_load_bytes=4096,
                    global_load_efficiency=12.5, global_load_unique_sectors=1024),
    'broadcast': dict(global_load_requests=32, global_load_sectors=32, global_load_bytes=128,
                      global_load_unique_sectors=1),
    'vec4': dict(global_load_requests=8, global_load_sectors=128, global_load_efficiency=100.0),
    'void banks<1>': dict(shared_store_requests=1, shared_bank_conflicts=0),
    'void banks<2>': dict(shared_bank_conflicts=1),
    'void banks<32>': dict(shared_bank_conflicts=31),
    'void banks<33>': dict(shared_bank_conflicts=0),
    'atomicsSame': dict(global_atomic_requests=2, global_atomic_lanes=64, global_atomic_conflicts=62),
    'atomicsOwn': dict(global_atomic_requests=2, global_atomic_conflicts=0),
    'half': dict(global_store_requests=2, global_store_sectors=8, divergent_branches=2),
    'bars': dict(barriers=16),
}
API = dict(kernel_launches=13, memcpy_d2h=1, bytes_d2h=64, host_syncs=1, blocking_copies=1, memsets=0)

profile = json.load(open(sys.argv[1]))
found = {k['name'].split('(')[0]: k for k in profile['kernels']}
bad = [f'api {k}: {profile["api"][k]} instead of {v}' for k, v in API.items() if profile['api'][k] != v]
for name, counts in KERNELS.items():
    if name not in found:
        bad.append(f'{name}: missing')
        continue
    bad += [f'{name} {c}: {found[name][c]} instead of {v}' for c, v in counts.items() if found[name][c] != v]
print('\n'.join(bad) if bad else 'counters as expected')
sys.exit(bool(bad))
