#!/usr/bin/env bash
# Builds with sanitizers and runs the C++ and Python tests: tools/sanitize.sh [address] [thread] [fuzz].
# `address` is AddressSanitizer and UndefinedBehaviorSanitizer, on memory that starts as NaN; `fuzz` runs the fuzzers of calls, files and
# fused groups in that build. `thread` is ThreadSanitizer with one OpenMP thread, as libgomp is not instrumented: the Python tests that use
# threads, then test/fuzz/threads.py. A finding fails the run; what is not ours stands in test/sanitize/*.supp.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
root="$PWD"
python="$root/.venv/bin/python"
isa=cpu_avx2
! grep -qw avx512f /proc/cpuinfo || isa=cpu_avx512

build() {  # build DIRECTORY SANITIZERS
  cmake -S . -B "$1" -G Ninja -DPADDLE_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_CXX_FLAGS_SANITIZE=-O1 "-DPADDLE_SANITIZE=$2" \
    "-DPADDLE_SANITIZE_ISA=$isa" "-DPython_EXECUTABLE=$python" >/dev/null
  cmake --build "$1" --parallel "${JOBS:-$(nproc)}"
}

library() { g++ -print-file-name="$1"; }

# A wrong access that is allowed to print and go on is easily missed: every finding ends the process.
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:suppressions=$root/test/sanitize/undefined.supp"
export LSAN_OPTIONS="suppressions=$root/test/sanitize/leak.supp"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:die_after_fork=0:suppressions=$root/test/sanitize/thread.supp"
export OMP_NUM_THREADS=1
asan="detect_odr_violation=0:max_malloc_fill_size=67108864:malloc_fill_byte=255:allocator_may_return_null=1"

in_address() {  # in_address ARGUMENTS...: the interpreter leaves objects behind at exit; what Python code leaks is for test/fuzz/soak.py
  ASAN_OPTIONS="$asan:detect_leaks=0" LD_PRELOAD="$(library libasan.so) $(library libubsan.so)" PYTHONPATH="$root/build-asan/python" \
    PYTHONMALLOC=malloc "$python" "$@"
}

in_thread() { LD_PRELOAD="$(library libtsan.so)" PYTHONPATH="$root/build-tsan/python" "$python" "$@"; }

tests=(-m pytest -q --capture=sys -p no:cacheprovider)  # what a sanitizer prints is not captured

address() {
  build build-asan "address;undefined"
  # NVIDIA's libraries keep memory of parts that they unload, which no suppression can name.
  ASAN_OPTIONS="$asan:detect_leaks=1" ctest --test-dir build-asan --output-on-failure -j 2 -E Devices/DnnGraphTest
  ASAN_OPTIONS="$asan:detect_leaks=0" ctest --test-dir build-asan --output-on-failure -j 2 -R Devices/DnnGraphTest
  in_address "${tests[@]}" test
}

fuzz() {
  build build-asan "address;undefined"
  asan="$asan:max_allocation_size_mb=2048"  # in place of a limit of address space
  in_address test/fuzz/calls.py --calls "${CALLS:-10000}" --seconds 7200
  in_address test/fuzz/mutate.py "${FILES:-2000}"
  in_address test/fuzz/fusion.py --cases "${CASES:-300}"
}

thread() {
  build build-tsan thread
  ctest --test-dir build-tsan --output-on-failure -j 2
  in_thread "${tests[@]}" test/api/test_{inference,io,autograd,autograd_nested,changing_hooks,modes_of_threads,saved_tensors_hooks,plans}.py \
    test/api/test_{amp,profiler,written_files}.py test/jit/test_first_call.py test/distributed
  in_thread test/fuzz/threads.py --seconds 60
}

[ $# -gt 0 ] || set -- address thread fuzz
for kind in "$@"; do
  case "$kind" in
    address | thread | fuzz) "$kind" ;;
    *) echo "sanitize: expected address, thread or fuzz, got '$kind'" >&2 && exit 2 ;;
  esac
done
echo "sanitize: $* clean"
