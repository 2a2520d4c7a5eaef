# SPDX-License-Identifier: Apache-2.0
"""The numbers, structs and functions declared for NVIDIA's libraries are those of the real headers,
where these are found.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SPACES = {
    'cuda.h': 'phi::gpu',
    'cudnn_graph.h': 'phi::gpu::dnn',
    'cublasLt.h': 'phi::gpu::lt',
    'nccl.h': 'paddle::distributed::nccl',
    'cufft.h': 'phi::gpu::fft',
    'cusolverDn.h': 'phi::gpu::solver',
}
MORE = {
    'cuda.h': [
        *(
            f'static_assert(sizeof(our::{n}) == sizeof({n}));'
            for n in (
                'CUmemAllocationProp',
                'CUmemAccessDesc',
                'CUipcMemHandle',
                'CUipcEventHandle',
            )
        ),
        'static_assert(offsetof(our::CUmemAllocationProp, location) == '
        'offsetof(CUmemAllocationProp, location));',
        'static_assert(our::kPointerIpcCapable == '
        'CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);',
        'static_assert(our::kIpcLazyPeerAccess == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);',
        'static_assert(our::kEventWithoutTime == CU_EVENT_DISABLE_TIMING);',
        'static_assert(our::kEventOfProcesses == CU_EVENT_INTERPROCESS);',
        'static_assert(our::kMemPinned == CU_MEM_ALLOCATION_TYPE_PINNED);',
        'static_assert(our::kMemOnDevice == CU_MEM_LOCATION_TYPE_DEVICE);',
        'static_assert(our::kMemReadWrite == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);',
        'static_assert(our::kMemGranularityRecommended == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);',
    ],
    'cudnn_graph.h': [],
    'cublasLt.h': [
        'using Found = cublasLtMatmulHeuristicResult_t;',
        'static_assert(sizeof(our::Heuristic) == sizeof(Found));',
        'static_assert(offsetof(our::Heuristic, workspace) == offsetof(Found, workspaceSize));',
        'static_assert(offsetof(our::Heuristic, state) == offsetof(Found, state));',
    ],
    'nccl.h': ['static_assert(sizeof(our::UniqueId) == sizeof(ncclUniqueId));'],
    'cufft.h': ['static_assert(sizeof(our::Handle) == sizeof(cufftHandle));'],
    'cusolverDn.h': [],
}
# The list of functions, and what each gives.
FUNCTIONS = {
    'cuda.h': ('PADDLE_CUDA_OPTIONAL_FUNCTIONS(CHECK)\nPADDLE_CUDA_DRIVER_FUNCTIONS', 'CUresult'),
    'cudnn_graph.h': ('PADDLE_CUDNN_FUNCTIONS', 'Status'),
    'cublasLt.h': ('PADDLE_CUBLASLT_FUNCTIONS', 'Status'),
    'nccl.h': ('PADDLE_NCCL_FUNCTIONS', 'Result'),
    'cufft.h': ('PADDLE_CUFFT_FUNCTIONS', 'Status'),
    'cusolverDn.h': (
        'PADDLE_CUSOLVER_OPTIONAL_FUNCTIONS(CHECK)\nPADDLE_CUSOLVER_FUNCTIONS',
        'Status',
    ),
}
# Results and arguments go by as many bytes, as pointers, as integers or as floating numbers.
ALIKE = """
#include <type_traits>
template <class A, class B>
constexpr bool kAlike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
                        std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
                        std::is_class_v<A> == std::is_class_v<B>;
template <class F, class G>
struct Alike : std::false_type {};
template <class R, class S, class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct Alike<R (*)(A...), S (*)(B...)>
    : std::bool_constant<(kAlike<R, S> && ... && kAlike<A, B>)> {};
"""


def tables():
    """{(header, ours): {our name: theirs}}"""
    found, now = {}, None
    for line in (HERE / 'vendor_numbers.txt').read_text().splitlines():
        if line.startswith('['):
            now = found.setdefault(tuple(line[1:-1].split()), {})
        elif not line.startswith('#'):
            ours, theirs = line.split()
            now[ours] = theirs
    return found


@pytest.mark.parametrize('header, ours', tables())
def test_numbers_are_those_of_the_real_header(header, ours, tmp_path):
    names = tables()[header, ours]
    text = (ROOT / ours).read_text()
    said = {
        f'{enum}::{name}'
        for enum, body in re.findall(r'enum (\w+) : int \{(.*?)\};', text, re.S)
        for name in re.findall(r'(k\w+) = -?\d+', body)
    }
    assert said == set(names)
    compiler = shutil.which('g++')
    packages = pathlib.Path(sys.prefix).glob('lib/python*/site-packages/nvidia/*/include')
    folders = [f for f in (pathlib.Path('/usr/local/cuda/include'), *packages) if f.is_dir()]
    if not compiler or not any((f / header).exists() for f in folders):
        pytest.skip(f'no compiler or no {header}')
    functions, gives = FUNCTIONS[header]
    lines = [
        f'#include <{header}>',
        f'#include "{ROOT / ours}"',
        f'namespace our = {SPACES[header]};',
        *MORE[header],
        *(f'static_assert(int(our::{a}) == int({b}), "{a}");' for a, b in names.items()),
        ALIKE,
        f'namespace {SPACES[header]} {{',
        '#define CHECK(name, symbol, args) \\',
        f'  static_assert(Alike<{gives}(*) args, decltype(&::symbol)>::value, #symbol);',
        f'{functions}(CHECK)',
        '}',
    ]
    source = tmp_path / 'numbers.cc'
    source.write_text('\n'.join(lines) + '\n')
    include = [word for f in folders for word in ('-isystem', str(f))]
    done = subprocess.run(
        [compiler, '-std=c++20', '-fsyntax-only', *include, str(source)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
