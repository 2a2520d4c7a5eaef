# SPDX-License-Identifier: Apache-2.0
"""Cases of test_dy2static.py with loops."""

import paddle
from dy2static_cases import A, C, case


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
    s = 0.0
    while s < x[0]:
        s += 1.25
    return s


@case()
def while_accumulates(x):
    total, i = 0.0, 0
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
    s = 0.0
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


@case(A, [2.0, 5.0], dynamic=False)
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
