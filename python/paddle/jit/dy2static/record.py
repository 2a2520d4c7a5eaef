# SPDX-License-Identifier: Apache-2.0
"""Branches and loops whose course depends on recorded tensors, as pd_op.if and pd_op.while."""

import threading

import paddle
from paddle.base import libpaddle as _core
from paddle.jit.dy2static import merge, truth
from paddle.jit.dy2static.arrays import TensorList

_pir = _core.pir


class _Again(Exception):
    """The region has to be recorded once more, with what is known now about the values that leave
    it.
    """


class _Grow(Exception):
    """Lists have become longer in a region; says which and what they hold."""


class _Loops(threading.local):
    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *exc):
        self.depth -= 1


in_loop = _Loops()


def _as_tensor_lists(state, grown):
    """The state with lists that grow as TensorList."""
    for k, dtype, shape in grown.args[0]:
        place = state.places[k]
        place.set(TensorList.of(place.get(), dtype, shape))
    return merge.State(state.places)


def _check_growth(state, first, second):
    grown = [
        g
        for g in merge.growth(first, second)
        if type(state.tree[g[0]].object) is list
        and not isinstance(state.places[g[0]], merge.ContainerPlace)
    ]
    if grown:
        raise _Grow(grown)


def cells(*functions):
    """The variables that local functions share with the function around them: name -> cell."""
    return {
        n: c
        for f in functions
        if f is not None
        for n, c in zip(f.__code__.co_freevars, f.__closure__ or ())
    }


def _state(names, objects, functions):
    shared, readers, places = cells(*functions), {}, []
    for first, second in objects:
        if isinstance(first, str):
            readers[first] = second
        else:
            places.append(merge.AttributePlace(first(), second))
    for name in names:
        if name in shared:
            places.append(merge.CellPlace(name, shared[name]))
        elif name in readers:
            try:
                value = readers[name]()
            except NameError:
                continue
            if isinstance(value, (list, dict)):
                places.append(merge.ContainerPlace(name, value))
        else:
            places.append(merge.GlobalPlace(name, functions[0].__globals__))
    return merge.State(places)


def branch(test, yes, no, names, objects, returns=False, owners=None):
    """Record both branches; the places hold merged values afterwards. Returns the merged result
    with `returns`.

    Within loops lists may become longer in one branch.
    """
    state = _state(names, objects, owners or (yes, no))
    labels = [p.name for p in state.places] + ['return'] * returns
    trees, merged, count = [None, None], None, 0

    def run(side, fn):
        nonlocal count
        state.restore()
        result = fn() if fn is not None else None
        trees[side] = state.read() + [merge.freeze(result)] * returns
        if side == 0:
            count = max(count, merge.leaves(trees[0]))
        return [None] * count

    def fill(side):
        nonlocal merged, count
        if merged is None:
            if in_loop.depth:
                _check_growth(state, *(t[: len(state.places)] for t in trees))
            merged = merge.Merge(labels, *trees)
            if len(merged.slots) > count:  # the other branch makes more than this one
                count, merged = len(merged.slots), None
                raise _Again
        return [merge.emit(s[side]) for s in merged.slots] + [None] * (count - len(merged.slots))

    test = truth.condition(test)
    for _ in range(8):
        try:
            results = _pir._if_region(test, lambda: run(0, yes), lambda: run(1, no), fill)
            break
        except _Again:
            continue
        except _Grow as grown:
            state.restore()
            state = _as_tensor_lists(state, grown)
    else:
        raise merge.Dygraph2StaticException(
            "[to_static] expected branches that leave the same kinds of values each time they are "
            "recorded"
        )
    state.restore()
    values = merged.build(results)
    state.write(values)
    return values[-1] if returns else None


def _has_float(tree):
    return any(
        _has_float(v.parts) if isinstance(v, merge.Node) else isinstance(v, float) for v in tree
    )


def loop(test, body, exits, names, objects, before=()):
    """Record a loop; the places hold the values after it. `before` are further places that a round
    changes.
    """
    state = _state(names, objects, (body, test))
    state = merge.State([*state.places, *before]) if before else state
    labels, shared = [p.name for p in state.places], cells(body)
    known = None if _has_float(state.tree) else state.tree

    def going(merged, values):
        state.restore()
        state.write(merged.build(values))
        open_ = truth.none_of(*(shared[n].cell_contents for n in exits)) if exits else True
        if open_ is False:
            return paddle.full([], False, 'bool')
        again = test()
        if not _core._is_tensor(again):
            again = bool(again)
        if open_ is True:
            result = again
        elif again is True:
            result = open_
        else:
            result = truth.and_(open_, lambda: again)
        return (
            truth.condition(result) if _core._is_tensor(result) else paddle.full([], result, 'bool')
        )

    def round_(merged, values):
        nonlocal known
        state.restore()
        if known is not None:
            state.write(merged.build(values))
        body()
        tree = state.read()
        if known is None:  # the round was run on numbers as they are, to see what becomes of them
            known = [merge.abstract(t) for t in tree]
            raise _Again
        _check_growth(state, state.tree, tree)
        after = merge.Merge(labels, state.tree, tree, loop=True)
        if after.signatures(0) != merged.signatures(0):
            known = [merge.abstract(t) for t in tree]
            raise _Again
        return [merge.emit(s[1]) for s in after.slots]

    for _ in range(8):
        state.restore()
        merged = merge.Merge(labels, state.tree, known or state.tree, loop=True)
        try:
            start = [merge.emit(s[0]) for s in merged.slots]
            with in_loop:
                results = _pir._while_region(
                    lambda *v: going(merged, v), lambda *v: round_(merged, v), start
                )
        except _Again:
            continue
        except _Grow as grown:
            state.restore()
            state = _as_tensor_lists(state, grown)
            known = None if _has_float(state.tree) else state.tree
            continue
        state.restore()
        state.write(merged.build(results))
        return
    raise merge.Dygraph2StaticException(
        "[to_static] expected a loop whose variables keep their dtypes from one round to the next"
    )


def loop_over(sequence, body, exits, names, objects):
    """Record a loop over a sequence whose length is a tensor."""
    length, index = sequence.length(), 0

    def test():
        return index < length

    def step():
        nonlocal index
        body(sequence.item(index))
        index = index + 1

    places = [merge.CellPlace('the loop counter', cells(step)['index'])]
    step_names = cells(body)
    loop(test, _Round(step, step_names), exits, names, objects, places)


class _Round:
    """A function that shares further variables."""

    def __init__(self, function, shared):
        self._function = function
        self.__globals__ = function.__globals__
        self.__closure__, self.__code__ = tuple(shared.values()), _Names(tuple(shared))

    def __call__(self):
        self._function()


class _Names:
    def __init__(self, co_freevars):
        self.co_freevars = co_freevars
