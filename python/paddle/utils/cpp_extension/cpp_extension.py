# SPDX-License-Identifier: Apache-2.0
"""`load` builds operators when a program runs, `setup` a package of them."""

import os

from . import extension_utils as utils
from .build_extension import command

CUDA_HOME = None


def load(
    name,
    sources,
    extra_cxx_cflags=None,
    extra_cuda_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    extra_library_paths=None,
    build_directory=None,
    verbose=False,
):
    """Build operators from C++ sources and load them.

    The sources include `paddle/extension.h` and declare operators by PD_BUILD_OP. They are compiled
    anew where they, the headers they include or the flags changed since the last call.

    Args:
        name (str): The name of the module.
        sources (list of strs): Paths of C++ sources.
        extra_cxx_cflags (list of strs, default None): Flags for the compiler, behind `-std=c++17
            -O3`.
        extra_cuda_cflags (list of strs, default None): Must be empty: sources are C++.
        extra_ldflags (list of strs, default None): Flags for the linker.
        extra_include_paths (list of strs, default None): Directories of headers.
        extra_library_paths (list of strs, default None): Directories of libraries.
        build_directory (str, default None): Where to build; None for a directory of its own in
            `get_build_directory()`.
        verbose (bool, default False): Whether to print commands and what the compiler says.

    Returns:
        module: It has a function for each operator, which takes its inputs (names in lower case),
            then its attributes.

    Raises:
        RuntimeError: There is no compiler, or it fails; its message follows.
        ValueError: A source is not C++, or the declaration of an operator is not whole.
        FileNotFoundError: A source does not exist.

    Examples:
        >>> import pathlib
        >>> source = '''
        ... #include "paddle/extension.h"
        ... std::vector<paddle::Tensor> Twice(const paddle::Tensor& x) {
        ...   return {paddle::add(x, x)};
        ... }
        ... PD_BUILD_OP(twice).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Twice));
        ... '''
        >>> _ = pathlib.Path("twice.cc").write_text(source)
        >>> load = paddle.utils.cpp_extension.load
        >>> ops = load("twice_ops", ["twice.cc"], build_directory="build")
        >>> ops.twice(paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """
    if extra_cuda_cflags:
        raise ValueError(f'[load] expected no CUDA flags, got {extra_cuda_cflags}: sources are C++')
    folder = build_directory or os.path.join(utils.get_build_directory(), name)
    library = utils.build(
        name,
        utils.checked_sources(sources, 'load'),
        os.path.abspath(os.fspath(folder)),
        flags=tuple(extra_cxx_cflags or ()),
        link_flags=tuple(extra_ldflags or ()),
        include_dirs=tuple(extra_include_paths or ()),
        library_dirs=tuple(extra_library_paths or ()),
        verbose=verbose,
    )
    path = os.path.splitext(library)[0] + '.py'
    utils.write(path, utils.module_text(library))
    return utils.import_file(name, path)


def CppExtension(sources, *args, **kwargs):
    """A library of operators for `setup`.

    Args:
        sources (list of strs): Paths of C++ sources.
        *args (object): As of setuptools.Extension.
        **kwargs (object): As of setuptools.Extension: `include_dirs`, `library_dirs`, `libraries`,
            `extra_compile_args` (a list, or a dict with the key `cxx`), `extra_link_args`.

    Returns:
        object: the extension; its name is that of the package.

    Raises:
        ValueError: A source is not C++.
        FileNotFoundError: A source does not exist.

    Examples:
        >>> import pathlib
        >>> pathlib.Path("ops.cc").touch()
        >>> extension = paddle.utils.cpp_extension.CppExtension(["ops.cc"], libraries=["m"])
        >>> extension.sources, extension.libraries
        (['ops.cc'], ['m'])
    """
    from setuptools import Extension

    flags = kwargs.pop('extra_compile_args', None) or []
    if isinstance(flags, dict):
        flags = flags.get('cxx', [])
    name = kwargs.pop('name', '')
    utils.checked_sources(sources, 'CppExtension')
    return Extension(name, list(sources), *args, extra_compile_args=list(flags), **kwargs)


def CUDAExtension(sources, *args, **kwargs):
    """The same as `CppExtension` for sources that are all C++; there is no CUDA compiler here.

    Args:
        sources (list of strs): Paths of C++ sources.
        *args (object): As of `CppExtension`.
        **kwargs (object): As of `CppExtension`; of `extra_compile_args` what `cxx` names.

    Returns:
        object: the extension.

    Raises:
        ValueError: A source is not C++.
        FileNotFoundError: A source does not exist.

    Examples:
        >>> import pathlib
        >>> pathlib.Path("ops.cc").touch()
        >>> flags = {"cxx": ["-O2"], "nvcc": ["-O3"]}
        >>> paddle.utils.cpp_extension.CUDAExtension(
        ...     ["ops.cc"], extra_compile_args=flags).extra_compile_args
        ['-O2']
    """
    return CppExtension(sources, *args, **kwargs)


def setup(**attr):
    """`setuptools.setup` for a package of operators.

    Args:
        **attr (object): As of setuptools.setup. `name` is the name of the module; `ext_modules` is
            one extension.

    Returns:
        object: what setuptools.setup returns.

    Raises:
        ValueError: There is no name, or not one extension.

    Examples:
        >>> import pathlib
        >>> from paddle.utils.cpp_extension import CppExtension, setup
        >>> pathlib.Path("ops.cc").touch()
        >>> package = setup(
        ...     name="my_ops", ext_modules=CppExtension(["ops.cc"]), script_args=["--name"])
        my_ops
        >>> package.ext_modules[0].name
        'my_ops'
    """
    import setuptools

    name, extensions = attr.get('name'), attr.get('ext_modules')
    extensions = extensions if isinstance(extensions, (list, tuple)) else [extensions]
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f'[setup] expected a name that Python can import, got {name!r}')
    if len(extensions) != 1 or not isinstance(extensions[0], setuptools.Extension):
        raise ValueError(f'[setup] expected one extension as ext_modules, got {extensions}')
    extensions[0].name = name
    commands = {'build_ext': command(), **attr.get('cmdclass', {})}
    return setuptools.setup(
        **{
            'py_modules': [],
            'packages': [],
            **attr,
            'ext_modules': list(extensions),
            'cmdclass': commands,
            'zip_safe': False,
        }
    )


def __getattr__(name):
    if name == 'BuildExtension':
        return command()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
