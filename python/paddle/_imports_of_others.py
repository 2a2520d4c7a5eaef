# SPDX-License-Identifier: Apache-2.0
"""Programs written for PaddlePaddle rely on two modules that it imports: `PIL.Image`, which
`import PIL` alone does not bring, and setuptools, which can not be imported any more once pip was
(before Python 3.12 pip asks for the distutils of Python). They are imported here when a program
comes to PIL or pip, so that `import paddle` stays short.
"""

import importlib
import sys
from importlib.machinery import PathFinder, SourceFileLoader


class _PillowLoader(SourceFileLoader):
    """Loads PIL, then PIL.Image."""

    def exec_module(self, module):
        super().exec_module(module)
        importlib.import_module('PIL.Image')


class _Finder:
    """Finds PIL; looks for setuptools before pip is found by another."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == 'pip':
            try:
                importlib.import_module('setuptools')
            except ImportError:  # not installed
                pass
        elif name == 'PIL':
            spec = PathFinder.find_spec(name, path)
            if spec is not None and type(spec.loader) is SourceFileLoader:
                spec.loader = _PillowLoader(name, spec.origin)
            return spec
        return None


if 'PIL' in sys.modules:
    importlib.import_module('PIL.Image')
sys.meta_path.insert(0, _Finder)
