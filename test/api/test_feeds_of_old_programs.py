# SPDX-License-Identifier: Apache-2.0
"""Old operations that feed, fetch and order, names as variables of `append_op`, and operations that
PaddlePaddle runs on a CPU in a few forms only. Numbers without a formula are those it prints.
"""

import numpy as np
import pytest

import paddle
from paddle.base import core

KINDS = core.VarDesc.VarType
X = np.arange(6, dtype='float32').reshape(2, 3)


def run(program, fetched=None, **feed):
    return paddle.static.Executor().run(program, feed=feed, fetch_list=fetched)


@pytest.mark.parametrize('fetch', ['fetch', 'fetch_v2'])
def test_holders_of_feeds_and_fetches(fetch, main):
    block = main.global_block()
    fed = block.create_var(name='feed', type=KINDS.FEED_MINIBATCH, persistable=True)
    held = block.create_var(name='fetch', type=KINDS.FETCH_LIST, persistable=True)
    x = block.create_var(
        name='x', shape=[2, 3], dtype='float32', is_data=True, need_check_feed=False
    )
    block.append_op(type='feed', inputs={'X': [fed]}, outputs={'Out': [x]}, attrs={'col': 0})
    y, z = paddle.scale(x.value, 2.0), paddle.scale(x.value, 3.0)
    for col, value in ((1, z), (0, y)):
        block.append_op(
            type=fetch, inputs={'X': [value]}, outputs={'Out': [held]}, attrs={'col': col}
        )
    for program in (main, main.clone()):
        first, second = run(program, x=X)
        np.testing.assert_array_equal(first, X * 2)
        np.testing.assert_array_equal(second, X * 3)
    np.testing.assert_array_equal(run(main, [z], x=X)[0], X * 3)


def test_order_and_names(main):
    block = main.global_block()
    x = paddle.static.data('x', [2, 3])
    y, z = x * 2, x + 1
    block.append_op(type='depend', inputs={'X': [y], 'Dep': [z]}, outputs={'Out': [y]})
    shown = block.create_var(name='shown', shape=[2, 3], dtype='float32')
    block.append_op(type='shadow_output', inputs={'x': y}, outputs={'out': 'shown'}, attrs={})
    block.append_op(type='nop', inputs={'X': [x]}, outputs={'Out': [z]})
    block.append_op(
        type='scale', inputs={'X': 'shown'}, outputs={'Out': 'shown'}, attrs={'scale': 5.0}
    )
    np.testing.assert_array_equal(run(main, [shown], x=X)[0], X * 10)
    with pytest.raises(RuntimeError, match='depend'):
        block.append_op(type='depend', inputs={'X': [y], 'Dep': [z]}, outputs={'Out': [z]})
    with pytest.raises(ValueError, match="'nobody'"):
        block.append_op(type='relu', inputs={'X': 'nobody'}, outputs={'Out': shown})


def _one(program, kind, outputs, attrs, lod=(), **inputs):
    block, feed = program.global_block(), {}
    for slot, array in inputs.items():
        block.create_var(
            name=slot, shape=array.shape, dtype=str(array.dtype), lod_level=int(slot in lod)
        )
        feed[slot] = array
        if slot in lod:
            feed[slot] = core.DenseTensor()
            feed[slot].set(array, paddle.CPUPlace())
            feed[slot].set_recursive_sequence_lengths(lod[slot])
    places = [block.create_var(name=name, dtype='float32') for name in outputs]
    block.append_op(
        type=kind,
        inputs={slot: [slot] for slot in inputs},
        outputs={name: [name] for name in outputs},
        attrs=attrs,
    )
    return run(program, [p for p in places if p.value is not None], **feed)


def test_boxes_end_at_the_edges_of_their_images(main):
    boxes = np.array([[12, 18, -3, 2], [1, 2, 3, 4], [25, 9.5, 19, 30]], 'float32')
    sizes = np.array([[10, 20, 2], [10, 20, 1]], 'float32')
    (out,) = _one(
        main, 'box_clip', ['Output'], {}, lod={'Input': [[2, 1]]}, Input=boxes, ImInfo=sizes
    )
    np.testing.assert_array_equal(out, [[9, 4, 0, 2], [1, 2, 3, 4], [19, 9, 19, 9]])


@pytest.mark.parametrize('begin, expected', [(10.0, 1.0), (0.0, 0.05)])
def test_clipping_begins_at_a_step(begin, expected, main):
    attrs = {'max_norm': 0.1, 'rampup_begin_step': begin}
    step = np.array([5], 'float32')
    (out,) = _one(
        main, 'dgc_clip_by_norm', ['Out'], attrs, X=np.ones(4, 'float32'), current_step=step
    )
    np.testing.assert_allclose(out, np.full(4, expected, 'float32'), rtol=1e-6)


@pytest.mark.parametrize('begin, param, velocity', [(10.0, 0.941, 0.59), (0.0, 0.95, 0.1)])
def test_momentum_ends_at_a_step(begin, param, velocity, main):
    given = {'Param': [1.0], 'Grad': [0.5], 'Velocity': [0.1], 'LearningRate': [0.1]}
    given.update(current_step=[5.0], nranks=[2.0])
    made = _one(
        main,
        'dgc_momentum',
        ['ParamOut', 'VelocityOut', 'Grad_out'],
        {'mu': 0.9, 'rampup_begin_step': begin},
        **{k: np.array(v, 'float32') for k, v in given.items()},
    )
    np.testing.assert_allclose(np.concatenate(made), [param, velocity, 0.25], rtol=1e-6)


def test_a_bias_behind_a_transposed_convolution(main):
    x, w, b = (
        np.random.RandomState(0).rand(*s).astype('float32')
        for s in ((1, 3, 4, 4), (3, 2, 3, 3), (2,))
    )
    attrs = {'strides': [2, 2], 'paddings': [1, 1]}
    with pytest.raises(ValueError, match='is_test'):
        _one(main, 'conv2d_transpose_bias', ['Output'], attrs, Input=x, Filter=w, Bias=b)
    (out,) = _one(
        main,
        'conv2d_transpose_bias',
        ['Output'],
        {**attrs, 'is_test': True},
        Input=x,
        Filter=w,
        Bias=b,
    )
    paddle.disable_static()
    given = [paddle.to_tensor(v) for v in (x, w, b)]
    want = paddle.nn.functional.conv2d_transpose(*given, stride=2, padding=1)
    paddle.enable_static()
    np.testing.assert_allclose(out, want.numpy(), rtol=1e-5)


def test_variables_that_ops_filled_are_operands(main):
    x = paddle.static.data('x', [2, 3])

    def layer(value):
        helper = paddle.base.layer_helper.LayerHelper('layer', act='relu')
        out = helper.create_variable_for_type_inference(value.dtype)
        helper.append_op(
            type='scale', inputs={'X': [value]}, outputs={'Out': [out]}, attrs={'scale': 3.0}
        )
        return helper.append_activation(out)

    made = layer(layer(x))
    results = {
        'softmax': (paddle.nn.functional.softmax(made) + made) - x,
        'concat': paddle.concat([made, x]),
        'right': 2.0 - made,
        'compared': paddle.cast(made > 10.0, 'float32'),
        'row': made[1],
        'negative': -made,
        'mean': made.mean(),
    }
    want = 9 * X
    exponents = np.exp(want - want.max(1, keepdims=True))
    wanted = {
        'softmax': exponents / exponents.sum(1, keepdims=True) + want - X,
        'concat': np.concatenate([want, X]),
        'right': 2 - want,
        'compared': (want > 10).astype('float32'),
        'row': want[1],
        'negative': -want,
        'mean': want.mean(),
    }
    for name, got in zip(results, run(main, list(results.values()), x=X)):
        np.testing.assert_allclose(got, wanted[name], rtol=1e-6, err_msg=name)
    empty = main.global_block().create_var(name='empty')
    with pytest.raises(ValueError, match="'empty'"):
        empty + x


def _loader(count, **options):
    x = paddle.static.data('x', [-1, 3])
    n = paddle.static.data('n', [-1, 1], 'int64')
    loader = paddle.base.io.DataLoader.from_generator([x, n], capacity=2, iterable=False, **options)

    def batches():
        for k in range(count):
            yield [np.full((2, 3), k, 'float32'), np.full((2, 1), k, 'int64')]

    return loader.set_batch_generator(batches, places=[paddle.CPUPlace()] * 2), x * 2, n


def test_programs_read_from_loaders(main):
    loader, y, n = _loader(3)
    for program in (main, main.clone()):
        loader.start()
        seen = []
        with pytest.raises(core.EOFException, match='no more batches'):
            while True:
                doubled, number = run(program, [y, n])
                np.testing.assert_array_equal(doubled, np.full((2, 3), 2 * number[0, 0]))
                seen.append(number[0, 0])
        assert seen == [0, 1, 2]
        loader.reset()
    given, number = run(main, [y, n], x=X, n=np.zeros((2, 1), 'int64'))
    np.testing.assert_array_equal(given, X * 2)


def test_loaders_of_programs_are_refused_out_of_turn(main):
    loader, y, _ = _loader(3)
    with pytest.raises(RuntimeError, match=r'start\(\)'):
        run(main, [y])
    with pytest.raises(AssertionError, match='iterable=True'):
        iter(loader)
    loader.start()
    with pytest.raises(AssertionError, match='start'):
        loader.start()
    run(main, [y])
    loader.reset()
    with pytest.raises(RuntimeError):
        run(main, [y])
