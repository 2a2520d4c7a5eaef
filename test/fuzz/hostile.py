# SPDX-License-Identifier: Apache-2.0
"""What the lines of calls.py are written with: tensors by recipe, hostile objects, and `check`,
which runs a call in several ways.
"""

import cmath  # noqa: F401: named by lines
import math
import random
import warnings

import numpy as np
import recipes

import paddle
from paddle import nn  # noqa: F401
from paddle.base import libpaddle as core

warnings.simplefilter('ignore')
INT_MIN, INT_MAX = -(2**63), 2**63 - 1
nan, inf = math.nan, math.inf


class Difference(Exception):
    """Two ways of the same call disagree."""


class Inexact(Difference):
    """They disagree in floating numbers."""


# --- tensors


def numbers(count, dtype, fill):
    """`count` values as an array: small ones, indices, zeros, or with the extremes of the type
    among them.
    """
    base = np.arange(count) * 7 % 13
    if dtype == 'bool':
        return base % 2 == 0
    if dtype.startswith(('int', 'uint')):
        if fill == 'wild':
            info = np.iinfo(dtype)
            some = [info.min, info.max, 0, 1, info.max - 1, info.min + 1, 2, 7]
            return np.array(some * (count // 8 + 1), dtype)[:count]
        low = {'index': base % 2, 'zero': base * 0}.get(fill, base % 5)
        return low.astype(dtype)
    values = {'zero': base * 0.0, 'index': base % 3 * 1.0, 'unit': (base + 0.5) / 13}.get(
        fill, (base - 6) / 4
    )
    if fill == 'wild':
        some = [nan, inf, -inf, 0.0, -0.0, 1e38, -1e38, 1e-40, 1.0, 5e-324, 1e308]
        values = np.array(some * (count // len(some) + 1))[:count]
    if dtype.startswith('complex'):
        return values + 1j * values[::-1]
    return values


class T:
    """The recipe of a tensor: its layout is a view of a leaf, which asks for a gradient where the
    dtype has one.
    """

    def __init__(self, shape, dtype='float32', fill='', layout='', grad=True):
        self.shape, self.dtype, self.fill, self.layout, self.grad = (
            list(shape),
            dtype,
            fill,
            layout,
            grad,
        )

    def make(self, contiguous=False, scaled=False):
        """(leaf, tensor); `scaled`: numbers that differ in their last digits."""
        shape, layout = self.shape, self.layout
        rank = len(shape)
        base, view = list(shape), None
        if layout == 'strided' and rank:
            base[-1] = base[-1] * 2
            view = lambda a: a[..., ::2]  # noqa: E731
        elif layout == 'reversed' and rank:
            view = lambda a: a[..., ::-1]  # noqa: E731
        elif layout == 'transposed' and rank > 1:
            base = base[::-1]
            view = lambda a: a.transpose(list(range(rank))[::-1])  # noqa: E731
        elif layout == 'expanded' and rank:
            base[0] = 1
            view = lambda a: a.expand(shape)  # noqa: E731
        elif layout == 'overlap' and rank and all(shape):
            base = [sum(shape)]
            view = lambda a: a.as_strided(shape, [1] * rank)  # noqa: E731
        elif layout == 'offset' and rank:
            base[0] += 1
            view = lambda a: a[1:]  # noqa: E731
        array = numbers(int(np.prod(base)), self.dtype, self.fill).reshape(base)
        if scaled and array.dtype.kind in 'fc':
            with np.errstate(all='ignore'):
                array = array * (1 + SPREAD.get(self.dtype, 1e-1) / 16)
        with np.errstate(all='ignore'):
            wide = (
                array.astype('float32')
                if self.dtype in ('float16', 'bfloat16') or self.dtype.startswith('float8')
                else array.astype(self.dtype)
            )
        leaf = paddle.to_tensor(wide)
        if str(leaf.dtype) != 'paddle.' + self.dtype:
            leaf = leaf.astype(self.dtype)
        if self.grad and self.dtype.startswith(('float', 'bfloat', 'complex')):
            leaf.stop_gradient = False
        tensor = leaf if view is None else view(leaf)
        if contiguous and view is not None:
            tensor = tensor.clone()
        return leaf, tensor

    def __repr__(self):
        parts = [
            repr(self.shape),
            repr(self.dtype),
            repr(self.fill),
            repr(self.layout),
            repr(self.grad),
        ]
        plain = ['', "'float32'", "''", "''", 'True']
        while parts[-1] == plain[len(parts) - 1]:
            parts.pop()
        return f"T({', '.join(parts)})"


def t(*args, **kwargs):
    """A tensor within an argument: t([2, 3], 'int64') as T, t(2, 3) as a recipe's."""
    return T(*args).make()[1] if args and isinstance(args[0], list) else recipes.t(*args, **kwargs)


# --- objects


class Raises:
    """Every protocol method named raises."""

    def __new__(cls, *names):
        def fail(self, *args, **kwargs):
            raise ValueError('hostile')

        return object.__new__(type('Raises', (), {n: fail for n in names}))


class Numeric:
    """Gives `value` by every number protocol."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __int__(self):
        return self.value

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return self.value  # TypeError unless it is a bool


class Sized:
    """Says it has `size` items and gives `item` for each, or raises after `good`."""

    def __init__(self, size, item=1, good=3):
        self.size, self.item, self.good = size, item, good

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        if isinstance(i, int) and i >= self.good:
            raise IndexError(i)
        return self.item


class Shrinks(list):
    """A list whose items change it while they are read."""

    class Item:
        def __init__(self, owner):
            self.owner = owner

        def __index__(self):
            self.owner.clear()
            return 1

        __int__ = __index__

        def __float__(self):
            self.owner.clear()
            return 1.0

    def __init__(self, count=4):
        super().__init__(self.Item(self) for _ in range(count))


class Grows(Shrinks):
    """As Shrinks, the other way."""

    class Item(Shrinks.Item):
        def __index__(self):
            if len(self.owner) < 1000:
                self.owner.extend([1] * 64)
            return 1

        __int__ = __index__


class Recurses:
    """Asks the package again, with itself, while it is converted."""

    def __init__(self):
        self.depth = 0

    def __index__(self):
        self.depth += 1
        if self.depth < 5:
            paddle.zeros([2]).reshape([self])
        return 1

    def __len__(self):
        return 1

    def __getitem__(self, i):
        self.depth += 1
        if self.depth > 2000:
            raise IndexError(i)
        return self

    def __float__(self):
        return float(self.__index__())

    __int__ = __index__


def loop(kind=list):
    """A list or dict that holds itself."""
    made = kind()
    if kind is dict:
        made['x'] = made
    else:
        made.append(made)
    return made


def deep(depth):
    """[[[...]]]"""
    made = [1]
    for _ in range(depth):
        made = [made]
    return made


def pack(kind):
    """A tuple subclass, a list subclass, a generator and the like of [2, 3]."""
    return {
        'tuple': type('Pack', (tuple,), {})((2, 3)),
        'list': type('Pack', (list,), {})([2, 3]),
        'generator': (i for i in (2, 3)),
        'str': type('Text', (str,), {})('mean'),
        'int': type('Whole', (int,), {})(1),
        'float': type('Real', (float,), {})(0.5),
    }[kind]


# --- running


def state():
    """What no call may leave changed."""
    return (
        core.is_grad_enabled(),
        core.get_amp_state(),
        str(core.get_default_dtype()),
        str(core.current_place()),
        core._static_enabled(),
        paddle.in_dynamic_mode(),
    )


def canary():
    """A fixed computation; its numbers must not depend on what ran before."""
    x = paddle.to_tensor(np.linspace(-1, 1, 12, dtype='float32').reshape(3, 4))
    w = paddle.to_tensor(np.linspace(0, 1, 8, dtype='float32').reshape(4, 2))
    w.stop_gradient = False
    y = nn.functional.softmax(paddle.matmul(x, w) + 1.5, axis=-1).log().sum()
    y.backward()
    order = paddle.sort(x.flatten(), descending=True)[:3]
    return [
        round(float(v), 5) for v in (y, w.grad.abs().sum(), order.sum(), paddle.arange(10).sum())
    ]


def poison(byte):
    """Fills free small blocks of the allocator with a byte, so that results nobody wrote show."""
    held = []
    for log in range(6, 13):
        for size in (1 << log, 3 << (log - 1)):
            held += [paddle.full([size], byte, 'uint8') for _ in range(4)]


def tensors_in(value, depth=0):
    """The tensors of a result."""
    if isinstance(value, paddle.Tensor):
        return [value]
    if depth > 4:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if type(value) in (list, tuple) or isinstance(value, tuple):
        return [leaf for part in list(value)[:64] for leaf in tensors_in(part, depth + 1)]
    return []


def dtype_of(tensor):
    return str(tensor.dtype).split('.')[-1]


def arrays_of(tensors):
    """(dtype, NumPy array) of each, half types widened; None where there is no data."""
    made = []
    for tensor in tensors:
        if tensor is None or not tensor._is_initialized():
            made.append(None)
            continue
        name = dtype_of(tensor)
        tensor = tensor.detach()
        half = name in ('bfloat16', 'float16') or name.startswith('float8')
        made.append((name, (tensor.astype('float32') if half else tensor).numpy()))
    return made


SPREAD = {
    'float16': 2e-2,
    'bfloat16': 1e-1,
    'float32': 1e-4,
    'complex64': 1e-4,
    'float64': 1e-8,
    'complex128': 1e-8,
}


def compare(what, one, two, exact=False, least=0.0):
    """Difference unless two lists of arrays agree, for floats within the spread of the type, or the
    least one.
    """
    if len(one) != len(two):
        raise Difference(f'{what}: {len(one)} and {len(two)} tensors')
    for k, (first, second) in enumerate(zip(one, two)):
        if first is None or second is None:
            if first is not second:
                raise Difference(f'{what}: tensor {k} is there once')
            continue
        (name, a), (other, b) = first, second
        if a.shape != b.shape or name != other:
            raise Difference(f'{what}: tensor {k} is {a.shape} {name} and {b.shape} {other}')
        inexact = a.dtype.kind in 'fc'
        with np.errstate(all='ignore'):
            if np.array_equal(a, b, equal_nan=inexact):
                continue
            if inexact and not exact:
                spread = max(SPREAD.get(name, 1e-4), least)
                if np.allclose(
                    a,
                    b,
                    rtol=spread,
                    atol=spread
                    * max(1.0, float(np.nanmax(np.where(np.isfinite(a), np.abs(a), 0)))),
                    equal_nan=True,
                ):
                    continue
        raise (Inexact if inexact else Difference)(
            f'{what}: tensor {k} differs, {a.ravel()[:6]} and {b.ravel()[:6]}'
        )


def seed():
    """Every generator at its start."""
    random.seed(1)
    np.random.seed(1)
    paddle.seed(1)


def once(call, recipes, ways, contiguous=False, scaled=False):
    """(arrays of the results, arrays of the leaves' gradients) of one run."""
    seed()
    pairs = [r.make(contiguous, scaled) for r in recipes]
    leaves = [leaf for leaf, _ in pairs if not leaf.stop_gradient]
    got = call(*[tensor for _, tensor in pairs])
    results = tensors_in(got)
    if not ways:
        return [], []
    arrays = arrays_of(results)
    if 'g' in ways or 'G' in ways:
        loss = None
        for result in results:
            if result.stop_gradient or not dtype_of(result).startswith(
                ('float', 'bfloat', 'complex')
            ):
                continue
            if dtype_of(result).startswith('complex'):
                result = paddle.real(result) + paddle.imag(result)
            part = (result.astype('float64') * 0.5).sum()
            loss = part if loss is None else loss + part
        if loss is None or not leaves or loss.stop_gradient:
            return arrays, []
        if 'G' in ways:
            first = [
                g
                for g in paddle.grad(loss, leaves, create_graph=True, allow_unused=True)
                if g is not None
            ]
            second = [
                (paddle.real(g) if dtype_of(g).startswith('complex') else g).astype('float64').sum()
                for g in first
                if not g.stop_gradient
            ]
            if second:
                return arrays, arrays_of(first) + arrays_of(
                    paddle.grad(second, leaves, allow_unused=True)
                )
            return arrays, arrays_of(first)
        loss.backward()
        gradients = [
            leaf.grad.to_dense()
            if leaf.grad is not None and leaf.grad.is_selected_rows()
            else leaf.grad
            for leaf in leaves
        ]
        for leaf, gradient in zip(leaves, gradients):
            if gradient is not None and (gradient.dtype, gradient.shape) != (
                leaf.dtype,
                leaf.shape,
            ):
                raise Difference(
                    f'a gradient of {gradient.dtype} {gradient.shape} for a leaf of {leaf.dtype} '
                    f'{leaf.shape}'
                )
        return arrays, arrays_of(gradients)
    return arrays, []


def outcome(call, recipes, ways, contiguous=False, scaled=False):
    """once(), or the exception's type."""
    try:
        return once(call, recipes, ways, contiguous, scaled)
    except (Difference, MemoryError, RecursionError):
        raise
    except Exception as error:
        return type(error)


def agree(what, one, two, exact=False, least=0.0):
    """Difference unless both outcomes are the same kind of exception, or the same numbers."""
    if isinstance(one, type) or isinstance(two, type):
        if one is not two:
            raise Difference(f'{what}: {describe(one)} and {describe(two)}')
        return
    compare(what + ', results', one[0], two[0], exact, least)
    compare(what + ', gradients', one[1], two[1], exact, least)


def coarsest(recipes, plain):
    """The spread of the least precise tensor given or got, as fused groups keep float32 digits of
    half values (docs/design/cinn.md); at least the rounding of a float32, as recorded attributes
    have 32 bits, which PaddlePaddle's have too, and eager ones 64.
    """
    results = [] if isinstance(plain, type) else plain[0]
    names = [r.dtype for r in recipes] + [got[0] for got in results if got]
    return max([1e-7] + [SPREAD.get(name, 0.0) for name in names])


class Calculated:
    """Two ways of a calculation: no difference counts where other last digits of what was given
    make one as well.
    """

    def __init__(self, call, recipes, ways, plain):
        self.call, self.recipes, self.ways, self.plain = call, recipes, ways, plain

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not Inexact or isinstance(self.plain, type):
            return False
        try:
            agree(
                'scaled',
                self.plain,
                outcome(self.call, self.recipes, self.ways, scaled=True),
                least=coarsest(self.recipes, self.plain),
            )
        except Difference:
            return True
        return False


def describe(result):
    return result.__name__ if isinstance(result, type) else 'a result'


def feeds(recipes):
    """Each tensor of the recipes, contiguous and without history."""
    return [r.make()[1].detach().clone() for r in recipes]


def compiled(call, recipes):
    """Two calls under to_static, with gradients, against eager."""
    plain = outcome(call, recipes, 'g')
    recorded = paddle.jit.to_static(call)
    with Calculated(call, recipes, 'g', plain):
        for _ in range(2):
            agree(
                'to_static', plain, outcome(recorded, recipes, 'g'), least=coarsest(recipes, plain)
            )
    return plain


def static(call, recipes):
    """A static program of the call, run once, against eager."""
    plain = outcome(call, recipes, 'r')
    values = [v.astype('float32') if dtype_of(v) == 'bfloat16' else v for v in feeds(recipes)]
    main, start = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, start):
            seed()
            ends = [paddle.static.data(f'x{k}', r.shape, r.dtype) for k, r in enumerate(recipes)]
            results = tensors_in(call(*ends))
            exe = paddle.static.Executor()
            exe.run(start)
            got = (
                exe.run(
                    main,
                    feed={f'x{k}': v.numpy() for k, v in enumerate(values)},
                    fetch_list=results,
                )
                if results
                else []
            )
    except (MemoryError, RecursionError):
        raise
    except Exception:
        return plain  # recording refuses more than eager calls do
    finally:
        paddle.disable_static()
    if isinstance(plain, type) or any(
        r.layout in ('expanded', 'overlap') for r in recipes
    ):  # what is fed overlaps no more
        return plain
    if len(got) == len(plain[0]) and not any(
        dtype_of(r).startswith(('bfloat16', 'float16', 'float8')) for r in results
    ):
        with Calculated(call, recipes, 'r', plain):
            compare(
                'static',
                plain[0],
                [(dtype_of(r), np.asarray(g)) for r, g in zip(results, got)],
                least=coarsest(recipes, plain),
            )
    return plain


def check(call, *recipes, ways=''):
    """Runs call(*tensors). ways: g gradients, G with create_graph, p poisoned memory twice, l
    contiguous copies, s to_static, S static.
    """
    if 's' in ways:
        first = compiled(call, recipes)
    elif 'S' in ways:
        first = static(call, recipes)
    else:
        if 'p' in ways:
            poison(0)
        first = once(call, recipes, ways)
        if 'p' in ways:
            poison(255)
            agree('memory that held other values', first, outcome(call, recipes, ways), exact=True)
        if 'l' in ways:
            with Calculated(call, recipes, ways, first):
                agree('contiguous copies', first, outcome(call, recipes, ways, contiguous=True))
    if isinstance(first, type):
        raise ValueError(f'refused: {first.__name__}')
    return first
