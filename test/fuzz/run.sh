#!/usr/bin/env bash
# Builds the libFuzzer targets with clang and runs each for $1 seconds (default 60); $2... are targets (default: all). RUNS: at most so many inputs each.
# Needs clang (CLANGXX) and its compiler-rt. New inputs go to build/fuzz, not to the corpus of the tree.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds="${1:-60}"
shift || true
cxx="${CLANGXX:-clang++-19}"
out=build/fuzz
mkdir -p "$out/objects"
flags=(-std=c++20 -fsized-deallocation -g1 -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -I. -Ibuild/generated)
for include in $(grep -o '\-isystem [^ ]*' build/compile_commands.json | sort -u | cut -d' ' -f2); do flags+=(-isystem "$include"); done
header="$(ls -t $(find paddle/common paddle/pir paddle/cinn/runtime -name '*.h') | head -1)"
objects=()
for source in paddle/common/*.cc paddle/cinn/runtime/{disk_cache,private_folder}.cc $(find paddle/pir -name '*.cc'); do
  object="$out/objects/${source//\//_}.o"
  objects+=("$object")
  [ "$object" -nt "$source" ] && [ "$object" -nt "$header" ] || "$cxx" "${flags[@]}" -c "$source" -o "$object"
done
for name in ${@:-Json Params Desc Text Kernel}; do
  "$cxx" "${flags[@]}" -DFUZZ_TARGET="$name" -fsanitize=fuzzer test/fuzz/targets.cc "${objects[@]}" -o "$out/$name"
  mkdir -p "$out/new_$name"
  corpus=("test/fuzz/corpus/${name,,}")
  [ "$name" != Kernel ] || corpus=(test/fuzz/corpus/params)
  [ "$name" != Desc ] || corpus+=(test/fuzz/corpus/model)
  "$out/$name" "$out/new_$name" "${corpus[@]}" -max_total_time="$seconds" -runs="${RUNS:--1}" -max_len=16384 -rss_limit_mb=1024 \
    -malloc_limit_mb=256 -timeout=10 -print_final_stats=1 -artifact_prefix="$out/${name}_"
done
