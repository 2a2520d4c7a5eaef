# SPDX-License-Identifier: Apache-2.0
"""Functions whose control flow is converted, with inputs that take all their ways (test_dy2static.py)."""
import contextlib
import functools

import paddle

CASES = []
A, B, C = [3., 2.], [-3., 2.], [0.5, -1.]


def case(*inputs, dynamic=True):
    """Register a function of one float32 vector, or more in a tuple; `dynamic` tells whether free extents are tried too."""
    def register(fn):
        CASES.append((fn, inputs or (A, B, C), dynamic))
        return fn
    return register


@case()
def if_else(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    return y


@case()
def if_alone(x):
    if x[0] > 0:
        x = x * 2
    return x


@case()
def elif_chain(x):
    if x[0] > 1:
        y = x + 1
    elif x[0] > 0:
        y = x + 2
    elif x[1] > 0:
        y = x + 3
    else:
        y = x + 4
    return y


@case()
def nested_if(x):
    y = x
    if x[0] > 0:
        z = x * 3
        if x[1] > 0:
            y = z + 1
        else:
            y = z - y
    else:
        if x[1] > 5:
            y = x
    return y + 1


@case()
def early_return(x):
    if x[0] > 0:
        return x + 1
    y = x * 2
    return y


@case()
def early_return_twice(x):
    if x[0] > 1:
        return x + 1
    if x[0] > 0:
        return x + 2
    return x + 3


@case()
def nested_return(x):
    if x[0] > 0:
        if x[1] > 0:
            return x * 10
        y = x + 1
    else:
        y = x - 1
    y = y * 2
    return y


@case()
def two_partial_returns(x):
    if x[0] > 0:
        if x[1] > 0:
            return x * 10, x
        y = x + 1
    else:
        if x[1] > 100:
            return x, x
        y = x - 1
    return y * 2, y


@case()
def return_tuple(x):
    if x[0] > 0:
        return x, {'a': x + 1}
    return x * 2, {'a': x}


@case()
def return_numbers(x):
    if x[0] > 0:
        return 1
    return 2


@case()
def numbers_differ(x):
    y = 3
    if x[0] > 0:
        y = 4
    return x * y


@case()
def number_beside_tensor(x):
    loss = 0.
    if x[0] > 0:
        loss = x.sum()
    return loss + x


@case()
def same_number(x):
    if x[0] > 0:
        n = 2
    else:
        n = 2
    return [x] * n


@case()
def unused_temporary(x):
    if x[0] > 0:
        text, y = 'positive', x
    else:
        text, y = None, -x
    return y


@case(A)
def defined_in_one_branch(x):
    if x[0] > 0:
        y = x + 1
    return y


@case()
def dictionary(x):
    d = {'a': x, 'b': [x, 1]}
    if x[0] > 0:
        d['a'] = x + 1
        d['b'][1] = 5
    else:
        d['c'] = 3
        del d['c']
    return d


@case()
def list_changes(x):
    items = [x, x]
    if x[0] > 0:
        items[0] = x * 2
        items.append(x)
    else:
        items.append(x + 1)
    return items


@case()
def list_in_python_loop(x):
    items = []
    for i in range(3):
        if x[0] > i:
            items.append(x + i)
        else:
            items.append(x - i)
    return paddle.stack(items), items.pop()


@case()
def ternary(x):
    return x + 1 if x[0] > 0 else x - 1


@case()
def ternary_nested(x):
    return (x + 1 if x[1] > 0 else x + 2) if x[0] > 0 else x - 1


@case()
def and_or_not(x):
    if x[0] > 0 and x[1] > 0:
        x = x + 1
    if x[0] > 100 or not x[1] > 0:
        x = x - 1
    if not (x[0] > 0 and (x[1] > 1 or x[1] < 0)):
        x = x * 3
    return x


@case()
def python_values(x, flag=None, items=()):
    a = flag or 'default'
    b = items and items[0]
    c = flag is None and len(items) == 0 and x.shape[-1] == 2
    d = not items
    return a, b, c, d, x


@case()
def chained_comparison(x):
    if 0 < x[0] < 2:
        return x
    return -x


@case()
def while_simple(x):
    i, n = 0, x[0]
    while i < n:
        x = x + i
        i += 1
    return x


@case()
def while_number_result(x):
    i = 0
    while i < x[0]:
        i += 1
    return i


@case()
def while_float(x):
    s = 0.
    while s < x[0]:
        s += 1.25
    return s


@case()
def while_accumulates(x):
    total, i = 0., 0
    while i < x[0]:
        total = total + x.sum()
        i = i + 1
    return total * x


@case()
def while_break(x):
    i = 0
    while i < 10:
        if i > x[0]:
            break
        x = x + 1.5
        i += 1
        if i > 5:
            break
    return x, i


@case()
def while_true(x):
    while True:
        x = x + 1
        if x.sum() > 4:
            break
    return x


@case()
def while_continue(x):
    i, s = 0, x
    while i < x[0] + 4:
        i += 1
        if i == 2:
            continue
        if s[0] > 3:
            continue
        s = s + i
    return s


@case()
def while_else(x):
    i = 0
    while i < x[0]:
        i += 1
        if i > x[1]:
            break
    else:
        x = x * 100
    return x


@case()
def while_return(x):
    i = 0
    while i < x[0]:
        if x[1] < i + 1:
            return x + i
        i += 1
    return x - 1


@case()
def while_nested(x):
    i, s = 0, x
    while i < x[0]:
        j = 0
        while j < i + x[1]:
            s = s + j
            j += 1
            if s.sum() > 20:
                break
        i += 1
    return s


@case()
def while_temporary(x):
    i, n = 0, x[0] + 1
    while i < n:
        t = x * i
        if t.sum() > 2:
            u = t + 1
        else:
            u = t - 1
        x = x + u.mean()
        i += 1
    return x


@case(A)
def while_defines(x):
    i = 0
    while i < x[0]:
        r = x + i
        i += 1
    return r


@case()
def while_changes_dtype(x):
    i, n = 10, 0
    while i > x[0] + 4:
        i = i / 2
        n = n + 1
    return i, n


@case()
def while_keeps_int32(x):
    i, s = 0, x.astype('int32')
    while i < x[0]:
        s = s + i
        i += 1
    return s


@case(A, dynamic=False)
def while_grows(x):
    y, i = x, 0
    while i < x[0]:
        y = paddle.concat([y, x])
        i += 1
    return y


@case()
def for_range(x):
    for i in range(3):
        x = x + i
    return x, i


@case()
def for_range_tensor(x):
    s = x
    for i in range(int(x[0])):
        s = s + i
    return s


@case()
def for_range_step(x):
    s = x
    n = paddle.cast(x[0], 'int64')
    for i in range(7, n, -2):
        s = s + i
    for j in range(n, 5, 3):
        s = s * 2 + j
    return s


@case(A)
def for_range_last(x):
    for i in range(int(x[0])):
        x = x * 1
    return i


@case()
def for_tensor(x):
    s = 0.
    for v in x:
        s = s + v * v
    return s


@case()
def for_tensor_break(x):
    s = x.sum()
    for v in x:
        if v < 0:
            break
        s = s + v
    return s


@case()
def for_enumerate(x):
    s = x.sum()
    for i, v in enumerate(x):
        s = s + v * i
    return s


@case()
def for_enumerate_start(x):
    s = x.sum()
    for i, v in enumerate(x, 5):
        s = s + v * i
    return s


@case()
def for_zip(x):
    s = x.sum()
    for a, b in zip(x, x + 1):
        s = s + a * b
    return s


@case()
def for_zip_list(x):
    s = x.sum()
    for a, (i, b) in zip([1, 2, 3], enumerate(x)):
        s = s + a * b + i
    return s


@case()
def for_list(x):
    for v, w in [(x, 1), (x + 1, 2)]:
        x = x + v * w
    return x


@case()
def for_dict(x):
    s = x
    for k, v in {'a': x, 'b': x + 1}.items():
        if k == 'b':
            continue
        s = s + v
    return s


@case()
def for_break_python(x):
    for i in range(10):
        if i > 3:
            break
        x = x + i
    return x, i


@case()
def for_break_tensor(x):
    for i in range(6):
        if i > x[0]:
            break
        x = x + 1
    return x


@case()
def for_return(x):
    for i in range(3):
        if x[0] > i:
            return x + i
    return x - 1


@case()
def for_return_nested(x):
    for i in range(2):
        for j in range(2):
            if x[0] + j > i + 1:
                return x * i + j
        x = x + 1
    return x


@case()
def for_else(x):
    for i in range(3):
        if x[0] > i + 1:
            break
    else:
        x = x * 50
    return x


@case()
def for_continue(x):
    s = x
    for i in range(int(x[0]) + 2):
        if i == 1:
            continue
        s = s + i
    return s


@case()
def shape_in_condition(x):
    if x.shape[0] > 1:
        return x + 1
    return x - 1


@case()
def shape_in_range(x):
    s = x
    for i in range(x.shape[0]):
        s = s + i
    return s


@case()
def shape_reshape(x):
    n = x.shape[0]
    return paddle.reshape(x, [n, 1]) + x.reshape([1, n])


@case()
def length(x):
    s = x
    if len(x) == 2:
        s = s + len(x)
    return s


@case()
def casts(x):
    return int(x[0]) + 1, float(x[1]) * 2, bool(x[0])


@case()
def assigns_item(x):
    y = x + 0
    if x[0] > 0:
        y[0] = 7.
    return y


@case()
def assigns_item_in_loop(x):
    y = x + 0
    i = 0
    while i < x[0]:
        y[1] = y[1] + i
        i += 1
    return y


@case(A, [2., 5.], dynamic=False)
def list_grows(x):
    items, i = [], 0
    while i < x[0]:
        items.append(x * i)
        i += 1
    return paddle.stack(items), paddle.concat(items), items[0] + items[-1], len(items)


@case(A, C)
def list_grows_until_break(x):
    items = [x]
    for i in range(4):
        items.append(x * i)
        if i > x[0]:
            break
        if i > x[1]:
            items.append(x + i)
    return paddle.stack(items, -1)


@case(A, C, dynamic=False)
def list_grows_sometimes(x):
    items = [x]
    for i in range(int(x[0]) + 2):
        if i > x[1]:
            items.append(x + i)
        elif i == 0:
            items.append(x)
    s = items.pop()
    for v in items:
        s = s + v
    return s, paddle.stack(items, axis=1)


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
    return [v * 2 if x[0] > 0 else v for v in items], {k: x for k in ('a', 'b')}, sum(v for v in items)


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
    return max(x[0], x[1]), min(x[0], 1.), any([x[0] > 0, x[1] > 0]), all([x[0] > 0, x[1] > 0]), abs(x), max([1, 3]), sum([1, 2])


@case()
def membership(x):
    if x[0] in (3., 4.):
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


@case(([[1., 2.], [3., 4.]],), ([[1., 2.]],))
def matrix_rows(m):
    s = m[0]
    for row in m:
        if row.sum() > 4:
            s = s + row
        else:
            s = s - row
    return s


@case(([3., 2.], [1., 1.]), ([-3., 2.], [1., 5.]))
def two_inputs(x, y):
    if x.sum() > y.sum():
        x, y = y, x
    while x.sum() < y.sum():
        x = x + 1
    return x, y
