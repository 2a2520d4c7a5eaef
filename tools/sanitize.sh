#!/usr/bin/env bash
# Builds with sanitizers and runs the C++ and Python tests (`thread`: those of Python that use threads): tools/sanitize.sh [address] [thread].
# `address` is AddressSanitizer and UndefinedBehaviorSanitizer, on memory that starts as NaN; `thread` is ThreadSanitizer with one OpenMP
# thread, as libgomp is not instrumented. A finding fails the run; what is not ours stands in test/sanitize/*.supp.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tools/setup.sh
root="$PWD"
python="$root/.venv/bin/python"

build() {  # build DIRECTORY SANITIZERS
  cmake -S . -B "$1" -G Ninja -DPADDLE_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_CXX_FLAGS_SANITIZE=-O1 "-DPADDLE_SANITIZE=$2" \
    "-DPython_EXECUTABLE=$python" >/dev/null
  cmake --build "$1" --parallel "${JOBS:-$(nproc)}"
}

library() { g++ -print-file-name="$1"; }

# A wrong access that is allowed to print and go on is easily missed: every finding ends the process.
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:suppressions=$root/test/sanitize/undefined.supp"
export LSAN_OPTIONS="suppressions=$root/test/sanitize/leak.supp"
export OMP_NUM_THREADS=1 FLAGS_cinn_trial=0

run_python() {  # run_python DIRECTORY PRELOAD PYTEST-ARGUMENTS...: what a sanitizer prints is not captured
  local directory="$1" preload="$2"
  shift 2
  LD_PRELOAD="$preload" PYTHONPATH="$root/$directory/python" PYTHONMALLOC=malloc "$python" -m pytest -q --capture=sys -p no:cacheprovider "$@"
}

address() {
  build build-asan "address;undefined"
  local common="detect_odr_violation=0:max_malloc_fill_size=67108864:malloc_fill_byte=255:allocator_may_return_null=1"
  ASAN_OPTIONS="$common:detect_leaks=1" ctest --test-dir build-asan --output-on-failure -j 2
  # The interpreter leaves objects behind at exit: what Python code leaks is for test/fuzz/soak.py.
  ASAN_OPTIONS="$common:detect_leaks=0" run_python build-asan "$(library libasan.so) $(library libubsan.so)" test
}

thread() {
  build build-tsan thread
  export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$root/test/sanitize/thread.supp"
  ctest --test-dir build-tsan --output-on-failure -j 2
  run_python build-tsan "$(library libtsan.so)" test/api/test_inference.py test/api/test_io.py test/api/test_autograd.py \
    test/api/test_modes_of_threads.py
}

[ $# -gt 0 ] || set -- address thread
for kind in "$@"; do
  case "$kind" in
    address | thread) "$kind" ;;
    *) echo "sanitize: expected address or thread, got '$kind'" >&2 && exit 2 ;;
  esac
done
echo "sanitize: $* clean"
