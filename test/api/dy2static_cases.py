# SPDX-License-Identifier: Apache-2.0
"""Functions whose control flow is converted, with inputs that take all their ways
(test_dy2static.py).
"""

import paddle

CASES = []
A, B, C = [3.0, 2.0], [-3.0, 2.0], [0.5, -1.0]


def case(*inputs, dynamic=True):
    """Register a function of one float32 vector, or more in a tuple; `dynamic` tells whether free
    extents are tried too.
    """

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
    loss = 0.0
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
        y[0] = 7.0
    return y


@case()
def assigns_item_in_loop(x):
    y = x + 0
    i = 0
    while i < x[0]:
        y[1] = y[1] + i
        i += 1
    return y
