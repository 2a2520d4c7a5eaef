# SPDX-License-Identifier: Apache-2.0
"""Loading models from a folder's `hubconf.py`. Nothing is fetched from a network: the source is
'local'.
"""

import importlib.util
import os
import sys

__all__ = ['list', 'help', 'load', 'load_state_dict_from_url']

_CONF = 'hubconf.py'


def _entries(repo_dir, source):
    if source != 'local':
        raise ValueError(f"[hub] expected source='local', got {source!r}: nothing is downloaded")
    path = os.path.join(repo_dir, _CONF)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"[hub] expected {_CONF} in {repo_dir}, got none")
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
            raise RuntimeError(
                f"[hub] expected the package {name}, which hubconf.py names as a dependency, got "
                "none"
            )
    return module


def _entry(repo_dir, model, source):
    found = getattr(_entries(repo_dir, source), model, None)
    if not isinstance(model, str) or not callable(found):
        raise RuntimeError(f"[hub] expected the name of a function in hubconf.py, got {model!r}")
    return found


def list(repo_dir, source='github', force_reload=False):
    """Names of the entry points in the folder `repo_dir` (source 'local')."""
    module = _entries(repo_dir, source)
    return [
        name for name in dir(module) if callable(getattr(module, name)) and not name.startswith('_')
    ]


def help(repo_dir, model, source='github', force_reload=False):
    """The docstring of an entry point."""
    return _entry(repo_dir, model, source).__doc__


def load(repo_dir, model, source='github', force_reload=False, **kwargs):
    """Call an entry point with `kwargs`."""
    return _entry(repo_dir, model, source)(**kwargs)


def load_state_dict_from_url(
    url, model_dir=None, check_hash=False, file_name=None, map_location=None
):
    """What `paddle.load` reads from the file of `url`, fetched into `model_dir` (by default the
    hub's folder) unless it is there already.

    A .zip file holds one file. With `check_hash` a name that ends in `-<digits>` before its suffix
    says how the file's sha256 begins.
    """
    import hashlib
    import re

    import paddle
    from paddle.base.arguments import only
    from paddle.utils.download import _decompress, _download, is_url

    only(
        'load_state_dict_from_url',
        'tensors are loaded into the memory of the CPU',
        map_location=(map_location, None, 'cpu'),
    )
    if not is_url(url):
        raise ValueError(f'[hub] expected a URL of http or https, got {url!r}')
    folder = os.path.expanduser('~/.cache/paddle/hub') if model_dir is None else model_dir
    name = os.path.basename(url.split('?')[0])
    path = os.path.join(folder, name if file_name is None else file_name)
    if not os.path.exists(path):
        os.replace(_download(url, folder), path)
    expected = re.search(r'-([a-f0-9]{8,})\.', name) if check_hash else None
    if expected:
        with open(path, 'rb') as stream:
            found = hashlib.sha256(stream.read()).hexdigest()
        if not found.startswith(expected.group(1)):
            raise RuntimeError(
                f'[hub] expected {path} to have a sha256 that begins with {expected.group(1)}, '
                f'got {found}'
            )
    return paddle.load(_decompress(path) if path.endswith('.zip') else path)
