# SPDX-License-Identifier: Apache-2.0
"""Branches and loops whose course depends on values of tensors: Python's own while running,
pd_op.if and pd_op.while while recording.

`if_region` and `while_region` record the two ops from flat lists; the public functions take any
nest of lists, tuples and dicts.
"""

import contextlib
import numbers
import warnings

import paddle
from paddle.base import libpaddle as _core
from paddle.base.arguments import items

__all__ = ['cond', 'case', 'switch_case', 'while_loop', 'Assert', 'Print']

_pir = _core.pir
_MOST_LEVELS = 64


def recording():
    """Whether operations are being recorded without running."""
    return _pir._record_mode() == 1


def _is_number(value):
    return isinstance(value, numbers.Number) and not isinstance(value, _core.Tensor)


def _number_dtype(value):
    return (
        'bool'
        if isinstance(value, bool)
        else 'int64'
        if isinstance(value, numbers.Integral)
        else 'float64'
    )


def if_region(pred, true_fn, false_fn):
    """Record pd_op.if; returns the results as a list.

    Both functions take nothing and return lists of equal length of tensors, numbers and None.
    Extents that differ become unknown. A number in both lists stays a number if it is the same,
    else it becomes a 0-d tensor; beside a tensor it takes the tensor's dtype. Raises ValueError for
    lists of different length or shapes of different rank, TypeError for None beside a value or a
    value of another type.
    """
    raw = [None, None]

    def branch(k, fn):
        raw[k] = list(fn())
        return [v if isinstance(v, _core.Tensor) else None for v in raw[k]]

    def fill(k):
        return [_filled(mine, other) for mine, other in zip(raw[k], raw[1 - k])]

    results = _pir._if_region(pred, lambda: branch(0, true_fn), lambda: branch(1, false_fn), fill)
    return [a if r is None else r for r, a in zip(results, raw[0])]


def _filled(mine, other):
    """The tensor that takes the place of a number in a branch; None where the place needs none."""
    if isinstance(mine, _core.Tensor):
        return None
    if mine is None and other is None:
        return None
    if not _is_number(mine):
        if type(mine) is type(other) and mine is other:
            return None
        raise TypeError(
            f"[cond] expected results of one kind from true_fn and false_fn, got {mine!r} and "
            f"{other!r}"
        )
    if isinstance(other, _core.Tensor):
        return paddle.full([], mine, other.dtype)
    if not _is_number(other) or _number_dtype(mine) != _number_dtype(other):
        raise TypeError(
            f"[cond] expected results of one kind from true_fn and false_fn, got {mine!r} and "
            f"{other!r}"
        )
    if mine == other:
        return None
    warnings.warn(
        f'[cond] true_fn and false_fn give the numbers {mine!r} and {other!r}, a tensor here',
        stacklevel=2,
    )
    return paddle.full([], mine, _number_dtype(mine))


def _as_tensor(value):
    return paddle.full([], value, _number_dtype(value)) if _is_number(value) else value


def while_region(cond_fn, body_fn, values):
    """Record pd_op.while; returns the final values as a list.

    `cond_fn(*values)` gives a bool tensor of one element, `body_fn(*values)` the list of next
    values. Numbers become 0-d tensors. Extents that change become unknown, for which the body is
    called again; so is it when it writes tensors from outside in place, which are then carried too.
    Raises ValueError when dtype or rank of a value changes.
    """

    def condition(*args):
        return _checked_condition(cond_fn(*args))

    def body(*args):
        return [_as_tensor(v) for v in body_fn(*args)]

    return _pir._while_region(condition, body, [_as_tensor(v) for v in values])


def _checked_condition(value):
    if not isinstance(value, _core.Tensor):
        if not isinstance(value, bool):
            raise TypeError(
                f"[while_loop] expected cond to give a bool or a tensor, got {type(value).__name__}"
            )
        value = paddle.full([1], value, 'bool')
    if value.dtype != paddle.bool:
        raise TypeError(f"[while_loop] expected cond to give a tensor of bool, got {value.dtype}")
    if any(d not in (1, -1) for d in value.shape):
        raise TypeError(
            f"[while_loop] expected cond to give one element, got shape {list(value.shape)}"
        )
    return value


def _flatten(nest, out, level=0):
    """Append the leaves of `nest` to `out`; returns what it needs to be packed again."""
    if level >= _MOST_LEVELS:
        raise ValueError(
            f'[control flow] expected lists nested less than {_MOST_LEVELS} deep, got deeper ones '
            f'or one that holds itself'
        )
    if isinstance(nest, dict):
        keys = sorted(nest, key=str)
        return type(nest), keys, [_flatten(nest[k], out, level + 1) for k in keys]
    if isinstance(nest, (list, tuple)):
        return type(nest), None, [_flatten(v, out, level + 1) for v in nest]
    if hasattr(type(nest), '_parts'):
        return type(nest), None, [_flatten(v, out, level + 1) for v in nest._parts()]
    out.append(nest)
    return None


def _pack(form, leaves):
    if form is None:
        return next(leaves)
    kind, keys, parts = form
    values = [_pack(p, leaves) for p in parts]
    if keys is not None:
        return dict(zip(keys, values))
    if hasattr(kind, '_of_parts'):
        return kind._of_parts(values)
    return kind(*values) if hasattr(kind, '_fields') else kind(values)


def _same_form(a, b):
    if a is None or b is None:
        return a is b
    if issubclass(a[0], dict) != issubclass(b[0], dict) or a[1] != b[1] or len(a[2]) != len(b[2]):
        return False
    return all(_same_form(x, y) for x, y in zip(a[2], b[2]))


def _check_pred(op, pred):
    if not isinstance(pred, _core.Tensor):
        raise TypeError(f"[{op}] expected pred to be a tensor, got {type(pred).__name__}")
    if pred.dtype != paddle.bool:
        raise TypeError(f"[{op}] expected pred of bool, got {pred.dtype}")
    if any(d not in (1, -1) for d in pred.shape):
        raise ValueError(f"[cond] expected a pred of one element, got shape {list(pred.shape)}")


def cond(pred, true_fn=None, false_fn=None, name=None, return_names=None):
    """The result of one of two functions, as a condition says.

    While a program is recorded both functions are called, and must return the same nest of tensors,
    numbers and None.

    Args:
        pred (Tensor): The condition, a bool of one element.
        true_fn (callable, default None): What is called where it is true, without arguments; None
            for nothing.
        false_fn (callable, default None): What is called where it is false.
        name (str, default None): Taken for compatibility; it has no effect.
        return_names (list of strs, default None): Taken for compatibility; it has no effect.

    Returns:
        object: what the function returns.

    Raises:
        TypeError: pred is no bool tensor, or true_fn or false_fn no function.
        AssertionError: In dynamic mode, pred is no tensor or bool, or has several elements.
        ValueError: The results of both functions have another structure.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [1])
        ...     y = paddle.static.nn.cond(x > 0, lambda: paddle.sqrt(x), lambda: -x)
        >>> exe = paddle.static.Executor()
        >>> [exe.run(main, feed={"x": [v]}, fetch_list=[y])[0].item() for v in (9.0, -5.0)]
        [3.0, 5.0]
    """
    if not recording():
        if not isinstance(pred, (_core.Tensor, bool)) and not hasattr(pred, 'dtype'):
            raise AssertionError(f"[cond] expected pred to be a tensor, got {type(pred).__name__}")
        if isinstance(pred, _core.Tensor) and pred.numel() != 1:
            raise AssertionError(
                f"[cond] expected pred of one element, got shape {list(pred.shape)}"
            )
        chosen = _function('true_fn', true_fn) if pred else _function('false_fn', false_fn)
        return None if chosen is None else chosen()
    _function('true_fn', true_fn)
    _function('false_fn', false_fn)
    _check_pred('cond', pred)
    forms, results = [None, None], [None, None]

    def branch(k, fn):
        results[k] = None if fn is None else fn()
        leaves = []
        if results[k] is not None:
            forms[k] = _flatten(results[k], leaves)
        if k == 1:
            _check_branches(forms, results)
        return leaves

    leaves = if_region(pred, lambda: branch(0, true_fn), lambda: branch(1, false_fn))
    return None if results[0] is None else _pack(forms[0], iter(leaves))


def _function(which, value):
    if value is not None and not callable(value):
        raise TypeError(f"[cond] expected {which} to be a function, got {type(value).__name__}")
    return value


def _check_branches(forms, results):
    for a, b, first, second in ((0, 1, 'true_fn', 'false_fn'), (1, 0, 'false_fn', 'true_fn')):
        if results[a] is None and results[b] is not None:
            raise ValueError(
                f"[cond] expected results from both functions, got None from {first} alone"
            )
    if not _same_form(*forms):
        raise ValueError(
            f"[cond] expected results of one structure from true_fn and false_fn, got {results[0]} "
            f"and {results[1]}"
        )


def while_loop(cond, body, loop_vars, is_test=False, name=None):
    """Repeat a function as long as a condition holds.

    Args:
        cond (callable): cond(*loop_vars) gives a bool of one element.
        body (callable): body(*loop_vars) gives the next loop_vars.
        loop_vars (list or tuple): What changes: tensors, numbers, or nests of them.
        is_test (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        list: the last loop_vars.

    Raises:
        TypeError: An argument of a wrong type, or a condition that is no bool of one element.
        ValueError: loop_vars are empty, or body returns another structure.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     n = paddle.static.data("n", [1], "int64")
        ...     one = paddle.full([1], 1, "int64")
        ...     _, product = paddle.static.nn.while_loop(
        ...         lambda k, p: k > 1, lambda k, p: [k - 1, p * k], [n, one])
        >>> exe = paddle.static.Executor()
        >>> exe.run(main, feed={"n": [5]}, fetch_list=[product])[0].item()
        120
    """
    if not callable(cond):
        raise TypeError(f"[while_loop] expected cond to be a function, got {type(cond).__name__}")
    if not callable(body):
        raise TypeError(f"[while_loop] expected body to be a function, got {type(body).__name__}")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(
            f"[while_loop] expected loop_vars to be a list or tuple, got {type(loop_vars).__name__}"
        )
    if not loop_vars:
        raise ValueError("[while_loop] expected at least one of loop_vars, got none")

    def step(values):
        out = body(*values)
        out = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(out) != len(values):
            raise ValueError(
                f"[while_loop] expected body to give {len(values)} values, one for each of "
                f"loop_vars, got {len(out)}"
            )
        return out

    if not recording():
        values = items('while_loop', 'loop_vars', loop_vars)
        while _eager_condition(cond(*values)):
            values = step(values)
        return values
    leaves = []
    form = _flatten(items('while_loop', 'loop_vars', loop_vars), leaves)
    while True:
        try:
            return _recorded_loop(cond, step, leaves, form)
        except _Filled as filled:
            for i, value in filled.args[0]:
                leaves[i] = leaves[i].before(value)


class _Filled(Exception):
    """Arrays that were empty have tensors after the body: pairs (leaf, rows)."""


def _recorded_loop(cond, step, leaves, form):
    """The final values of a loop that is recorded, in their structure."""
    moving = [i for i, v in enumerate(leaves) if isinstance(v, _core.Tensor) or _is_number(v)]

    def unflat(args):
        full = list(leaves)
        for i, v in zip(moving, args):
            full[i] = v
        return _pack(form, iter(full))

    def region_body(*args):
        out = []
        if not _same_form(_flatten(step(unflat(args)), out), form):
            raise ValueError(
                "[while_loop] expected body to give values of the structure of loop_vars, got "
                "another one"
            )
        empty = [(i, out[i]) for i, v in enumerate(leaves) if hasattr(type(v), 'before')]
        filled = [(i, v) for i, v in empty if isinstance(v, _core.Tensor)]
        if filled:
            raise _Filled(filled)
        return [out[i] for i in moving]

    return unflat(
        while_region(lambda *args: cond(*unflat(args)), region_body, [leaves[i] for i in moving])
    )


def _eager_condition(value):
    if isinstance(value, _core.Tensor) and value.numel() != 1:
        raise TypeError(
            f"[while_loop] expected cond to give one element, got shape {list(value.shape)}"
        )
    return bool(value)


def case(pred_fn_pairs, default=None, name=None):
    """The result of the function beside the first condition that is true.

    Args:
        pred_fn_pairs (list or tuple of tuples): (pred, function): a bool tensor of one element, and
            what is called without arguments where it is the first that is true.
        default (callable, default None): What is called where none is; None for the last of the
            functions.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        object: what the function returns.

    Raises:
        TypeError: Anything but such pairs.
        ValueError: There are none.

    Examples:
        >>> x = paddle.to_tensor(0.5)
        >>> pairs = [(x < 0.0, lambda: "negative"), (x < 1.0, lambda: "small")]
        >>> paddle.static.nn.case(pairs, default=lambda: "large")
        'small'
    """
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(
            "[case] expected pred_fn_pairs to be a list or tuple, got "
            f"{type(pred_fn_pairs).__name__}"
        )
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple):
            raise TypeError(
                f"[case] expected pairs of a tensor and a function, got {type(pair).__name__}"
            )
        if len(pair) != 2:
            raise TypeError(
                f"[case] expected pairs of a tensor and a function, got {len(pair)} items"
            )
        if not isinstance(pair[0], _core.Tensor):
            raise TypeError(f"[case] expected pred to be a tensor, got {type(pair[0]).__name__}")
        if not callable(pair[1]):
            raise TypeError(f"[case] expected a function beside pred, got {type(pair[1]).__name__}")
    if default is not None and not callable(default):
        raise TypeError(f"[case] expected default to be a function, got {type(default).__name__}")
    if not pred_fn_pairs:
        raise ValueError("[case] expected at least one pair, got none")
    pairs = items('case', 'pred_fn_pairs', pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]

    def rest(k):
        if k == len(pairs):
            return default()
        return cond(pairs[k][0], pairs[k][1], lambda: rest(k + 1))

    return rest(0)


def switch_case(branch_index, branch_fns, default=None, name=None):
    """The result of the function whose number a tensor has.

    Args:
        branch_index (Tensor): The number, a uint8, int32 or int64 of one element.
        branch_fns (dict, list or tuple): Functions by number, pairs (number, function), or
            functions with the numbers from 0.
        default (callable, default None): What is called for other numbers; None for the function
            with the largest number.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        object: what the function returns.

    Raises:
        TypeError: An argument of a wrong type.
        ValueError: A number occurs twice, or there are no functions.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     k = paddle.static.data("k", [1], "int64")
        ...     tens = {1: lambda: paddle.full([1], 10.0), 2: lambda: paddle.full([1], 20.0)}
        ...     y = paddle.static.nn.switch_case(k, tens, lambda: paddle.zeros([1]))
        >>> exe = paddle.static.Executor()
        >>> [exe.run(main, feed={"k": [k]}, fetch_list=[y])[0].item() for k in (2, 1, 7)]
        [20.0, 10.0, 0.0]
    """
    if not isinstance(branch_index, _core.Tensor):
        raise TypeError(
            f"[switch_case] expected branch_index to be a tensor, got {type(branch_index).__name__}"
        )
    if branch_index.dtype not in (paddle.uint8, paddle.int32, paddle.int64):
        raise TypeError(
            "[switch_case] expected branch_index of uint8, int32 or int64, got "
            f"{branch_index.dtype}"
        )
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(
            "[switch_case] expected branch_fns to be a list, tuple or dict, got "
            f"{type(branch_fns).__name__}"
        )
    pairs = (
        list(branch_fns.items())
        if isinstance(branch_fns, dict)
        else items('switch_case', 'branch_fns', branch_fns)
    )
    if pairs and all(callable(f) for f in pairs):
        pairs = list(enumerate(pairs))
    seen = set()
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"[switch_case] expected pairs of an int and a function, got {pair!r}")
        key, fn = pair
        if not isinstance(key, int):
            raise TypeError(
                f"[switch_case] expected keys of branch_fns to be ints, got {type(key).__name__}"
            )
        if key in seen:
            raise ValueError(
                f"[switch_case] expected each key of branch_fns once, got {key} more than once"
            )
        seen.add(key)
        if not callable(fn):
            raise TypeError(f"[switch_case] expected a function at {key}, got {type(fn).__name__}")
    if default is not None and not callable(default):
        raise TypeError(
            f"[switch_case] expected default to be a function, got {type(default).__name__}"
        )
    if not pairs:
        raise ValueError("[switch_case] expected at least one function, got none")
    pairs.sort(key=lambda p: p[0])
    if default is None:
        default = pairs[-1][1]

    def rest(k):
        if k == len(pairs):
            return default()
        here = paddle.equal(branch_index, paddle.full([1], pairs[k][0], branch_index.dtype))
        return cond(here, pairs[k][1], lambda: rest(k + 1))

    return rest(0)


def Assert(cond, data=None, summarize=20, name=None):
    """Fail where the bool tensor `cond`, of one element, is false, showing up to `summarize`
    elements of each tensor in `data`.

    Raises ValueError when it fails, TypeError for arguments of a wrong type.
    """
    _check_pred('Assert', cond)
    if data is not None and not isinstance(data, (list, tuple)):
        raise TypeError(
            f"[Assert] expected data to be a list, a tuple or None, got {type(data).__name__}"
        )
    if recording():
        _pir._record_assert(cond, list(data or []), summarize)
    elif not bool(cond):
        raise ValueError(
            f"[assert] expected the condition to be true, got false; data: {list(data or [])}"
        )


def Print(
    input,
    first_n=-1,
    message=None,
    summarize=20,
    print_tensor_name=True,
    print_tensor_type=True,
    print_tensor_shape=True,
    print_tensor_layout=True,
    print_tensor_lod=True,
    print_phase='both',
):
    """Print a tensor whenever the program gets here.

    Args:
        input (Tensor): The tensor.
        first_n (int, default -1): How many times at most; -1 for always.
        message (str, default None): What is printed before it.
        summarize (int, default 20): How many elements are shown; -1 for all.
        print_tensor_name (bool, default True): Whether its name is shown.
        print_tensor_type (bool, default True): Whether its dtype is shown.
        print_tensor_shape (bool, default True): Whether its shape is shown.
        print_tensor_layout (bool, default True): Whether its layout is shown.
        print_tensor_lod (bool, default True): Whether its offsets of sequences are shown.
        print_phase (str, default 'both'): Whether the tensor (`forward`), its gradient (`backward`)
            or `both` are printed.

    Returns:
        Tensor: equal to input. What is printed is that of the operations that read it.

    Raises:
        TypeError: input is no Tensor.
        ValueError: Another print_phase.

    Examples:
        >>> y = paddle.static.Print(paddle.to_tensor([1, 2]), message="y is")
        y is Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [1, 2])
        >>> y.tolist()
        [1, 2]
    """
    if not isinstance(input, _core.Tensor):
        raise TypeError(f"[Print] expected input to be a tensor, got {type(input).__name__}")
    if print_phase not in ('forward', 'backward', 'both'):
        raise ValueError(
            f"[Print] expected print_phase to be forward, backward or both, got {print_phase!r}"
        )
    if not recording():
        print(message or '', input)
        return input
    return _pir._record_print(
        input,
        first_n,
        message or '',
        summarize,
        print_tensor_name,
        print_tensor_type,
        print_tensor_shape,
        print_tensor_layout,
        print_tensor_lod,
        print_phase.upper(),
    )


@contextlib.contextmanager
def _block_for(kind, inputs, **attrs):
    """What is recorded inside is the block of an operation, which is appended at the end."""
    from paddle.static import program as _program

    program = _program.default_main_program()
    block = program._create_block()
    try:
        yield block
    finally:
        program._rollback()
    program.current_block().append_op(kind, inputs, attrs={'sub_block': block, **attrs})


class While:
    """A loop over what is recorded in its block, which writes the condition in place.

    Tensors from outside that the block writes in place (`assign(x, output=y)`, `increment`) hold
    the loop's results behind it.

    Args:
        cond (Tensor): Whether there is another round, a bool of one element.
        is_test (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        TypeError: cond is no tensor of one bool.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     i, n = paddle.zeros([1], "int64"), paddle.full([1], 3, "int64")
        ...     more = i < n
        ...     loop = paddle.static.nn.control_flow.While(more)
        ...     with loop.block():
        ...         _ = paddle.increment(i)
        ...         _ = paddle.assign(i < n, more)
        >>> paddle.static.Executor().run(main, fetch_list=[i])[0].tolist()
        [3]
    """

    def __init__(self, cond, is_test=False, name=None):
        self.cond_var, self.is_test, self.name = _checked_condition(cond), is_test, name

    def block(self):
        """A context: what is recorded inside is a round."""
        return _block_for('while', {'Condition': [self.cond_var]})


class ConditionalBlock:
    """A block that runs where a condition holds; tensors from outside that it writes in place stay
    what they were elsewhere.

    Args:
        inputs (list of Tensors): A bool of one element with `is_scalar_condition`; tensors of which
            each must have elements without.
        is_scalar_condition (bool, default False): Which of these.
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        TypeError: inputs holds anything but tensors.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x, y = paddle.static.data("x", [1]), paddle.zeros([1])
        ...     part = paddle.static.nn.control_flow.ConditionalBlock([x > 0], True)
        ...     with part.block():
        ...         _ = paddle.assign(x * 2, y)
        >>> exe = paddle.static.Executor()
        >>> [exe.run(main, {"x": [v]}, [y])[0].item() for v in (3.0, -3.0)]
        [6.0, 0.0]
    """

    def __init__(self, inputs, is_scalar_condition=False, name=None):
        for each in inputs:
            if not isinstance(each, _core.Tensor):
                raise TypeError(
                    f'[ConditionalBlock] expected tensors as inputs, got {type(each).__name__}'
                )
        self.inputs, self.is_scalar_condition = list(inputs), is_scalar_condition

    def block(self):
        """A context: what is recorded inside is the block."""
        scalar = self.is_scalar_condition
        return _block_for('conditional_block', {'Cond': self.inputs}, is_scalar_condition=scalar)


class Switch:
    """Blocks of which the first runs whose condition holds, else the default one.

    Args:
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x, y = paddle.static.data("x", [1]), paddle.zeros([1])
        ...     with paddle.static.nn.control_flow.Switch() as switch:
        ...         with switch.case(x > 0):
        ...             _ = paddle.assign(x + 1, y)
        ...         with switch.default():
        ...             _ = paddle.assign(x - 1, y)
        >>> exe = paddle.static.Executor()
        >>> [exe.run(main, {"x": [v]}, [y])[0].item() for v in (1.0, -1.0)]
        [2.0, -2.0]
    """

    def __init__(self, name=None):
        self.name, self._left = name, None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def case(self, condition):
        """A context: what is recorded inside runs where the condition holds and none before did."""
        _checked_condition(condition)
        test, other = condition, paddle.logical_not(condition)
        if self._left is not None:
            test, other = (paddle.logical_and(self._left, each) for each in (test, other))
        self._left = other
        return ConditionalBlock([test], is_scalar_condition=True).block()

    def default(self):
        """A context: what is recorded inside runs where no condition held."""
        if self._left is None:
            raise ValueError('[Switch.default] expected a case before, got none')
        return ConditionalBlock([self._left], is_scalar_condition=True).block()
