# SPDX-License-Identifier: Apache-2.0
"""Compiles libraries of operators, loads them, and makes modules of their functions."""

import concurrent.futures
import contextlib
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import keyword
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

from paddle.base import libpaddle

IS_WINDOWS = False
OS_NAME = sys.platform
# The macro of pybind11 that makes a module.
MODULE = re.compile(rb'\bPYBIND11_MODULE\b')
# What users may write against; the libraries hold no Python and serve every version of it.
FLAGS = ('-std=c++17', '-O3', '-fPIC', '-fvisibility=hidden', '-w')
CXX = ('.cc', '.cpp', '.cxx', '.c++', '.C')

_described = {}


def package(*parts):
    """A path inside the installed package."""
    return os.path.join(os.path.dirname(sys.modules['paddle'].__file__), *parts)


def compiler():
    """The C++ compiler as a command: $CXX, or the first of g++, clang++ and c++ that there is."""
    named = shlex.split(os.environ.get('CXX', ''))
    for command in [named] if named else [['g++'], ['clang++'], ['c++']]:
        if shutil.which(command[0]):
            return command
    raise RuntimeError(
        '[cpp_extension] expected a C++ compiler (g++, clang++, or the one that the environment '
        f'variable CXX names), got none on the PATH: {os.environ.get("PATH", "")}'
    )


def get_build_directory(verbose=False):
    """The folder in which `load` builds, made where it is missing.

    Args:
        verbose (bool, default False): Whether to print it.

    Returns:
        str: What the environment variable PADDLE_EXTENSION_DIR names, else a folder of the user's
            cache.

    Examples:
        >>> import os
        >>> os.path.isdir(paddle.utils.cpp_extension.get_build_directory())
        True
    """
    folder = os.environ.get('PADDLE_EXTENSION_DIR') or os.path.join(
        os.path.expanduser('~'), '.cache', 'paddle_extensions'
    )
    os.makedirs(folder, exist_ok=True)
    if verbose:
        print(f'paddle extensions are built in {folder}')
    return folder


def run(command, verbose):
    if verbose:
        print(shlex.join(command), flush=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if verbose and (done.stdout or done.stderr):
        print(done.stdout + done.stderr, flush=True)
    if done.returncode:
        raise RuntimeError(
            f'[cpp_extension] expected the compiler to succeed, got exit status {done.returncode} '
            f'of\n{shlex.join(command)}\n{done.stderr[-20000:]}'
        )
    return done.stdout


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def dependencies(path):
    """The files that an object was made of, from the rule its compiler wrote."""
    with open(path, encoding='utf-8') as file:
        text = file.read().replace('\\\n', ' ').partition(':')[2]
    return [os.path.abspath(each) for each in shlex.split(text)]


def is_fresh(manifest, command):
    """Whether what a build wrote down of its command and files is still so."""
    try:
        with open(manifest, encoding='utf-8') as file:
            was = json.load(file)
        return was['command'] == command and all(
            digest(name) == value for name, value in was['files'].items()
        )
    except (OSError, ValueError, KeyError):
        return False


def checked_sources(sources, op):
    sources = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    if not sources:
        raise ValueError(f'[{op}] expected sources, got none')
    for source in map(os.fspath, sources):
        if not source.endswith(CXX):
            raise ValueError(
                f"[{op}] expected C++ sources ({', '.join(CXX)}), got '{source}'"
                + (': there is no CUDA here' if source.endswith('.cu') else '')
            )
        if not os.path.isfile(source):
            raise FileNotFoundError(f"[{op}] expected sources that exist, got '{source}'")
    return [os.path.abspath(source) for source in sources]


@contextlib.contextmanager
def alone(folder):
    """One process at a time builds in a folder."""
    import fcntl

    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, '.lock'), 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(
    name,
    sources,
    folder,
    flags=(),
    link_flags=(),
    include_dirs=(),
    library_dirs=(),
    libraries=(),
    verbose=False,
):
    """Compiles a library in a folder, where it, its sources, their headers or the command are other
    than those of the library that is there, and returns its path. It is named after its contents:
    a process that has loaded a former one can load it too."""
    cxx = compiler()
    compile_command = [*cxx, *FLAGS]
    for path in (*include_dirs, package('include')):
        compile_command += ['-I', os.fspath(path)]
    compile_command += [*python_flags(sources), *flags]
    link_command = [*cxx, '-shared']
    for path in library_dirs:
        link_command += ['-L', os.fspath(path), f'-Wl,-rpath,{path}']
    core = package('libs')
    tail = [f'-l{each}' for each in libraries]
    tail += ['-L', core, '-l:libpaddle_core.so', f'-Wl,-rpath,{core}', *link_flags]
    with alone(folder):
        manifest = os.path.join(folder, f'{name}.json')
        command = [compile_command, link_command, tail, sources]
        if is_fresh(manifest, command):
            with open(manifest, encoding='utf-8') as file:
                return json.load(file)['library']
        objects = [os.path.join(folder, f'{name}_{k}.o') for k in range(len(sources))]

        def compile_one(source, target):
            run(
                [*compile_command, '-MD', '-MF', target + '.d', '-c', source, '-o', target], verbose
            )

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, sources, objects))
        made = os.path.join(folder, f'.{name}.so.{os.getpid()}')
        run([*link_command, *objects, '-o', made, *tail], verbose)
        library = os.path.join(folder, f'{name}_{digest(made)[:16]}.so')
        os.replace(made, library)
        files = {each for target in objects for each in dependencies(target + '.d')}
        for target in objects:
            os.unlink(target)
            os.unlink(target + '.d')
        write(
            manifest,
            json.dumps(
                {
                    'command': command,
                    'library': library,
                    'files': {each: digest(each) for each in sorted({*files, library})},
                }
            ),
        )
    return library


def write(path, text):
    """Writes beside the file and renames."""
    beside = f'{path}.{os.getpid()}'
    with open(beside, 'w', encoding='utf-8') as file:
        file.write(text)
    os.replace(beside, path)


def register(library):
    """[(name, inputs, attributes)] of the operators of a library, which is loaded."""
    library = os.path.realpath(library)
    if library not in _described:
        _described[library] = libpaddle._load_custom_ops(library)
    return _described[library]


def load_op_meta_info_and_register_op(lib_filename):
    """Loads a library of operators and registers them.

    Args:
        lib_filename (str): The path of the library.

    Returns:
        list of str: The names of its operators.

    Raises:
        RuntimeError: It cannot be loaded, or an operator has the name of one of the package.
        ValueError: The declaration of an operator is not whole.
    """
    return [name for name, _, _ in register(os.fspath(lib_filename))]


def parameter(name):
    """An identifier for an input or an attribute."""
    name = ''.join(c if c.isalnum() or c == '_' else '_' for c in name)
    return name + '_' if keyword.iskeyword(name) else name


def python_flags(sources):
    """What the compiler is told where sources make a module themselves, by PYBIND11_MODULE."""
    if not any(MODULE.search(pathlib.Path(source).read_bytes()) for source in sources):
        return ()
    try:
        import pybind11
    except ModuleNotFoundError as e:
        raise RuntimeError(
            '[cpp_extension] expected pybind11, by which the sources make a module, got none: '
            'install it by `pip install pybind11`'
        ) from e
    folders = (pybind11.get_include(), sysconfig.get_paths()['include'])
    return ('-DPADDLE_EXTENSION_PYTHON', *(flag for each in folders for flag in ('-I', each)))


def module_name(path):
    """What PYBIND11_MODULE calls the module that it makes in a library, or None."""
    made = re.findall(rb'PyInit_(\w+)', pathlib.Path(path).read_bytes())
    return next(
        (name.decode() for name in made if hasattr(ctypes.PyDLL(path), f'PyInit_{name.decode()}')),
        None,
    )


def bound(path, name):
    """{name: value} of the module of this name in a library."""
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return {key: value for key, value in vars(module).items() if not key.startswith('__')}


def module_text(library, loading='', path=None):
    """Python source with a function for each operator: inputs in lower case, then attributes; and
    with what the module in the library has, whose path is that of the library or an expression."""
    described, name = register(library), module_name(library)
    text = f'"""Functions of operators written in C++."""\n\n{loading}'
    text += 'from paddle.base.libpaddle import _run_custom_op\n'
    if name:
        text += 'from paddle.utils.cpp_extension.extension_utils import bound\n'
        text += f'\nglobals().update(bound({path or repr(library)}, {name!r}))\n'
    for name, inputs, attrs in described:
        names = [parameter(each.lower()) for each in inputs] + [parameter(each) for each in attrs]
        given = ', '.join(names)
        call = ', '.join([repr(name), *names])
        text += f'\n\ndef {name}({given}):\n    return _run_custom_op({call})\n'
    return text


def import_file(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_cmd(command, verbose=False):
    """Run a command of the shell; its exit status, 0. RuntimeError where it fails."""
    if verbose:
        print(command, flush=True)
    out = None if verbose else subprocess.PIPE
    done = subprocess.run(command, shell=True, stdout=out, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(
            f'[run_cmd] expected exit status 0 of {command!r}, got {done.returncode}: '
            f'{(done.stdout or "")[-2000:]}'
        )
    return done.returncode


def _jit_compile(file_path, verbose=False):
    """Build the package of a `setup.py` in its folder; RuntimeError where that fails."""
    file_path = os.path.abspath(os.fspath(file_path))
    folder, file = os.path.split(file_path)
    run_cmd(
        f'cd {shlex.quote(folder)} && {shlex.quote(sys.executable)} {shlex.quote(file)} build',
        verbose,
    )


def _import_module_from_library(module_name, build_directory, verbose=False):
    """The module of the functions of the library `module_name` in a folder; FileNotFoundError where
    there is none.
    """
    library = os.path.join(os.path.abspath(os.fspath(build_directory)), f'{module_name}.so')
    if not os.path.isfile(library):
        raise FileNotFoundError(f'[cpp_extension] expected a library at {library}, got no file')
    if verbose:
        print(f'loading {library}', flush=True)
    path = os.path.splitext(library)[0] + '.py'
    write(path, module_text(library))
    return import_file(module_name, path)


def _expected_compiler_current_platform():
    """Names of compilers that libraries of operators are built by."""
    return ['gcc', 'g++', 'gnu-c++', 'gnu-cc']
