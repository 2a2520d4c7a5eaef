# SPDX-License-Identifier: Apache-2.0
"""Cases of test_dy2static.py with objects, layers and the rest of the language."""

import contextlib
import functools

import paddle
from dy2static_cases import case


class Holder:
    def __init__(self, v):
        self.v, self.count, self.kept = v, 0, {}

    @property
    def double(self):
        if self.v[0] > 0:
            return self.v * 2
        return self.v

    def step(this, x, n=1):
        this.v = x
        if x[0] > 0:
            this.v = x + n
            this.kept['x'] = x
        else:
            this.kept['x'] = -x
        return this.v


@case()
def attributes(x):
    h = Holder(x)
    return h.step(x) + h.v, h.kept['x'], h.double


@case()
def attribute_in_loop(x):
    h = Holder(x)
    i = 0
    while i < x[0]:
        h.v = h.v + i
        i += 1
    return h.v


class Base(paddle.nn.Layer):
    def forward(self, x):
        if x[0] > 0:
            return x + 1
        return x


class Derived(Base):
    def forward(me, x):
        if x[1] > 0:
            x = super().forward(x)
        return x * 2 + me.__private(x)

    def __private(self, x):
        __y = x
        self.__z = x
        if x[0] > 0:
            __y = x * 2
            self.__z = __y + 1
        return __y + self.__z


@case()
def layers(x):
    return Derived()(x)


@case()
def sequential(x):
    return paddle.nn.Sequential(Base(), Derived(), paddle.nn.ReLU())(x)


@case()
def layer_hooks(x):
    layer = Base()
    layer.register_forward_post_hook(lambda layer, inputs, out: out * 3)
    return layer(x)


@case()
def closures(x):
    count = 0

    def add(y, by=2):
        nonlocal count
        count += 1
        if y[0] > 0:
            return y + by
        return y - by

    x = add(x)
    x = add(x, by=5)
    return x, count


@case()
def lambdas(x):
    choose = lambda v, *more: v + 1 if v[0] > 0 else v - 1  # noqa: E731
    return choose(x), (lambda v: v if v[1] > 0 else -v)(x)


@case()
def recursion(x):
    def power(v, n):
        if n == 0:
            return v
        return power(v + 1 if v[0] > 0 else v - 1, n - 1)

    return power(x, 3)


@case()
def recursion_by_name(x):
    return x if x.sum() > 4 or x.sum() < -4 else halves(x * 2, 2)


def halves(x, n):
    return x if n == 0 else halves(x + 1 if x[0] > 0 else x - 1, n - 1)


@case()
def functions_given_to_builtins(x):
    def longer(a, b):
        return a if a.abs() > b.abs() else b

    return paddle.stack(
        list(map(lambda v: v * 2 if v > 0 else v - 1, [x[0], x[1]]))
    ), functools.reduce(longer, [x[0], x[1], x[0] + 1])


def decorated(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) + 1

    return wrapper


@decorated
def absolute(x, scale=1):
    if x[0] < 0:
        x = -x
    return x * scale


@case()
def decorators(x):
    return absolute(x, scale=2)


@case()
def partials(x):
    return functools.partial(absolute, scale=3)(x)


counter = 0


@case()
def global_variable(x):
    global counter
    counter = 0
    for i in range(3):
        if i == 1:
            continue
        counter += 1
    return x + counter


@case()
def starred(x):
    def f(*args, **kwargs):
        if args[0][0] > 0:
            return args[0] + kwargs['b']
        return args[1]

    a, *rest = x, x + 1, x + 2
    return f(*[a, rest[0]], **{'b': 1}), f'{len(rest)}{"a" if len(rest) > 1 else "b"}'


@case()
def comprehensions(x):
    items = [x + i if i > 0 else x for i in range(3) if i != 1]
    return (
        [v * 2 if x[0] > 0 else v for v in items],
        {k: x for k in ('a', 'b')},
        sum(v for v in items),
    )


@case()
def walrus(x):
    if (n := len(x.shape)) > 0 and (y := x * 2)[0] > 0:
        return x + n
    return y


@case()
def with_and_try(x):
    with contextlib.suppress(KeyError), paddle.no_grad():
        if x[0] > 0:
            x = x + 1
        try:
            if x[1] > 0:
                x = x * 2
            {}['missing']
        except ValueError:
            x = x * 100
        else:
            x = x * 1000
        finally:
            x = x + 5
    return x


@case()
def try_return(x):
    try:
        if x[0] > 0:
            return x + 1
        y = x - 1
    finally:
        x = None
    return y


@case()
def deletes(x):
    y = x
    if y is not None:
        z = y + 1
        del y
    for i in range(2):
        y = z + i
        del z
        z = y
    return z


@case()
def asserts(x):
    assert x.shape[-1] == 2, 'two'
    assert isinstance(x, paddle.Tensor)
    return x


@case()
def augmented(x):
    y = x.clone()
    if x[0] > 0:
        y += 1
        y *= 2
    else:
        y -= 1
    return y


@case()
def builtin_functions(x):
    some, every = any([x[0] > 0, x[1] > 0]), all([x[0] > 0, x[1] > 0])
    return max(x[0], x[1]), min(x[0], 1.0), some, every, abs(x), max([1, 3]), sum([1, 2])


@case()
def membership(x):
    if x[0] in (3.0, 4.0):
        return x + 1
    if 'a' not in {'a': 1}:
        return x
    return x - 1


@case()
def generator(x):
    def numbers():
        yield x
        if x is not None:
            yield x + 1

    return sum(numbers())


@case()
def is_none(x, y=None):
    if y is None:
        y = x
    if y is not None and x is not None:
        return y + 1
    return x


@case(([[1.0, 2.0], [3.0, 4.0]],), ([[1.0, 2.0]],))
def matrix_rows(m):
    s = m[0]
    for row in m:
        if row.sum() > 4:
            s = s + row
        else:
            s = s - row
    return s


@case(([3.0, 2.0], [1.0, 1.0]), ([-3.0, 2.0], [1.0, 5.0]))
def two_inputs(x, y):
    if x.sum() > y.sum():
        x, y = y, x
    while x.sum() < y.sum():
        x = x + 1
    return x, y
