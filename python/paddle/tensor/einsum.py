# SPDX-License-Identifier: Apache-2.0
"""einsum: sums of products given by an equation, as transposes, reductions and matrix products."""

import paddle
from paddle import _C_ops
from paddle.base.libpaddle import expect_tensors

__all__ = ['einsum']


def _parse(equation, operands):
    equation = equation.replace(' ', '')
    left, arrow, right = equation.partition('->')
    terms = left.split(',')
    if len(terms) != len(operands):
        raise AssertionError(
            f"[einsum] expected labels of {len(operands)} operands, got {len(terms)} in "
            f"{equation!r}"
        )
    broadcast = 0
    for term, x in zip(terms, operands):
        named = len(term.replace('...', ''))
        if '...' in term:
            broadcast = max(broadcast, x.ndim - named)
        elif named != x.ndim:
            raise AssertionError(
                f"[einsum] expected labels of {x.ndim} axes, got {named} in {term!r}"
            )
    dots = [f'.{i}' for i in range(broadcast)]

    def labels(term, ndim=None):
        head, found, tail = term.partition('...')
        count = broadcast if ndim is None else ndim - len(head) - len(tail)
        return [*head, *(dots[broadcast - count :] if found else []), *tail]

    inputs = [labels(term, x.ndim) for term, x in zip(terms, operands)]
    if arrow:
        output = labels(right)
    else:
        seen = [label for term in inputs for label in term if len(label) == 1]
        output = dots + sorted(label for label in set(seen) if seen.count(label) == 1)
    for label in output:
        if not any(label in term for term in inputs):
            raise ValueError(
                f"[einsum] expected labels of the operands in the output, got {label!r}"
            )
    if len(set(output)) != len(output):
        raise AssertionError(f"[einsum] expected each label of the output once, got {right!r}")
    return inputs, output


def _diagonals(x, labels):
    """Repeated labels of one operand become its diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            a = labels.index(label)
            b = labels.index(label, a + 1)
            shape, pair = list(x.shape), (x.shape[a], x.shape[b])
            if 1 in pair and -1 not in shape:
                shape[a] = shape[b] = max(pair)
                x = paddle.expand(x, shape)
            elif pair[0] != pair[1] and -1 not in pair:
                raise ValueError(
                    f"[einsum] expected one extent for label {label!r}, got shape {list(x.shape)}"
                )
            x = paddle.diagonal(x, 0, a, b)
            labels = [name for i, name in enumerate(labels) if i not in (a, b)] + [label]
    return x, labels


def _arrange(x, labels, order):
    """`x` with its axes in `order`, labels it lacks as axes of 1."""
    perm = [labels.index(label) for label in order if label in labels]
    if perm != list(range(len(perm))):
        x = _C_ops.transpose(x, perm)
    missing = [i for i, label in enumerate(order) if label not in labels]
    return _C_ops.unsqueeze(x, missing) if missing else x


def _sum_out(x, labels, keep):
    gone = [i for i, label in enumerate(labels) if label not in keep]
    if gone:
        x = paddle.sum(x, gone)
        labels = [label for label in labels if label in keep]
    return x, labels


def _pair(x, lx, y, ly, keep):
    """Two operands contracted over the labels nobody else needs."""
    x, lx = _sum_out(x, lx, set(ly) | keep)
    y, ly = _sum_out(y, ly, set(lx) | keep)
    size = {}
    for labels, t in ((lx, x), (ly, y)):
        for label, n in zip(labels, t.shape):
            old = size.get(label, 1)
            if old != n and min(n, old) >= 0 and 1 not in (n, old):
                raise ValueError(f'[einsum] expected one extent for {label!r}, got {old} and {n}')
            size[label] = n if old == 1 else old
    batch = [label for label in lx if label in ly and label in keep]
    inner = [label for label in lx if label in ly and label not in keep]
    only_x = [label for label in lx if label not in ly]
    only_y = [label for label in ly if label not in lx]
    order = batch + only_x + only_y
    if not inner:
        return _arrange(x, lx, order) * _arrange(y, ly, order), order
    if -1 in size.values():
        # Extents that are not known: nothing can be flattened.
        if len(only_x) <= 1 and len(only_y) <= 1 and len(inner) == 1:
            rows, columns = only_x or ['row'], only_y or ['column']
            product = paddle.matmul(
                _arrange(x, lx, batch + rows + inner), _arrange(y, ly, batch + inner + columns)
            )
            gone = [len(batch) + i for i, named in enumerate((only_x, only_y)) if not named]
            return (_C_ops.squeeze(product, gone) if gone else product), order
        both = order + inner
        product = _arrange(x, lx, both) * _arrange(y, ly, both)
        return paddle.sum(product, list(range(len(order), len(both)))), order

    def count(labels):
        n = 1
        for label in labels:
            n *= size[label]
        return n

    def matrix(t, labels, rows, columns):
        t = _arrange(t, labels, batch + rows + columns)
        whole = [size[label] for label in batch + rows + columns]
        if list(t.shape) != whole:
            t = _C_ops.expand(t, whole)
        return t.reshape([size[label] for label in batch] + [count(rows), count(columns)])

    product = paddle.matmul(matrix(x, lx, only_x, inner), matrix(y, ly, inner, only_y))
    return product.reshape([size[label] for label in order]), order


def einsum(equation, *operands):
    """The sum of products that `equation` ('ij,jk->ik') describes; `...` stands for axes that
    broadcast.

    Args:
        equation (str): The letters of the axes of each operand, and of the result.
        *operands (Tensor): The tensors, or one list of them.

    Returns:
        Tensor: The sums.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.einsum('ij,jk->ik', x, x).tolist()
        [[7.0, 10.0], [15.0, 22.0]]
        >>> paddle.einsum('ii->', x).item()
        5.0
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise AssertionError("[einsum] expected at least one operand, got none")
    for x in operands:
        expect_tensors('einsum', operands=x)
    inputs, output = _parse(equation, operands)
    terms = [_diagonals(x, labels) for x, labels in zip(operands, inputs)]
    x, lx = terms[0]
    for i, (y, ly) in enumerate(terms[1:], 1):
        keep = set(output).union(*[labels for _, labels in terms[i + 1 :]])
        x, lx = _pair(x, lx, y, ly, keep)
    x, lx = _sum_out(x, lx, set(output))
    result = _arrange(x, lx, output)
    if len(operands) > 1:
        return result
    return paddle.assign(result) if result is operands[0] else result._apart(operands[0])
