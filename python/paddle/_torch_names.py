# SPDX-License-Identifier: Apache-2.0
"""`import torch` finds paddle: for all modules, or those of a scope, but for blocked ones."""

import importlib
import importlib.abc
import importlib.util
import sys

import paddle

_THEIRS = 'torch'


class _Loader(importlib.abc.Loader):
    """Gives a module that is loaded already, as it is."""

    def __init__(self, module):
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__ = self._spec


class _Blocked(importlib.abc.Loader):
    """Runs a module that finds nothing under torch's names that is paddle's."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        hidden = _forget()
        try:
            self._loader.exec_module(module)
        finally:
            for name, ours in hidden.items():
                sys.modules.setdefault(name, ours)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds paddle's modules under torch's names."""

    def __init__(self):
        self.scope, self.blocked = set(), set()  # a scope of None: everywhere

    def find_spec(self, name, path=None, target=None):
        if not _theirs(name):
            return self._blocked(name, path, target) if _within(name, self.blocked) else None
        if not self._serves(_importer()):
            return None
        ours = paddle.__name__ + name[len(_THEIRS) :]
        try:
            module = importlib.import_module(ours)
        except ModuleNotFoundError as e:
            if e.name != ours:
                raise
            return None
        return importlib.util.spec_from_loader(name, _Loader(module))

    def _serves(self, importer):
        wanted = self.scope is None or _within(importer, self.scope)
        return wanted and not _within(importer, self.blocked)

    def _blocked(self, name, path, target):
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, 'exec_module'):
                    spec.loader = _Blocked(spec.loader)
                return spec
        return None


_finder = _Finder()


def _within(module, names):
    return any(module == name or module.startswith(name + '.') for name in names)


def _theirs(name):
    return name == _THEIRS or name.startswith(_THEIRS + '.')


def _importer():
    """The name of the module that imports."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get('__name__') or ''
        if name != __name__ and not name.startswith('importlib.') and name != 'importlib':
            return name
        frame = frame.f_back
    return ''


def _forget():
    """Have torch's names looked for again that stood for paddle's modules; these by name."""
    return {
        name: sys.modules.pop(name)
        for name in [n for n in sys.modules if _theirs(n)]
        if sys.modules[name] is sys.modules.get(paddle.__name__ + name[len(_THEIRS) :])
    }


def enable(scope, blocked):
    """What happened to the scope, as text where there was one before."""
    text, before = None, _finder.scope
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
        _finder.scope = scope
    elif before is None and scope is not None:
        text = 'changes no scope: all modules find paddle'
    elif before is not None and scope is None:
        text, _finder.scope = 'has all modules find paddle from now on', None
    elif scope and not scope <= before:
        _finder.scope = before | scope
        text = f'adds {sorted(scope - before)} to the modules that find paddle'
    _finder.blocked |= blocked
    _forget()
    return text


def disable():
    """Nothing finds paddle under torch's names."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    _finder.scope, _finder.blocked = set(), set()
    _forget()
