#!/bin/bash
# SPDX-License-Identifier: MIT
# Compiles one test with nvcc and runs it on the emulator in several modes.
# usage: run.sh <test> <directory of libcudart.so.13> <work directory>
#   tests: basic sync math ptx graph runtime extra rdc solver thrust cub profile errors fuzz
# environment: NVCC (nvcc), CCACHE (a compiler launcher, none), PYTHON (python3), ARCH (80), NVCCFLAGS, SEEDS (1 2)
set -u
test=${1:?usage: run.sh <test> <directory of libcudart.so.13> <work directory>}
lib=$(cd "${2:?directory of libcudart.so.13}" && pwd)
work=${3:?work directory}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
NVCC=${NVCC:-nvcc}
PYTHON=${PYTHON:-python3}
ARCH=${ARCH:-80}
# -O0 concerns the host code only, which is most of the compile time of Thrust and CUB
flags=(-std=c++17 -Xcompiler -O0,-ffp-contract=off --extended-lambda -lineinfo -I "$here"
  -gencode "arch=compute_$ARCH,code=compute_$ARCH" --compress-mode=none ${NVCCFLAGS:-})
link=(-cudart shared -gencode "arch=compute_$ARCH,code=compute_$ARCH" --compress-mode=none)
export LD_LIBRARY_PATH=$lib
pass=0
fail=0
ok() { echo "PASS $1"; pass=$((pass + 1)); }
bad() { echo "FAIL $1"; fail=$((fail + 1)); }

# compile <program> <source> [options]: to $work/<program>, unless it is newer than all sources
compile() {
  local program=$work/$1 source=$2
  shift 2
  if [ -x "$program" ] && [ -z "$(find "$here" "$source" -newer "$program" -type f)" ]; then return 0; fi
  ${CCACHE:-} "$NVCC" "${flags[@]}" "$@" -c -o "$program.o" "$source" > "$program.log" 2>&1 &&
    "$NVCC" "${link[@]}" -o "$program" "$program.o" >> "$program.log" 2>&1 && return 0
  cat "$program.log"
  bad "$source does not compile"
  return 1
}
# run <program> <variable=value>: all its cases pass
run() {
  local out rc
  out=$(env "$2" "$work/$1" 2>&1)
  rc=$?
  [ "$2" = CUDAEMU_THREADS=1 ] && echo "$out"
  pass=$((pass + $(grep -c '^PASS' <<< "$out")))
  fail=$((fail + $(grep -c '^FAIL' <<< "$out")))
  [ $rc -eq 0 ] || { bad "$1 with $2: exit code $rc"; echo "$out"; }
}
all_modes() {
  local mode
  for mode in CUDAEMU_THREADS=1 CUDAEMU_THREADS=2 CUDAEMU_ORDER=3 CUDAEMU_ASYNC=reverse; do run "$1" $mode; done
}
no_race_reports() {
  if CUDAEMU_RACE=1 "$work/$1" > "$work/$1.race" 2>&1; then ok "$1 without race reports"; else
    bad "$1: race reports"
    head -20 "$work/$1.race"
  fi
}
# check <case> <variable=value> <expected text> <expected exit code>
check() {
  local out rc
  out=$(env "$2" "$work/errors" "$1" 2>&1)
  rc=$?
  if grep -qE "$3" <<< "$out" && [ $rc -eq "$4" ]; then ok "errors: $1 $2"; else
    bad "errors: $1 $2 (exit code $rc)"
    echo "$out"
  fi
}
# quiet <case> <variable=value>: no report
quiet() {
  local out rc
  out=$(env "$2" "$work/errors" "$1" 2>&1)
  rc=$?
  if [ "$out" = cudaSuccess ] && [ $rc -eq 0 ]; then ok "errors: $1 $2 is clean"; else
    bad "errors: $1 $2 (exit code $rc)"
    echo "$out"
  fi
}
errors() {
  local line
  line=$(grep -n 'if (i <= n) p\[i\] = i;' "$here/errors.cu" | cut -d: -f1)
  check oob X=1 "invalid global write of size 4 .*0 bytes after the end" 3
  check oob X=1 "block \(7,0,0\) thread \(104,0,0\).*errors.cu:$line" 3
  check oob X=1 "^cudaErrorIllegalAddress" 3
  check uaf X=1 "use after free" 3
  check null X=1 "null pointer" 3
  check hostptr X=1 "a host pointer" 3
  check misaligned X=1 "^cudaErrorMisalignedAddress" 3
  check deadlock X=1 "deadlock: no thread of the block can advance" 3
  check assert X=1 "assertion .* failed" 3
  check trap X=1 "trap instruction" 3
  check unsupported X=1 "does not support" 3
  check shared-oob X=1 "invalid shared write" 3
  check local-oob X=1 "invalid local read" 3
  check long-name X=1 "block \(0,0,0\) thread \(0,0,0\), PTX line" 3
  check double-free X=1 "double free" 0
  check memcpy-oob X=1 "copy: cudaErrorInvalidValue" 0
  check host-deref X=1 "host code accesses device memory" 139
  check endless CUDAEMU_MAX_INSTR=100000 "endless loop" 3
  check leak CUDAEMU_LEAK=fail "2 allocations, 8096 bytes" 86
  check race-shared CUDAEMU_RACE=1 "RACE: .* hazard on shared memory" 86
  check race-global CUDAEMU_RACE=1 "RACE: .* hazard on global memory" 86
  check race-warp CUDAEMU_RACE=1 "RACE: write after write hazard on global memory" 86
  check race-blocks CUDAEMU_RACE=1 "RACE: write after write hazard on global memory" 86
  check race-bytes CUDAEMU_RACE=1 "RACE: write after write hazard on global memory" 86
  check uninit CUDAEMU_UNINIT=1 "UNINITIALISED: read of 4 bytes of global memory" 86
  check missing-sync X=1 "host sees 7" 0
  check missing-sync CUDAEMU_ASYNC=1 "host sees -1" 0
  check with-sync CUDAEMU_ASYNC=1 "host sees 7" 0
  check missing-wait CUDAEMU_ASYNC=1 "second stream sees 7" 0
  check missing-wait CUDAEMU_ASYNC=reverse "second stream sees 0" 0
  check with-wait CUDAEMU_ASYNC=reverse "second stream sees 7" 0
  quiet ok X=1
  quiet bytes CUDAEMU_RACE=1
  quiet norace-shared CUDAEMU_RACE=1
  quiet norace-flag CUDAEMU_RACE=1
  quiet init CUDAEMU_UNINIT=1
}
counters() {
  local threads
  for threads in 1 2; do
    if CUDAEMU_THREADS=$threads CUDAEMU_PROFILE="$work/profile.json" CUDAEMU_PROFILE_RANGE=1 "$work/profile" &&
      "$PYTHON" "$here/profile_check.py" "$work/profile.json"; then ok "profile counters, $threads host threads"; else
      bad "profile counters, $threads host threads"
    fi
  done
}
fuzz() {
  local s
  for s in ${SEEDS:-1 2}; do
    if [ ! "$work/fuzz$s.cu" -nt "$here/fuzz.py" ]; then
      "$PYTHON" "$here/fuzz.py" "$s" 40 > "$work/fuzz$s.cu" || { bad "fuzz.py"; continue; }
    fi
    compile "fuzz$s" "$work/fuzz$s.cu" -w -fmad=false || continue
    if "$work/fuzz$s" > "$work/fuzz$s.out" 2>&1; then ok "40 random functions, seed $s, host against device"; else
      cat "$work/fuzz$s.out"
      bad "random functions, seed $s"
    fi
  done
}
# a process with little address space or small files
limits() {
  local limit
  for limit in "-v 2000000" "-v 8000000" "-f 300000"; do
    if (ulimit $limit && "$work/runtime" > "$work/limits.out" 2>&1); then ok "runtime with ulimit $limit"; else
      cat "$work/limits.out"
      bad "runtime with ulimit $limit"
    fi
  done
}

case $test in
  basic | sync | extra)
    compile "$test" "$here/$test.cu" && all_modes "$test" && no_race_reports "$test"
    ;;
  thrust | cub)
    compile "$test" "$here/$test.cu" -DTHRUST_FORCE_32_BIT_OFFSET_TYPE && all_modes "$test" && no_race_reports "$test"
    ;;
  solver)
    compile solver "$here/solver.cu" -fmad=false && all_modes solver && no_race_reports solver
    ;;
  math | ptx | graph) compile "$test" "$here/$test.cu" && all_modes "$test" ;;
  runtime) compile runtime "$here/runtime.cu" && all_modes runtime && limits ;;
  rdc)
    link+=(-rdc=true "$work/rdc_other.o")
    ${CCACHE:-} "$NVCC" "${flags[@]}" -rdc=true -c -o "$work/rdc_other.o" "$here/rdc_other.cu" &&
      compile rdc "$here/rdc.cu" -rdc=true && all_modes rdc
    ;;
  profile) compile profile "$here/profile.cu" && counters ;;
  errors) compile errors "$here/errors.cu" && errors ;;
  fuzz) fuzz ;;
  *) bad "there is no test $test" ;;
esac
echo "passed $pass, failed $fail"
[ $fail -eq 0 ] && [ $pass -gt 0 ]
