# SPDX-License-Identifier: Apache-2.0
"""Loading models from a folder's `hubconf.py`. Nothing is fetched from a network: the source is 'local'."""
import importlib.util
import os
import sys

__all__ = ['list', 'help', 'load']

_CONF = 'hubconf.py'


def _entries(repo_dir, source):
    if source != 'local':
        raise ValueError(f'[hub] source {source!r} needs a download, which is not done here: fetch the repository '
                         "yourself and use source='local'")
    path = os.path.join(repo_dir, _CONF)
    if not os.path.isfile(path):
        raise FileNotFoundError(f'[hub] no {_CONF} in {repo_dir}')
    sys.path.insert(0, repo_dir)
    try:
        spec = importlib.util.spec_from_file_location('hubconf', path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        if repo_dir in sys.path:  # the module may have changed it
            sys.path.remove(repo_dir)
    for name in getattr(module, 'dependencies', ()):
        if importlib.util.find_spec(name) is None:
            raise RuntimeError(f'Missing dependencies: {name}')
    return module


def _entry(repo_dir, model, source):
    found = getattr(_entries(repo_dir, source), model, None)
    if not isinstance(model, str) or not callable(found):
        raise RuntimeError(f'Cannot find callable {model} in hubconf')
    return found


def list(repo_dir, source='github', force_reload=False):
    """Names of the entry points in the folder `repo_dir` (source 'local')."""
    module = _entries(repo_dir, source)
    return [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith('_')]


def help(repo_dir, model, source='github', force_reload=False):
    """The docstring of an entry point."""
    return _entry(repo_dir, model, source).__doc__


def load(repo_dir, model, source='github', force_reload=False, **kwargs):
    """Call an entry point with `kwargs`."""
    return _entry(repo_dir, model, source)(**kwargs)
