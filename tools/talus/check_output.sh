#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_output.sh TALUS FOLDER: output that does not arrive makes every command fail with a message and exit code 1, and
# a file that cannot be written does so before the run.
set -u
talus=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
failures=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# Expects exit code 1 in $code, and a text in what was said.
expect_failure() {  # expect_failure <what> <text of the message>
  [[ $code -eq 1 ]] || fail "$1: exit code $code, not 1"
  grep -q "$2" "$folder/said" || fail "$1: no message \"$2\", but: $(cat "$folder/said")"
}

commands=("--help" "--version" "scenes" "info" "run --help" "run stack_3 --steps 2 --hash" "bench --scene stack_3 --steps 6"
  "bench --csv-header --csv --scene stack_3 --steps 6" "lab stack_3 --step 3 --solvers nncg" "lab --help" "verify --help")
for command in "${commands[@]}"; do
  # shellcheck disable=SC2086
  "$talus" $command >/dev/full 2>"$folder/said"
  code=$?
  expect_failure "talus $command >/dev/full" "standard output: cannot be written"
  # shellcheck disable=SC2086
  "$talus" $command >&- 2>"$folder/said"
  code=$?
  expect_failure "talus $command >&-" "standard output is closed"
  # shellcheck disable=SC2086
  { "$talus" $command 2>"$folder/said"; echo $? >"$folder/code"; } | true
  code=$(cat "$folder/code")
  # A pipe that is closed late may still have taken everything.
  [[ $code -eq 0 ]] || expect_failure "talus $command | true" "standard output: cannot be written"
done

mkdir "$folder/taken.csv"
for option in "--out $folder/none/x.csv" "--out $folder/taken.csv" "--image $folder/none/x.png"; do
  # A run of this many steps would not end within the time of this test.
  # shellcheck disable=SC2086
  timeout 60 "$talus" run stack_3 --steps 100000000 $option >"$folder/printed" 2>"$folder/said"
  code=$?
  expect_failure "talus run $option" "cannot be written"
done
timeout 60 "$talus" verify --long --write "$folder/none/x.md" >"$folder/printed" 2>"$folder/said"
code=$?
expect_failure "talus verify --write" "cannot be written"
for option in "--plot $folder/none/x.svg" "--save $folder/none/x"; do
  # shellcheck disable=SC2086
  timeout 60 "$talus" lab stack_3 --step 100000000 $option >"$folder/printed" 2>"$folder/said"
  code=$?
  expect_failure "talus lab $option" "cannot be written"
done

# A file that only was looked at is not left behind, and one that is there keeps its content until it is replaced.
echo kept >"$folder/kept.csv"
"$talus" run stack_3 --steps 2 --out "$folder/kept.csv" --image "$folder/none/x.png" >/dev/null 2>&1
[[ "$(cat "$folder/kept.csv")" == kept ]] || fail "a run that could not begin changed a file"
"$talus" run stack_3 --steps 2 --out "$folder/new.csv" --image "$folder/none/x.png" >/dev/null 2>&1
[[ ! -e "$folder/new.csv" ]] || fail "a run that could not begin left a file"
"$talus" run stack_3 --steps 2 --out /dev/full >/dev/null 2>"$folder/said"
code=$?
expect_failure "talus run --out /dev/full" "cannot be written to its end"
[[ $failures -eq 0 ]]
