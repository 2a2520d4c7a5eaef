# SPDX-License-Identifier: Apache-2.0
"""Operations on labels, boxes and steps of sequences, under the names, arguments and results of the
operations that programs call; none has a public function.
"""

import functools

import numpy as np

import paddle
from paddle.base.libpaddle import pir


def _on_host(count, results):
    """Of an operation that reads its `count` tensors as arrays: in programs it is a call of this
    process. `results` tells the shapes and dtypes of its results from the tensors.
    """

    def enter(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            names = function.__code__.co_varnames[:count]
            named = dict(zip(names, args), **{k: kwargs.pop(k) for k in names if k in kwargs})
            tensors = {k: v for k, v in named.items() if v is not None}
            rest = args[count:]
            if not any(isinstance(v, pir.Value) for v in tensors.values()):
                return function(**tensors, **_named(function, count, rest), **kwargs)
            from paddle.static import callbacks, default_main_program
            from paddle.static.block import OutputVar

            places = [
                OutputVar(default_main_program(), None, shape, dtype)
                for shape, dtype in results(*tensors.values())
            ]
            more = {**_named(function, count, rest), **kwargs}
            callbacks.py_func(
                lambda *given: list(function(**dict(zip(tensors, given)), **more)),
                list(tensors.values()),
                places,
            )
            return tuple(place.value for place in places)

        return call

    return enter


def _named(function, count, rest):
    return dict(zip(function.__code__.co_varnames[count : function.__code__.co_argcount], rest))


def add_position_encoding(x, alpha=1.0, beta=1.0):
    """alpha x + beta times sines and cosines of the places of the rows: the first half of the last
    axis has the sines, wavelengths rise from 2 pi to 10000 times that.
    """
    if x.ndim != 3 or x.shape[2] % 2:
        raise ValueError(
            f'[add_position_encoding] expected x [N, T, D] with an even D, got {list(x.shape)}'
        )
    _, rows, width = x.shape
    rows = rows if rows >= 0 else paddle.shape(x)[1]
    half = width // 2
    place = paddle.arange(rows, dtype='float32').unsqueeze(1)
    steps = max(half - 1, 1)
    power = paddle.arange(half, dtype='float32') / steps if half > 1 else paddle.ones([1])
    angle = place / paddle.pow(paddle.full([], 10000.0), power)
    waves = paddle.concat([paddle.sin(angle), paddle.cos(angle)], 1).astype(x.dtype)
    return x * alpha + waves * beta


@_on_host(1, lambda far: [([1, far.shape[1]], 'int32'), ([1, far.shape[1]], far.dtype)])
def bipartite_match(dist_mat, match_type='bipartite', dist_threshold=0.5):
    """(the row that each column is matched with or -1, int32 [1, columns], their distances): pairs
    of the largest distances first, each row and column once. `per_prediction` then gives columns
    left over the row of their largest distance, where that is dist_threshold or more.
    """
    far = dist_mat.numpy().copy()
    rows, columns = far.shape
    match, distance = np.full(columns, -1, 'int32'), np.zeros(columns, far.dtype)
    left = far.copy()
    for _ in range(min(rows, columns)):
        row, column = divmod(int(left.argmax()), columns)
        if left[row, column] < 1e-6:
            break
        match[column], distance[column] = row, far[row, column]
        left[row], left[:, column] = -1, -1
    if match_type == 'per_prediction' and rows:
        best = far.argmax(0)
        for column in np.flatnonzero(match == -1):
            value = far[best[column], column]
            if value >= 1e-6 and value >= dist_threshold:
                match[column], distance[column] = best[column], value
    return paddle.to_tensor(match[None]), paddle.to_tensor(distance[None])


_SCHEMES = {
    'IOB': {'begin': 0, 'inside': 1},
    'IOE': {'inside': 0, 'end': 1},
    'IOBES': {'begin': 0, 'inside': 1, 'end': 2, 'single': 3},
    'plain': {},
}


def _chunks(labels, kinds, scheme, excluded):
    """{(begin, end, kind)} of a sequence of labels."""
    tags = _SCHEMES[scheme]
    count = max(len(tags), 1)
    found, begin, previous = set(), None, (None, kinds)

    def tag(value):
        part, kind = value % count, value // count
        name = next((n for n, k in tags.items() if k == part), 'plain')
        return name, kind

    def ends(before, after):
        (name, kind), (following, next_kind) = before, after
        if kind == kinds:
            return False
        if next_kind == kinds or kind != next_kind:
            return True
        if name in ('end', 'single'):
            return True
        return name in ('begin', 'inside') and following in ('begin', 'single')

    def begins(before, after):
        (name, kind), (following, next_kind) = before, after
        if next_kind == kinds:
            return False
        if kind == kinds or kind != next_kind:
            return True
        if following in ('begin', 'single'):
            return True
        return following in ('inside', 'end') and name in ('end', 'single')

    for at, value in enumerate(labels):
        now = tag(int(value))
        now = (now[0], min(now[1], kinds))
        if begin is not None and ends(previous, now):
            found.add((begin, at - 1, previous[1]))
            begin = None
        if begins(previous, now):
            begin = at
        previous = now
    if begin is not None:
        found.add((begin, len(labels) - 1, previous[1]))
    return {c for c in found if c[2] not in excluded}


def _rows_of_labels(labels, lengths):
    """Labels [N, T] or [N, T, 1] as rows; without lengths, [N, 1] or [N] as one row."""
    rows = labels.numpy()
    rows = rows.reshape(rows.shape[:2]) if rows.ndim > 1 else rows[None]
    return rows.T if lengths is None and rows.shape[1] == 1 else rows


@_on_host(3, lambda *_: [([1], 'float32')] * 3 + [([1], 'int64')] * 3)
def chunk_eval(
    inference,
    label,
    seq_length=None,
    num_chunk_types=1,
    chunk_scheme='IOB',
    excluded_chunk_types=(),
):
    """(precision, recall, F1, chunks inferred, chunks labelled, chunks both agree on) of rows of
    labels; a label is kind * tags + tag of the scheme IOB, IOE, IOBES or plain.
    """
    if chunk_scheme not in _SCHEMES:
        raise ValueError(
            f"[chunk_eval] expected chunk_scheme {', '.join(_SCHEMES)}, got {chunk_scheme!r}"
        )
    guessed, given = (_rows_of_labels(t, seq_length) for t in (inference, label))
    lengths = [guessed.shape[1]] * len(guessed) if seq_length is None else seq_length.tolist()
    counts = np.zeros(3, 'int64')
    for a, b, n in zip(guessed, given, np.ravel(lengths)):
        one, other = (
            _chunks(row[: int(n)], num_chunk_types, chunk_scheme, set(excluded_chunk_types))
            for row in (a, b)
        )
        counts += [len(one), len(other), len(one & other)]
    precision, recall = (counts[2] / n if n else 0.0 for n in counts[:2])
    f1 = 2 * precision * recall / (precision + recall) if counts[2] else 0.0
    return (
        *(paddle.to_tensor([v], dtype='float32') for v in (precision, recall, f1)),
        *(paddle.to_tensor([int(v)], dtype='int64') for v in counts),
    )


def crf_decoding(emission, transition, label=None, length=None):
    """The likeliest labels, int64 [rows, steps], of scores emission [rows, steps, labels] padded
    behind `length`; transition holds the scores to begin with a label, to end with one, and of each
    pair. With `label`: 1 where it agrees.
    """
    flat = emission.ndim == 2
    if flat:
        emission, length = emission.unsqueeze(0), None
    scores, steps = emission, emission.shape[1]
    begin, end, pairs = transition[0], transition[1], transition[2:]
    rows = scores.shape[0]
    if steps < 0:
        raise ValueError(
            '[crf_decoding] expected emission with a known number of steps in a program, got shape '
            f'{list(emission.shape)}'
        )
    if steps == 0:
        return paddle.zeros([0, 1] if flat else [rows, 0], 'int64')
    lengths = (
        paddle.full([rows], steps, 'int64')
        if length is None
        else length.reshape([-1]).astype('int64')
    )
    best, back = scores[:, 0] + begin, []
    for k in range(1, steps):
        through = best.unsqueeze(2) + pairs.unsqueeze(0)
        after = through.max(1) + scores[:, k]
        inside = (lengths > k).unsqueeze(1)
        back.append(paddle.where(inside, through.argmax(1), paddle.full_like(inside, -1, 'int64')))
        best = paddle.where(inside, after, best)
    now = (best + end).argmax(1)
    path = [now]
    for k in range(steps - 2, -1, -1):
        came = paddle.take_along_axis(back[k], now.unsqueeze(1), 1).squeeze(1)
        now = paddle.where(came >= 0, came, now)
        path.append(now)
    path = paddle.stack(path[::-1], 1)
    inside = paddle.arange(steps).unsqueeze(0) < lengths.unsqueeze(1)
    path = paddle.where(inside, path, paddle.zeros_like(path))
    if label is not None:
        agrees = (path == label.reshape(path.shape)).astype('int64')
        path = paddle.where(inside, agrees, paddle.zeros_like(path))
    return path.reshape([-1, 1]) if flat else path


@_on_host(2, lambda x, *_: [(x.shape, x.dtype), ([x.shape[0], 1], x.dtype)])
def ctc_align(input, input_length=None, blank=0, merge_repeated=True, padding_value=0):
    """(rows without blanks, repeated labels once, padded behind; how many labels each has)."""
    rows, lengths = input.numpy(), None if input_length is None else input_length.numpy().ravel()
    out, counts = np.full_like(rows, padding_value), []
    for k, row in enumerate(rows):
        row = row if lengths is None else row[: lengths[k]]
        kept = [
            v
            for j, v in enumerate(row)
            if v != blank and not (merge_repeated and j and row[j - 1] == v)
        ]
        out[k, : len(kept)] = kept
        counts.append([len(kept)])
    made = np.asarray(counts, rows.dtype).reshape([-1, 1])
    return paddle.to_tensor(out), paddle.to_tensor(made)


def cvm(x, cvm, use_cvm=True):
    """x with logarithms of its first two columns, shows and clicks; without them where use_cvm is
    False.
    """
    if not use_cvm:
        return x[:, 2:]
    shows = paddle.log(x[:, :1] + 1)
    return paddle.concat([shows, paddle.log(x[:, 1:2] + 1) - shows, x[:, 2:]], 1)


@_on_host(4, lambda x, *_: [([1], 'int64'), ([x.shape[0], 1], 'float32')])
def edit_distance(hyps, refs, hypslength=None, refslength=None, normalized=False):
    """(how many sequences there are [1], the distances of Levenshtein [n, 1], over the length of
    the reference where `normalized`).
    """

    def sequences(values, lengths):
        rows = values.numpy()
        ends = [rows.shape[1]] * len(rows) if lengths is None else lengths.numpy().ravel()
        return [row[:n] for row, n in zip(rows, ends)]

    out = []
    for a, b in zip(sequences(hyps, hypslength), sequences(refs, refslength)):
        row = np.arange(len(b) + 1)
        for i, v in enumerate(a, 1):
            last, row = row, np.full(len(b) + 1, i)
            for j, w in enumerate(b, 1):
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (v != w))
        if normalized and not len(b):
            raise ValueError('[edit_distance] expected references with labels, got an empty one')
        out.append([row[-1] / len(b) if normalized else row[-1]])
    count = paddle.to_tensor([len(out)], dtype='int64')
    return count, paddle.to_tensor(np.asarray(out, 'float32').reshape([-1, 1]))


_BY_NUMBER = ('identity', 'sigmoid', 'tanh', 'relu')


def _activation(which):
    known = range(len(_BY_NUMBER)) if isinstance(which, int) else _BY_NUMBER
    if which not in known:
        raise ValueError(
            f"[activation] expected one of {', '.join(_BY_NUMBER)}, or its number, got {which!r}"
        )
    name = _BY_NUMBER[which] if isinstance(which, int) else which
    if name == 'identity':
        return lambda x: x
    return getattr(paddle.nn.functional, name)


def gru_unit(
    input, hidden_prev, weight, bias=None, activation=2, gate_activation=1, origin_mode=False
):
    """The last result of `gru_unit_whole`."""
    return gru_unit_whole(
        input, hidden_prev, weight, bias, activation, gate_activation, origin_mode
    )[2]


def gru_unit_whole(
    input, hidden_prev, weight, bias=None, activation=2, gate_activation=1, origin_mode=False
):
    """(gates, hidden states that were reset, hidden states) of a step; activations are numbers of
    identity, sigmoid, tanh and relu.
    """
    size = hidden_prev.shape[1]
    x = input if bias is None else input + bias
    gate, act = _activation(gate_activation), _activation(activation)
    # The weight of the candidate lies behind that of the gates, as a matrix of its own.
    flat = weight.reshape([-1])[2 * size * size :].reshape([size, size])
    first = weight.reshape([-1])[: 2 * size * size].reshape([size, 2 * size])
    both = gate(x[:, : 2 * size] + hidden_prev @ first)
    update, reset = both[:, :size], both[:, size:]
    kept = reset * hidden_prev
    candidate = act(x[:, 2 * size :] + kept @ flat)
    hidden = (
        update * hidden_prev + (1 - update) * candidate
        if origin_mode
        else update * candidate + (1 - update) * hidden_prev
    )
    return paddle.concat([update, reset, candidate], 1), kept, hidden


def im2sequence(
    x, y=None, kernels=(1, 1), strides=(1, 1), paddings=(0, 0, 0, 0), out_stride=(1, 1)
):
    """The windows of images x [N, C, H, W] as rows [windows, C * height * width], those of an image
    behind one another.
    """
    if y is not None:
        raise NotImplementedError('[im2sequence] expected images of one size, got their sizes')
    columns = paddle.nn.functional.unfold(
        x, list(kernels), list(strides), [paddings[0], paddings[1], paddings[2], paddings[3]]
    )
    return columns.transpose([0, 2, 1]).reshape([-1, columns.shape[1]])


def tdm_child(x, tree_info, child_nums, dtype='int32'):
    """(children of the nodes x in a tree, which of them are leaves): a row of tree_info is item,
    layer, ancestor, children; 0 is no node.
    """
    flat = paddle.gather(tree_info, x.reshape([-1]))
    has = (x.reshape([-1]) != 0) & (flat[:, 3] != 0)
    children = flat[:, 3 : 3 + child_nums] * has.unsqueeze(1).astype(flat.dtype)
    items = paddle.gather(tree_info[:, 0], children.reshape([-1])).reshape(children.shape)
    leaf = (items != 0) & has.unsqueeze(1)
    shape = [*x.shape, child_nums]
    return children.reshape(shape).astype(dtype), leaf.reshape(shape).astype(dtype)
