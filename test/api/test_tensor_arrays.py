# SPDX-License-Identifier: Apache-2.0
"""Arrays of tensors in recorded programs: written and read by numbers that are known and by others,
in loops and branches, fetched, and with gradients.
"""

import numpy as np
import paddle
import pytest

T = paddle.tensor
X = np.arange(6, dtype='float32').reshape(2, 3)


def number(k):
    return paddle.full([1], k, 'int64')


def ran(build, **feed):
    """What a program fetches that `build` records."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            fetched = build()
        return paddle.static.Executor().run(main, feed=feed, fetch_list=fetched)
    finally:
        paddle.disable_static()


def test_tensors_of_several_shapes_by_known_numbers():
    def build():
        x, at = paddle.static.data('x', [2, 3]), number(0)
        array = T.array_write(x, at)
        at = paddle.increment(at)
        assert T.array_write(x[:1], at, array=array) is array
        T.array_write(x[:1] * 2, paddle.cast(at + 0, 'int64'), array)
        with pytest.raises(AssertionError, match='i from 0 to 2, got 4'):
            T.array_write(x, number(4), array)
        joined, extents = T.manipulation.tensor_array_to_tensor(array, axis=0)
        return [array, T.array_length(array), T.array_read(array, at), joined, extents]

    array, length, second, joined, extents = ran(build, x=X)
    assert [a.tolist() for a in array] == [X.tolist(), (X[:1] * 2).tolist()]
    assert length.tolist() == [2] and second.tolist() == (X[:1] * 2).tolist()
    assert joined.tolist() == [*X.tolist(), *(X[:1] * 2).tolist()]
    assert extents.tolist() == [2, 1] and extents.dtype == np.int32


@pytest.mark.parametrize('begin', [0, 1])
def test_arrays_grow_in_loops_and_have_gradients(begin):
    def build():
        x, n = paddle.static.data('x', [-1, 3]), paddle.static.data('n', [1], 'int64')
        x.stop_gradient = False
        array = T.create_array('float32', [x * 10][:begin])

        def body(at, value, array):
            T.array_write(value, at, array=array)
            return [at + 1, value * 2, array]

        at, _, array = paddle.static.nn.while_loop(
            lambda at, value, array: at < n, body, [number(begin), x, array]
        )
        whole, extents = T.manipulation.tensor_array_to_tensor(array, 1, use_stack=True)
        (grad,) = paddle.static.gradients([whole.sum()], [x])
        return [T.array_length(array), T.array_read(array, at - 1), whole, extents, grad, array]

    for count in (begin + 3, begin + 1):
        parts = [X * 10][:begin] + [X * 2**k for k in range(count - begin)]
        found = ran(build, x=X, n=np.array([count]))
        assert found[0].tolist() == [count] and found[1].tolist() == parts[-1].tolist()
        np.testing.assert_array_equal(found[2], np.stack(parts, 1))
        assert found[3].tolist() == [1] * count
        factor = 10 * begin + sum(2**k for k in range(count - begin))
        np.testing.assert_array_equal(found[4], np.full_like(X, factor))
        assert [a.tolist() for a in found[5]] == [p.tolist() for p in parts]


def test_numbers_that_only_the_program_knows():
    def build():
        x, at = paddle.static.data('x', [2, 3]), paddle.static.data('at', [1], 'int64')
        array = T.create_array('float32', [x, x + 1])
        read = T.array_read(array, at)
        T.array_write(x * 0, at, array)  # in the place of one, or behind the last
        return [read, array, T.array_length(array)]

    read, array, length = ran(build, x=X, at=np.array([1]))
    assert read.tolist() == (X + 1).tolist() and length.tolist() == [2]
    assert [a.tolist() for a in array] == [X.tolist(), (X * 0).tolist()]
    with pytest.raises(IndexError):
        ran(build, x=X, at=np.array([7]))


def test_branches_give_arrays():
    def build():
        x = paddle.static.data('x', [2, 3])

        def longer():
            array = T.create_array('float32', [x])
            return T.array_write(x + 1, number(1), array)

        array = paddle.static.nn.cond(
            x.sum() > 0, longer, lambda: T.create_array('float32', [x * 2])
        )
        return [array, T.array_length(array)]

    assert [a.tolist() for a in ran(build, x=X)[0]] == [X.tolist(), (X + 1).tolist()]
    assert [a.tolist() for a in ran(build, x=-X)[0]] == [(X * -2).tolist()]


def test_lists_need_known_numbers_in_programs():
    def build():
        x, at = paddle.static.data('x', [2, 3]), paddle.static.data('at', [1], 'int64')
        with pytest.raises(TypeError, match='use paddle.tensor.create_array'):
            T.array_read([x, x], at)
        return [T.array_read([x, x + 1], number(1))]

    assert ran(build, x=X, at=np.array([1]))[0].tolist() == (X + 1).tolist()


def test_programs_of_old_operations_on_arrays():
    from paddle.base.core import VarDesc

    programs = []

    def build():
        programs.append(paddle.static.default_main_program())
        block = programs[0].global_block()
        x = block.create_var(name='x', shape=[2, 3], dtype='float32')
        array = block.create_var(
            name='array', type=VarDesc.VarType.LOD_TENSOR_ARRAY, dtype='float32'
        )
        for k in range(2):
            at = block.create_var(name=f'at{k}')
            attrs = {'shape': [1], 'dtype': 3, 'value': float(k)}
            block.append_op(type='fill_constant', outputs={'Out': at}, attrs=attrs)
            block.append_op(type='write_to_array', inputs={'X': x, 'I': at}, outputs={'Out': array})
        twice, part, length = (block.create_var(name=n) for n in ('twice', 'part', 'length'))
        block.append_op(type='sum', inputs={'X': [array, array]}, outputs={'Out': twice})
        block.append_op(
            type='slice',
            inputs={'Input': twice},
            outputs={'Out': part},
            attrs={'axes': [0], 'starts': [1], 'ends': [2], 'decrease_axis': [0]},
        )
        block.append_op(type='lod_array_length', inputs={'X': twice}, outputs={'Out': length})
        return [part, length, array]

    part, length, array = ran(build, x=X)
    assert part.tolist() == (X * 2).tolist() and length.tolist() == [2]
    assert [a.tolist() for a in array] == [X.tolist()] * 2
    copy = programs[0].clone(for_test=True)
    array, part = paddle.static.Executor().run(copy, {'x': X}, fetch_list=['array', 'part'])
    assert [a.tolist() for a in array] == [X.tolist()] * 2 and part.tolist() == (X * 2).tolist()
