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
    r"""The names of the models in the `hubconf.py` of a directory.

    Args:
        repo_dir (str): The directory.
        source (str, default 'github'): Only `local`: nothing is fetched.
        force_reload (bool, default False): Taken for compatibility; it has no effect.

    Returns:
        list of strs: the functions that the file has.

    Raises:
        OSError: There is no such file.
        RuntimeError: A package that it depends on is missing.
        ValueError: Another source.

    Examples:
        >>> import pathlib
        >>> text = "import paddle\ndef line(n):\n    'A line.'\n    return paddle.nn.Linear(n, 1)"
        >>> _ = pathlib.Path("hubconf.py").write_text(text)
        >>> paddle.hub.list(".", source="local")
        ['line']
    """
    module = _entries(repo_dir, source)
    return [
        name for name in dir(module) if callable(getattr(module, name)) and not name.startswith('_')
    ]


def help(repo_dir, model, source='github', force_reload=False):
    r"""The documentation of a model in the `hubconf.py` of a directory.

    Args:
        repo_dir (str): The directory.
        model (str): The name of the function.
        source (str, default 'github'): Only `local`: nothing is fetched.
        force_reload (bool, default False): Taken for compatibility; it has no effect.

    Returns:
        str: the documentation; None where there is none.

    Raises:
        OSError: There is no such file.
        RuntimeError: It has no such function, or a package that it depends on is missing.
        ValueError: Another source.

    Examples:
        >>> import pathlib
        >>> text = "import paddle\ndef line(n):\n    'A line.'\n    return paddle.nn.Linear(n, 1)"
        >>> _ = pathlib.Path("hubconf.py").write_text(text)
        >>> paddle.hub.help(".", "line", source="local")
        'A line.'
    """
    return _entry(repo_dir, model, source).__doc__


def load(repo_dir, model, source='github', force_reload=False, **kwargs):
    r"""A model of the `hubconf.py` of a directory.

    Args:
        repo_dir (str): The directory.
        model (str): The name of the function that makes it.
        source (str, default 'github'): Only `local`: nothing is fetched.
        force_reload (bool, default False): Taken for compatibility; it has no effect.
        **kwargs (object): What the function gets.

    Returns:
        object: what the function returns.

    Raises:
        OSError: There is no such file.
        RuntimeError: It has no such function, or a package that it depends on is missing.
        ValueError: Another source.

    Examples:
        >>> import pathlib
        >>> text = "import paddle\ndef line(n):\n    'A line.'\n    return paddle.nn.Linear(n, 1)"
        >>> _ = pathlib.Path("hubconf.py").write_text(text)
        >>> paddle.hub.load(".", "line", source="local", n=3).weight.shape
        paddle.Size([3, 1])
    """
    return _entry(repo_dir, model, source)(**kwargs)


def load_state_dict_from_url(
    url, model_dir=None, check_hash=False, file_name=None, map_location=None
):
    """What `paddle.load` reads from the file of a URL, fetched unless it is there already.

    Args:
        url (str): The URL, of http or https; a .zip file holds one file.
        model_dir (str, default None): The directory of the file; None for `~/.cache/paddle/hub`.
        check_hash (bool, default False): Whether the name, which ends in `-<digits>` before its
            suffix, says how the SHA-256 of the file begins.
        file_name (str, default None): The name of the file there; None for that of the URL.
        map_location (str, default None): `cpu`, as None.

    Returns:
        object: what the file holds.

    Raises:
        RuntimeError: The file cannot be fetched, or has another SHA-256.
        ValueError: It is no URL.

    Examples:
        >>> paddle.save({"w": paddle.to_tensor([1.0, 2.0])}, "weights.pdparams")
        >>> url = "https://example.com/weights.pdparams"
        >>> state = paddle.hub.load_state_dict_from_url(url, model_dir=".")
        >>> state["w"].tolist()
        [1.0, 2.0]
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
