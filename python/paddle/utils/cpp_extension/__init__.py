# SPDX-License-Identifier: Apache-2.0
"""Operators of users, written in C++ (`paddle/extension.h`): built and loaded at once, or built
into a package.
"""

from .cpp_extension import CppExtension, CUDAExtension, load, setup
from .extension_utils import get_build_directory, load_op_meta_info_and_register_op

__all__ = ['CppExtension', 'CUDAExtension', 'load', 'setup', 'get_build_directory']
