# SPDX-License-Identifier: Apache-2.0
"""Finding non-finite values, and where a run with less precision leaves another."""

import contextlib
import functools
import os
from enum import Enum

import paddle
from paddle.base import libpaddle as _core

__all__ = [
    'DebugMode',
    'TensorCheckerConfig',
    'check_numerics',
    'check_layer_numerics',
    'compare_accuracy',
    'collect_operator_stats',
    'disable_operator_stats_collection',
    'disable_tensor_checker',
    'enable_operator_stats_collection',
    'enable_tensor_checker',
]


class DebugMode(Enum):
    """What `check_numerics` does with what it finds: abort, warn, or say it of every tensor.

    Examples:
        >>> from paddle.amp.debugging import DebugMode, check_numerics
        >>> x = paddle.to_tensor([1.0, 0.0, 2.0])
        >>> counts, values = check_numerics(x, "log", "x", DebugMode.CHECK_NAN_INF)
        >>> counts.tolist()
        [0, 0, 1]
    """

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


def check_numerics(tensor, op_type, var_name, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT):
    """Count the NaN, infinite and zero values of a tensor.

    Args:
        tensor (Tensor): The tensor.
        op_type (str): The operation that messages name.
        var_name (str): The tensor's name in messages.
        debug_mode (DebugMode, default DebugMode.CHECK_NAN_INF_AND_ABORT): What is done with NaN and
            infinities.

    Returns:
        tuple of Tensors: counts [3], int64, and max, min and mean [3], float32.

    Raises:
        RuntimeError: There are any, and debug_mode is CHECK_NAN_INF_AND_ABORT.

    Examples:
        >>> x = paddle.to_tensor([0.0, 2.0])
        >>> counts, values = paddle.amp.debugging.check_numerics(x, "", "x")
        >>> counts.tolist(), values.tolist()
        ([0, 0, 1], [2.0, 0.0, 1.0])
    """
    counts, values = paddle._C_ops.check_numerics(tensor, op_type, var_name, 1)
    nan, inf, zero = counts.tolist()
    largest, least, mean = values.tolist()
    found = (
        f"{tensor.size} values, {nan} NaN, {inf} Inf, {zero} zero, "
        f"max {largest:g}, min {least:g}, mean {mean:g}"
    )
    if nan or inf:
        if debug_mode == DebugMode.CHECK_NAN_INF_AND_ABORT:
            raise RuntimeError(f"[{op_type}] expected finite values in {var_name}, got {found}")
        print(f"[{op_type}] {var_name}: {found}")
    elif debug_mode == DebugMode.CHECK_ALL:
        print(f"[{op_type}] {var_name}: {found}")
    return counts, values


def check_layer_numerics(func):
    """Decorator of a layer's `forward`: check its first tensor before and its results after.

    Args:
        func (callable): The method.

    Returns:
        callable: the method that checks.

    Examples:
        >>> class Net(paddle.nn.Layer):
        ...     @paddle.amp.debugging.check_layer_numerics
        ...     def forward(self, x):
        ...         return x * 2
        >>> Net()(paddle.ones([2])).tolist()
        [2.0, 2.0]
    """

    @functools.wraps(func)
    def wrapper(self, *args, **kwargs):
        if args:
            if not isinstance(args[0], paddle.Tensor):
                raise RuntimeError(
                    "[check_layer_numerics] expected a tensor as the first argument of forward, "
                    f"got {type(args[0]).__name__}"
                )
            check_numerics(args[0], type(self).__name__, 'input')
        out = func(self, *args, **kwargs)
        for i, item in enumerate(out if isinstance(out, (list, tuple)) else [out]):
            if isinstance(item, paddle.Tensor) and 'float' in str(item.dtype):
                check_numerics(item, type(self).__name__, f'output {i}')
        return out

    return wrapper


class TensorCheckerConfig:
    """What `enable_tensor_checker` looks at.

    Args:
        enable (bool): Whether anything happens.
        debug_mode (DebugMode, default DebugMode.CHECK_NAN_INF_AND_ABORT): What is done with NaN and
            infinities.
        output_dir (str, default None): The folder that gets the lines, added to a file for each
            device (`worker_cpu`), and is made if need be. NaN and infinities are no error then.
            None: lines are printed.
        checked_op_list (list of strs, default None): Operations that are looked at; None for all.
        skipped_op_list (list of strs, default None): Operations that are not.
        debug_step (list of ints, default None): The first step and the one after the last, a step
            being a call of `enable_tensor_checker`.
        stack_height_limit (int, default 1): Taken for compatibility; it has no effect.

    Examples:
        >>> config = paddle.amp.debugging.TensorCheckerConfig(enable=True, debug_step=[0, 10])
        >>> config.enable
        True
    """

    current_step_id = 0

    def __init__(
        self,
        enable,
        debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT,
        output_dir=None,
        checked_op_list=None,
        skipped_op_list=None,
        debug_step=None,
        stack_height_limit=1,
    ):
        for name, value in (
            ('checked_op_list', checked_op_list),
            ('skipped_op_list', skipped_op_list),
            ('debug_step', debug_step),
        ):
            if value is not None and not isinstance(value, (list, tuple)):
                raise ValueError(
                    f"[TensorCheckerConfig] expected {name} to be a list or tuple, got "
                    f"{type(value).__name__}"
                )
        if not isinstance(debug_mode, DebugMode):
            raise TypeError(f'[TensorCheckerConfig] expected a DebugMode, got {debug_mode!r}')
        if output_dir is not None and not isinstance(output_dir, (str, os.PathLike)):
            raise TypeError(
                f'[TensorCheckerConfig] expected output_dir to be a path, got {output_dir!r}'
            )
        self.start_step, self.end_step = debug_step or (None, None)
        assert debug_step is None or 0 <= self.start_step < self.end_step, (
            f"[TensorCheckerConfig] expected debug_step [first, last] that ascend, got {debug_step}"
        )
        self.enable, self.debug_mode, self.output_dir = enable, debug_mode, output_dir
        self.checked_op_list, self.skipped_op_list = checked_op_list, skipped_op_list
        self.debug_step, self.stack_height_limit = debug_step, stack_height_limit

    def update_and_check_step_id(self):
        """Whether the step that begins is one to look at; counts it."""
        step = TensorCheckerConfig.current_step_id
        TensorCheckerConfig.current_step_id += 1
        return bool(self.enable) and (
            self.debug_step is None or self.start_step <= step < self.end_step
        )

    def start_check_nan_inf(self):
        """Begin to look at results."""
        folder = '' if self.output_dir is None else os.path.abspath(self.output_dir)
        if folder:
            os.makedirs(folder, exist_ok=True)
        _core._log_numbers_in(folder)
        _core._check_numbers_of(list(self.checked_op_list or ()), list(self.skipped_op_list or ()))
        paddle.set_flags(
            {'FLAGS_check_nan_inf': True, 'FLAGS_check_nan_inf_level': self.debug_mode.value}
        )

    def stop_check_nan_inf(self):
        """Look no longer."""
        _core._log_numbers_in('')
        _core._check_numbers_of([], [])
        paddle.set_flags({'FLAGS_check_nan_inf': False, 'FLAGS_check_nan_inf_level': 0})


def enable_tensor_checker(checker_config):
    """Look for NaN and infinities in the results of operations, if the config chooses this step.

    Args:
        checker_config (TensorCheckerConfig): What is looked at.

    Returns:
        None.

    Examples:
        >>> config = paddle.amp.debugging.TensorCheckerConfig(enable=True)
        >>> paddle.amp.debugging.enable_tensor_checker(config)
        >>> (paddle.ones([2]) * 2).tolist()
        [2.0, 2.0]
        >>> paddle.amp.debugging.disable_tensor_checker()
    """
    if checker_config.update_and_check_step_id():
        checker_config.start_check_nan_inf()
    else:
        checker_config.stop_check_nan_inf()


def disable_tensor_checker():
    """End what `enable_tensor_checker` began.

    Returns:
        None.

    Examples:
        >>> config = paddle.amp.debugging.TensorCheckerConfig(enable=True)
        >>> paddle.amp.debugging.enable_tensor_checker(config)
        >>> paddle.amp.debugging.disable_tensor_checker()
    """
    _core._log_numbers_in('')
    _core._check_numbers_of([], [])
    paddle.set_flags({'FLAGS_check_nan_inf': False, 'FLAGS_check_nan_inf_level': 0})


def compare_accuracy(
    dump_path, another_dump_path, output_filename, loss_scale=1, dump_all_tensors=False
):
    """Compare the numbers of two runs, of which the second has less precision, in a workbook.

    The runs write them with `TensorCheckerConfig(debug_mode=DebugMode.CHECK_ALL, output_dir=...)`.
    The workbook has a sheet for each file of the first run. A row is a result of the second run,
    beside the same operation's result, in order, of the first: numbers that float16 cannot hold are
    red, ratios that are neither within 5 % of 1 nor of loss_scale yellow. Where the second run
    lacks a file, the rows are those of the first.

    Args:
        dump_path (str): The folder of the first run, such as one in float32.
        another_dump_path (str): The folder of the second run, such as one in float16.
        output_filename (str): The file that is written, in the format xlsx whatever its name is.
        loss_scale (float, default 1): What the second run multiplies its loss by.
        dump_all_tensors (bool, default False): Must be False.

    Returns:
        None.

    Raises:
        AssertionError: dump_all_tensors is True, or results to compare differ in their number of
            elements.
        FileNotFoundError: A folder is not there, or the first has no files `worker_*`.
        ImportError: The package xlsxwriter, which writes the workbook, is not installed.
        ValueError: A line lacks numbers, or loss_scale is not a positive number.

    Examples:
        >>> from paddle.amp.debugging import DebugMode, TensorCheckerConfig
        >>> for dtype in ("float32", "float16"):
        ...     x = paddle.to_tensor([1.0, 300.0], dtype)
        ...     config = TensorCheckerConfig(True, DebugMode.CHECK_ALL, output_dir=dtype)
        ...     paddle.amp.debugging.enable_tensor_checker(config)
        ...     y = x * x
        ...     paddle.amp.debugging.disable_tensor_checker()
        >>> paddle.amp.debugging.compare_accuracy("float32", "float16", "compared.xlsx")
        worker_cpu: 1 results, beyond float16 or not finite of ['multiply']
        compared.xlsx is written
    """
    assert not dump_all_tensors, '[compare_accuracy] expected dump_all_tensors=False, got True'
    if isinstance(loss_scale, bool) or not isinstance(loss_scale, (int, float)) or loss_scale <= 0:
        raise ValueError(
            f'[compare_accuracy] expected loss_scale to be a positive number, got {loss_scale!r}'
        )
    from paddle.amp.accuracy_compare import compare

    compare(os.fspath(dump_path), os.fspath(another_dump_path), output_filename, loss_scale)


def enable_operator_stats_collection():
    """Count from now on in which dtypes operations give their results.

    Returns:
        None.

    Examples:
        >>> import contextlib, io
        >>> from paddle.amp import debugging
        >>> debugging.enable_operator_stats_collection()
        >>> x = paddle.ones([2]) + 1.0
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     debugging.disable_operator_stats_collection()
        >>> "add" in printed.getvalue()
        True
    """
    _core._take_type_counts()
    paddle.set_flags({'FLAGS_low_precision_op_list': 1})


def disable_operator_stats_collection():
    """Stop counting the dtypes of results and print the table.

    Returns:
        None.

    Examples:
        >>> import contextlib, io
        >>> from paddle.amp import debugging
        >>> debugging.enable_operator_stats_collection()
        >>> x = paddle.exp(paddle.ones([2]))
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     debugging.disable_operator_stats_collection()
        >>> "exp" in printed.getvalue()
        True
    """
    paddle.set_flags({'FLAGS_low_precision_op_list': 0})
    _print_counts(_core._take_type_counts())


def _print_counts(counts):
    """Print the table of {operation: calls in float16, bfloat16, float32, others}."""
    print(f"<{' op list ':-^120}>")
    heads = [f"{f' {kind} Calls ':-^17}" for kind in ('FP16', 'BF16', 'FP32', 'Other')]
    print(f"<{' Op Name ':-^40} | {' | '.join(heads)}>")
    for name, row in sorted(counts.items()):
        print(f'  {name:<40}|' + '|'.join(f'  {n:<17}' for n in row))
    print(f"<{f' op count: {len(counts)} ':-^120}>\n")


@contextlib.contextmanager
def collect_operator_stats():
    """Count in a block in which dtypes operations give their results, and print the table.

    Returns:
        context manager: one that prints at the end.

    Examples:
        >>> import contextlib, io
        >>> from paddle.amp import debugging
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     with debugging.collect_operator_stats():
        ...         x = paddle.ones([2]) * 2.0
        >>> "multiply" in printed.getvalue()
        True
    """
    try:
        enable_operator_stats_collection()
        yield
    finally:
        disable_operator_stats_collection()
