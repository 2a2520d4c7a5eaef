# SPDX-License-Identifier: Apache-2.0
"""Runs of a program on all batches of a data set, with what is printed of them."""

import time

from paddle.static import lod
from paddle.static import program as _program

__all__ = ['FetchHandler', 'run']


class FetchHandler:
    """What `Executor.train_from_dataset` calls with values of a program, from time to time.

    A subclass defines `handler(res_dict)`; res_dict has an array for each name of var_dict.

    Args:
        var_dict (dict): Values of the program by names.
        period_secs (int, default 60): How many seconds lie between calls.

    Raises:
        AssertionError: There is no var_dict.
    """

    def __init__(self, var_dict=None, period_secs=60):
        if var_dict is None:
            raise AssertionError('[FetchHandler] expected a dict as var_dict, got None')
        self.var_dict, self.period_secs = var_dict, period_secs

    def handler(self, res_dict):
        """Print the values."""
        for name, value in res_dict.items():
            print(f'{name}[{value.size}]: {_words(value)} ')


def _words(value):
    return f'[{" ".join(f"{n:g}" if value.dtype.kind == "f" else str(n) for n in value.flat)}]'


def _sequences(program):
    """The names of a program's inputs that have offsets of sequences beside them."""
    program = _program.default_main_program() if program is None else program
    program = getattr(program, '_program', program)
    inputs = [op.attrs()['name'] for op in program._operations() if op.name() == 'pd_op.data']
    return {name[: -len(lod.FIRST)] for name in inputs if name.endswith(lod.FIRST)}


def run(
    executor,
    op,
    program,
    dataset,
    scope,
    thread,
    debug,
    fetch_list,
    fetch_info,
    print_period,
    fetch_handler,
):
    """Run `program` on each batch of `dataset`."""
    if dataset is None:
        raise RuntimeError(f'[{op}] expected a data set, got None')
    if not hasattr(dataset, '_batches'):
        raise AttributeError(
            f'[{op}] expected a paddle.distributed.InMemoryDataset or QueueDataset, got '
            f'{type(dataset).__name__}'
        )
    if not isinstance(thread, int) or not isinstance(print_period, int) or print_period < 1:
        raise ValueError(
            f'[{op}] expected thread as an int and print_period as one of at least 1, got '
            f'{thread!r} and {print_period!r}'
        )
    shown = list(fetch_list or ())
    names = [str(n) for n in fetch_info or (getattr(value, 'name', value) for value in shown)]
    if len(names) != len(shown):
        raise ValueError(
            f'[{op}] expected fetch_info for each of {len(shown)} values, got {len(names)}'
        )
    if fetch_handler is not None:
        names, shown = list(fetch_handler.var_dict), list(fetch_handler.var_dict.values())
    last = time.monotonic()
    for number, feed in enumerate(dataset._batches(_sequences(program)), 1):
        start = time.monotonic()
        results = executor.run(program, feed=feed, fetch_list=shown, scope=scope)
        if debug:
            print(f'batch: [{number}], {1000 * (time.monotonic() - start):.3f} ms')
        if fetch_handler is not None:
            if time.monotonic() - last >= fetch_handler.period_secs:
                fetch_handler.handler(dict(zip(names, results)))
                last = time.monotonic()
        elif shown and number % print_period == 0:
            said = (f'{n}[{value.size}]:{_words(value)}' for n, value in zip(names, results))
            now = time.strftime('%Y-%m-%d %H:%M:%S')
            print(f'time: [{now}], batch: [{number}], {", ".join(said)}')
