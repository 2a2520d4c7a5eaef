# SPDX-License-Identifier: Apache-2.0
"""The command of setuptools that builds a library of operators and the module of its functions."""

import functools
import os
import shutil

from . import extension_utils as utils

LOADING = """import os

from paddle.utils.cpp_extension import load_op_meta_info_and_register_op

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), {!r})
load_op_meta_info_and_register_op(LIBRARY)

"""


@functools.cache
def command():
    """The class, made when setuptools is asked for."""
    from setuptools.command.build_ext import build_ext

    class BuildExtension(build_ext):
        """Builds `name_pd_.so`, which holds the operators, and `name.py`."""

        def get_ext_filename(self, fullname):
            return fullname.replace('.', os.sep) + '_pd_.so'

        def module_path(self, fullname):
            return os.path.join(self.build_lib, fullname.replace('.', os.sep) + '.py')

        def build_extension(self, ext):
            target = os.path.join(self.build_lib, self.get_ext_filename(ext.name))
            os.makedirs(os.path.dirname(target) or '.', exist_ok=True)
            library = utils.build(
                ext.name.rpartition('.')[2],
                utils.checked_sources(ext.sources, 'setup'),
                os.path.abspath(self.build_temp),
                flags=tuple(ext.extra_compile_args or ()),
                link_flags=tuple(ext.extra_link_args or ()),
                include_dirs=tuple(ext.include_dirs or ()),
                library_dirs=tuple(ext.library_dirs or ()),
                libraries=tuple(ext.libraries or ()),
                verbose=self.verbose,
            )
            shutil.copyfile(library, target)
            loading = LOADING.format(os.path.basename(target))
            utils.write(self.module_path(ext.name), utils.module_text(library, loading, 'LIBRARY'))

        def get_outputs(self):
            return super().get_outputs() + [self.module_path(ext.name) for ext in self.extensions]

        def copy_extensions_to_source(self):
            super().copy_extensions_to_source()
            for ext in self.extensions:
                beside = os.path.dirname(self.get_ext_fullpath(ext.name))
                shutil.copy(self.module_path(ext.name), beside)

    return BuildExtension
