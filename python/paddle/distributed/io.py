# SPDX-License-Identifier: Apache-2.0
"""Files of what a program keeps over runs, in jobs: each process has them whole."""

from paddle.static import io as _io

__all__ = []


def is_persistable(var):
    """Whether a variable of a program keeps its value over runs.

    Args:
        var (Tensor): A parameter, or a value of a program.

    Returns:
        bool: whether it does.

    Examples:
        >>> from paddle.distributed.io import is_persistable
        >>> is_persistable(paddle.create_parameter([2], 'float32'))
        True
    """
    return bool(getattr(var, 'persistable', False))


def save_persistables(executor, dirname, main_program=None, filename=None):
    """Write what a program keeps over runs.

    Args:
        executor (Executor): Not used to run anything.
        dirname (str): The directory.
        main_program (Program, default None): The program; the default main program otherwise.
        filename (str, default None): One file for all; a file for each name otherwise.

    Raises:
        TypeError: When `executor` is none.
    """
    _io.save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_persistables(executor, dirname, main_program=None, filename=None):
    """Read what `save_persistables` wrote into a program.

    Args:
        executor (Executor): Not used to run anything.
        dirname (str): The directory.
        main_program (Program, default None): The program; the default main program otherwise.
        filename (str, default None): The file for all, if that was written.

    Raises:
        FileNotFoundError: When a file is not there.
    """
    _io.load_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_inference_model_distributed(
    dirname, executor, model_filename=None, params_filename=None, pserver_endpoints=None
):
    """[program, names of its inputs, results] of a saved model.

    Args:
        dirname (str): The directory.
        executor (Executor): Not used to run anything.
        model_filename (str, default None): The program's file.
        params_filename (str, default None): The parameters' file.
        pserver_endpoints (None, default None): Nothing but None: there are no parameter servers.

    Raises:
        NotImplementedError: When `pserver_endpoints` are given.
    """
    if pserver_endpoints is not None:
        raise NotImplementedError(
            '[load_inference_model_distributed] expected no parameter servers, got '
            f'{pserver_endpoints!r}'
        )
    return _io.load_inference_model(
        dirname, executor, model_filename=model_filename, params_filename=params_filename
    )
