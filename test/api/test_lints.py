# SPDX-License-Identifier: Apache-2.0
"""Lints of tools/lint that read C++ and objects: what they find, and what they leave alone."""

import os
import pathlib
import platform
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    from lint import functions, symbols
finally:
    sys.path.pop(0)

SOURCE = """
namespace a {
struct S : B {
  S() : x(1), y{2} {
    f();
  }
  int g(int (*h)(int) = [](int) { return 1; }) const {
#ifdef X
    if (a) {
#else
    if (b) {
#endif
    }
  }
  std::vector<int> v = {1, f(2)};
};
const auto k = [] {

};
template <class T> bool operator==(T a, T b) {
}
extern "C" {
void r() { const char* s = R"({{{)"; char c = '{'; }  // {
}
auto t() -> int {}
DECLARES(x)
namespace b {
void u() { for (;;) {} }
}
}
"""


def test_functions_are_found_with_their_lines():
    found = {name: (line, lines) for name, line, lines in functions.functions(SOURCE)}
    assert found == {
        "S": (4, 3),
        "g": (7, 8),
        "operator==": (20, 2),
        "r": (23, 1),
        "t": (25, 1),
        "u": (28, 1),
    }


@pytest.mark.parametrize("text", ["void f() {", "void f() {}}"])
def test_text_that_cannot_be_read_is_no_success(text):
    with pytest.raises(ValueError, match="expected"):
        functions.functions(text)


@pytest.mark.parametrize("more, count", [(0, 0), (1, 1)])
def test_a_function_of_too_many_lines_is_reported(tmp_path, more, count):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    body = "  f();\n" * (functions.LIMIT - 2 + more)
    (tmp_path / "long.cc").write_text(f"void g() {{\n{body}}}\n")
    problems = functions.run(tmp_path)
    assert len(problems) == count and all("long.cc:1: g: 81 lines" in text for text in problems)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="instructions of x86-64")
@pytest.mark.parametrize(
    "instruction, found",
    [("vfmaddsub231pd", True), ("vfmsubadd132ps", True), ("vfmadd231pd", False)],
)
def test_joined_products_are_found_in_objects(tmp_path, instruction, found):
    (tmp_path / "a.s").write_text(f"{instruction} %ymm0, %ymm1, %ymm2\n")
    subprocess.run(["g++", "-c", "a.s", "-o", "a.o"], cwd=tmp_path, check=True)
    assert symbols.joined(tmp_path / "a.o") == ({instruction} if found else set())


def test_where_public_names_are_defined():
    env = {
        **os.environ,
        "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}{os.pathsep}{ROOT / 'tools'}",
    }
    out = subprocess.run(
        [sys.executable, "-m", "lint.names", "--all"], env=env, capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    places = dict(line.split("  ") for line in out.stdout.splitlines())
    for name, file, text in (
        ("paddle.tanh", "paddle/phi/ops/elementwise/unary.yaml", "- op: tanh"),
        ("paddle.clip", "paddle/pybind/public_functions.cc", 'Fn("clip"'),
        ("paddle.Tensor.shape", "paddle/pybind/tensor_members.cc", '"shape"'),
        ("paddle.einsum", "python/paddle/tensor/einsum.py", "def einsum("),
    ):
        path, _, line = places[name].partition(":")
        assert path == file and text in (ROOT / path).read_text().splitlines()[int(line) - 1]
    assert len(places) > 2000 and sum("extension" in place for place in places.values()) < 60
