# SPDX-License-Identifier: Apache-2.0
"""What PaddlePaddle does beside its documentation: warnings, types of exceptions, dtypes of mixed
lists, what callbacks and progress lines show. Expected values are those of paddlepaddle 3.3.1.
"""

import contextlib
import io
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import paddle
from paddle import distribution as D
from paddle.hapi.callbacks import CallbackList, config_callbacks
from paddle.hapi.progressbar import ProgressBar

t = paddle.to_tensor


def warned(call):
    """(what the call returns, categories of the warnings it gave)."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        result = call()
    return result, [w.category for w in seen]


class TestDistributions:
    def test_arrays_of_integers_are_converted_with_a_warning(self):
        for kind in (D.Normal, D.Uniform, D.Gumbel, D.Laplace):
            made, seen = warned(lambda: kind(np.array([2, 2]), np.array([[3], [3]])))
            assert UserWarning in seen, kind
            assert list(made.batch_shape) == [2, 2]
        assert warned(lambda: D.Normal(np.float32([1, 2]), np.float32([[2], [3]])))[1] == []

    def test_numbers_and_arrays_are_broadcast(self):
        normal = D.Normal(np.full((3, 1), 2.0, 'float32'), [1.0, 2.0])
        assert normal.mean.shape == [3, 2] and normal.scale.shape == [3, 2]
        tensors = D.Normal(paddle.full([3, 1], 2.0), t([1.0, 2.0]))
        assert tensors.mean.shape == [3, 1]

    @pytest.mark.parametrize('kind', ['Normal', 'Uniform', 'LogNormal', 'Cauchy', 'StudentT'])
    def test_values_of_another_dtype_warn(self, kind):
        made = {
            'Uniform': lambda: D.Uniform(0.0, 2.0),
            'StudentT': lambda: D.StudentT(t(3.0), t(1.0), t(2.0)),
        }.get(kind, lambda: getattr(D, kind)(1.0, 2.0))()
        value = t([0.5, 0.5], dtype='float64')
        result, seen = warned(lambda: made.log_prob(value))
        assert seen == [UserWarning]
        wide = kind == 'LogNormal'
        assert result.dtype == (paddle.float64 if wide else paddle.float32)

    def test_values_of_another_dtype_are_cast_or_kept_without_a_word(self):
        value = t([0.5, 0.5], dtype='float64')
        for made in (D.Gumbel(1.0, 2.0), D.Laplace(1.0, 2.0), D.ContinuousBernoulli(t(0.3))):
            result, seen = warned(lambda: made.log_prob(value))
            assert (result.dtype, seen) == (paddle.float32, []), type(made)
        for made in (D.Beta(1.0, 2.0), D.Gamma(t(1.0), t(2.0)), D.Exponential(t(2.0))):
            result, seen = warned(lambda: made.log_prob(value))
            assert (result.dtype, seen) == (paddle.float64, []), type(made)


class TestGradients:
    @pytest.mark.parametrize('name', ['mod', 'remainder', 'floor_mod'])
    def test_both_inputs_of_mod_are_reached(self, name):
        x, y = t([5.0, 7.0, -3.0]), t([2.0, 3.0, 2.0])
        x.stop_gradient = y.stop_gradient = False
        getattr(paddle, name)(x, y).sum().backward()
        with pytest.warns(UserWarning, match='Tensor.grad'):
            assert x.gradient().tolist() == [1, 1, 1]
        assert y.gradient().tolist() == [-2, -2, 2]

    def test_inputs_that_are_not_reached_have_none(self):
        x, y = t([5.0]), t([2.0])
        x.stop_gradient = y.stop_gradient = False
        paddle.mod(x, t([2.0])).sum().backward()
        assert y.gradient() is None and y.grad is None

    def test_grad_through_scalars(self):
        for made in (t(3.0), t([3.0]), t(np.float32(3)), t(3.0, dtype='float64')):
            made.stop_gradient = False
            (grad,) = paddle.grad(made * made, made, create_graph=True)
            assert grad.shape == made.shape and grad.dtype == made.dtype and float(grad) == 6.0
            (second,) = paddle.grad(grad, made)
            assert float(second) == 2.0
        x = t(3.0, stop_gradient=False)
        copied = t(x)
        assert copied.stop_gradient and paddle.grad(x * copied, x)[0].item() == 3.0


class TestToTensor:
    @pytest.mark.parametrize(
        'items, dtype',
        [
            (lambda: [t(1.0), 2.0], 'float64'),
            (lambda: [t(1.0), 2], 'float64'),
            (lambda: [t(1.0), True], 'float32'),
            (lambda: [t(1.0), t(1)], 'float64'),
            (lambda: [t(1.0), t(1.0, dtype='float16')], 'float32'),
            (lambda: [t(1, dtype='int32'), t(True)], 'int32'),
            (lambda: [t(1.0, dtype='float16'), t(1, dtype='int32')], 'float64'),
            (lambda: [t(1.0), t(1 + 1j)], 'complex64'),
            (lambda: [t(1.0), 1j], 'complex128'),
            (lambda: [t(1), t(1 + 1j)], 'complex128'),
            (lambda: [t([1.0, 2.0]), t([1.0, 2.0], dtype='float64')], 'float64'),
            (lambda: [t(1.0), np.float32(2)], 'float32'),
            # Lists without tensors of their own count as lists of Python numbers.
            (lambda: [[t(1.0)], [2.0]], 'float32'),
            (lambda: [[t(1.0, dtype='float64')], [t(1.0, dtype='float64')]], 'float32'),
            (lambda: [[t(1)], [2j]], 'complex64'),
            (lambda: [np.int32([1, 2])], 'int64'),
            (lambda: [np.float16([1, 2])], 'float32'),
        ],
    )
    def test_dtype_of_mixed_lists(self, items, dtype):
        assert str(t(items()).dtype) == f'paddle.{dtype}'
        assert t(items(), dtype='float32').dtype == paddle.float32

    def test_a_tensor_warns_once(self):
        code = (
            'import warnings, paddle\n'
            'x = paddle.ones([2])\n'
            'with warnings.catch_warnings(record=True) as seen:\n'
            '    warnings.simplefilter("always")\n'
            '    y = paddle.to_tensor(x); paddle.to_tensor(x)\n'
            'print([w.category.__name__ for w in seen], y.tolist())\n'
        )
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
        assert done.stdout == "['UserWarning'] [1.0, 1.0]\n", done.stderr


class TestExceptions:
    """Types of exceptions for bad arguments, run and recorded."""

    CASES = [
        (lambda x: paddle.unbind(x, 2), ValueError, ValueError),
        (lambda x: paddle.unbind(x, 'a'), TypeError, TypeError),
        (lambda x: paddle.unbind(np.ones([2, 2])), ValueError, TypeError),
        (
            lambda x: paddle.gather_nd(np.ones([2, 2]), paddle.zeros([1, 1], 'int64')),
            ValueError,
            TypeError,
        ),
        (lambda x: paddle.gather_nd(x, np.zeros([1, 1], 'int64')), ValueError, TypeError),
        (lambda x: paddle.gather_nd(x, paddle.zeros([1, 1])), ValueError, TypeError),
        (lambda x: paddle.gather_nd(x, paddle.zeros([1, 3], 'int64')), ValueError, ValueError),
        (lambda x: paddle.index_select(x, paddle.zeros([1], 'int8')), ValueError, TypeError),
        (lambda x: paddle.tanh(np.ones([2])), ValueError, TypeError),
        (lambda x: paddle.nn.functional.softmax(x.astype('bool')), RuntimeError, TypeError),
        (lambda x: paddle.nn.functional.relu(x.astype('bool')), RuntimeError, TypeError),
        (lambda x: paddle.inverse(x.astype('int32')), RuntimeError, TypeError),
        (lambda x: paddle.empty('a'), TypeError, TypeError),
        (lambda x: paddle.empty([2.0]), TypeError, TypeError),
        (lambda x: paddle.empty([2], dtype='x'), TypeError, TypeError),
        (lambda x: paddle.linspace(None, 1, 5), TypeError, TypeError),
        (lambda x: paddle.linspace(0, 1, [5]), TypeError, TypeError),
        (lambda x: paddle.static.nn.cond(x.sum() > 0, 1, None), TypeError, TypeError),
    ]

    @staticmethod
    def raised(call, x):
        try:
            call(x)
        except Exception as error:
            return type(error)
        return None

    @pytest.mark.parametrize('case', range(len(CASES)))
    def test_types(self, case):
        call, run, recorded = self.CASES[case]
        assert self.raised(call, paddle.ones([2, 2])) is run
        paddle.enable_static()
        try:
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                assert self.raised(call, paddle.static.data('x', [2, 2])) is recorded
        finally:
            paddle.disable_static()

    def test_shapes_are_arrays(self):
        shape = np.array([2, 3])
        for function in (paddle.empty, paddle.zeros, paddle.randn, paddle.rand):
            assert function(shape).shape == [2, 3]


class TestCond:
    @pytest.mark.parametrize('pred', [True, [True], [[True]], [[[False]]], [[1]], [[0.0]]])
    def test_predicates_of_one_element(self, pred):
        chosen = bool(np.ravel(pred)[0])
        got = paddle.static.nn.cond(t(pred), lambda: t(1.0), lambda: t(2.0))
        assert got.item() == (1.0 if chosen else 2.0)

    def test_more_elements_are_refused(self):
        with pytest.raises(AssertionError):
            paddle.static.nn.cond(t([True, False]), lambda: t(1.0), lambda: t(2.0))

    def test_only_the_chosen_function_is_looked_at(self):
        assert paddle.static.nn.cond(t(True), lambda: t(1.0), 1).item() == 1.0
        with pytest.raises(TypeError):
            paddle.static.nn.cond(t(False), lambda: t(1.0), 1)

    def test_numbers_that_differ_warn(self):
        paddle.enable_static()
        try:
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                pred = paddle.static.data('p', [1], 'bool')
                result, seen = warned(lambda: paddle.static.nn.cond(pred, lambda: 1, lambda: 2))
                assert set(seen) == {UserWarning} and result.dtype == paddle.int64
                result, seen = warned(lambda: paddle.static.nn.cond(pred, lambda: 1, lambda: 1))
                assert seen == []
        finally:
            paddle.disable_static()


class TestProgressBar:
    def shown(self, monkeypatch, seconds, num, counts, **settings):
        clock = [1000.0]
        monkeypatch.setattr(time, 'time', lambda: clock[0])
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            bar = ProgressBar(num, **settings)
            bar.start()
            for count in counts:
                clock[0] = 1000.0 + seconds * count
                bar.update(count, [('loss', 0.5)])
        return out.getvalue()

    @pytest.mark.parametrize(
        'seconds, left, rate',
        [
            (0.5, '4s', '500ms'),
            (1.6, '14s', '2s'),
            (70, '10:30', '70s'),
            (4000, '10:00:00', '4000s'),
            (1e-5, '0s', '10us'),
        ],
    )
    def test_time_that_is_left(self, monkeypatch, seconds, left, rate):
        assert self.shown(monkeypatch, seconds, 10, [1]) == (
            f'\rstep  1/10 [==>...........................] - loss: 0.5000 - ETA: {left} - '
            f'{rate}/step'
        )

    def test_counts_are_floats(self, monkeypatch):
        assert self.shown(monkeypatch, 1, 9.5, [2.5], verbose=2) == (
            'step 2/9 - loss: 0.5000 - 1s/step\n'
        )
        assert self.shown(monkeypatch, 1, None, [2.5, 10], verbose=2) == (
            'step 2.5 - loss: 0.5000 - 1s/step\nstep  10 - loss: 0.5000 - 1s/step\n'
        )
        assert '  2/10 [======>.......................]' in self.shown(monkeypatch, 1, 10.0, [2.5])

    def test_the_end_of_the_line(self, monkeypatch):
        last = self.shown(monkeypatch, 1, 3, [2, 3]).split('\r')[-1]
        assert (
            last == 'step 3/3 [==============================] - loss: 0.5000 - 1s/step          \n'
        )
        assert self.shown(monkeypatch, 1, None, [3]) == '\rstep   3 - loss: 0.5000 - 1s/step\n'
        assert '[..............................]' in self.shown(monkeypatch, 0, 10, [0])


class Recorder(paddle.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __getattribute__(self, name):
        if name.startswith('on_'):
            return lambda *args: self.seen.append((name, *args))
        return super().__getattribute__(name)


class TestCallbacks:
    def names(self, *args, **settings):
        model = paddle.Model(paddle.nn.Linear(1, 1))
        made = config_callbacks(*args, model=model, **settings)
        return [type(c).__name__ for c in made], made

    def test_defaults(self):
        names, made = self.names()
        assert names == ['ProgBarLogger', 'ModelCheckpoint', 'LRScheduler']
        assert made.callbacks[0].log_freq == 2 and made.callbacks[0].verbose == 2
        assert made.callbacks[1].save_freq == 1 and made.callbacks[1].save_dir is None
        assert made.params == {
            'batch_size': None,
            'epochs': None,
            'steps': None,
            'verbose': 2,
            'metrics': [],
        }
        assert self.names(verbose=0)[0] == ['ModelCheckpoint', 'LRScheduler']

    def test_given_ones_stay_where_they_are(self):
        stop = paddle.callbacks.EarlyStopping()
        names, made = self.names(stop, save_dir='z')
        assert names == ['ProgBarLogger', 'EarlyStopping', 'ModelCheckpoint', 'LRScheduler']
        assert stop.save_dir == 'z'
        own = [paddle.callbacks.ProgBarLogger(5), paddle.callbacks.LRScheduler()]
        assert self.names(own)[0] == ['ProgBarLogger', 'LRScheduler', 'ModelCheckpoint']

    def test_metrics_are_left_out_of_tests(self):
        assert self.names(metrics=['a'], mode='test')[1].params['metrics'] == []
        assert self.names(metrics=['a'], mode='eval')[1].params['metrics'] == ['a']

    def test_lists_call_each(self):
        one, two = Recorder(), Recorder()
        both = CallbackList([one])
        both.append(two)
        both.set_params({'a': 1})
        assert list(both) == [one, two] and two.params == {'a': 1}
        both.on_begin('train')
        both.on_epoch_begin(3)
        both.on_batch_begin('eval', 1, {'x': 2})
        both.on_batch_end('predict', 4)
        both.on_epoch_end(3, {'y': 5})
        both.on_end('train', {'z': 6})
        assert one.seen == two.seen
        assert one.seen == [
            ('on_train_begin', None),
            ('on_epoch_begin', 3, None),
            ('on_eval_batch_begin', 1, {'x': 2}),
            ('on_predict_batch_end', 4, None),
            ('on_epoch_end', 3, {'y': 5}),
            ('on_train_end', {'z': 6}),
        ]
        with pytest.raises(AssertionError):
            both.on_begin('test')


def test_create_parameter_takes_regularizers_from_attributes():
    decay = paddle.regularizer.L2Decay(0.1)
    made = paddle.create_parameter([2], 'float32', attr=paddle.ParamAttr(regularizer=decay))
    assert made.regularizer is decay
    with pytest.raises(TypeError):
        paddle.create_parameter([2], 'float32', regularizer=decay)
    from paddle.base.framework import EagerParamBase

    own = EagerParamBase([2], 'float32', regularizer=decay, optimize_attr={'learning_rate': 2.0})
    assert own.regularizer is decay and own.optimize_attr == {'learning_rate': 2.0}


class TestShortExtents:
    """Windows of pools that are longer than the padded input by less than a stride are cut."""

    POOLS = {
        1: (paddle.nn.functional.max_pool1d, paddle.nn.functional.avg_pool1d),
        2: (paddle.nn.functional.max_pool2d, paddle.nn.functional.avg_pool2d),
        3: (paddle.nn.functional.max_pool3d, paddle.nn.functional.avg_pool3d),
    }

    @pytest.mark.parametrize('rank', [1, 2, 3])
    @pytest.mark.parametrize('settings', [{}, {'return_mask': True}, {'exclusive': False}])
    def test_windows_are_cut(self, rank, settings):
        greatest, mean = self.POOLS[rank]
        x = paddle.arange(2**rank, dtype='float32').reshape([1, 1] + [2] * rank)
        x.stop_gradient = False
        function = mean if 'exclusive' in settings else greatest
        out = function(x, 3, 2, 0, **settings)
        if 'return_mask' in settings:
            out, mask = out
            assert mask.flatten().tolist() == [2**rank - 1]
        assert out.shape == [1, 1] + [1] * rank
        assert out.item() == (x.mean().item() if function is mean else 2**rank - 1)
        out.sum().backward()
        assert x.grad.sum().item() == 1.0
        last = [1.0 / 2**rank] if function is mean else [1.0]
        assert x.grad.flatten()[-1:].tolist() == last

    @pytest.mark.parametrize('rank', [1, 2, 3])
    def test_nothing_is_left(self, rank):
        for function in self.POOLS[rank]:
            x = paddle.ones([1, 2] + [2] * rank)
            x.stop_gradient = False
            out = function(x, 4, 2)
            assert out.shape == [1, 2] + [0] * rank
            out.sum().backward()
            assert x.grad is None or x.grad.abs().sum().item() == 0.0
            with pytest.raises(ValueError):
                function(x, 4, 1)

    def test_channels_last_ceil_and_lp(self):
        functional = paddle.nn.functional
        x = paddle.arange(4, dtype='float32').reshape([1, 2, 2, 1])
        for function, value in ((functional.max_pool2d, 3.0), (functional.avg_pool2d, 1.5)):
            for ceil in (False, True):
                out = function(x, 3, 2, ceil_mode=ceil, data_format='NHWC')
                assert out.shape == [1, 1, 1, 1] and out.item() == value
        line = t([[[3.0, 4.0]]])
        assert functional.lp_pool1d(line, 2.0, 3, 2).item() == 5.0
        assert functional.lp_pool1d(line, 2.0, 3, 2, ceil_mode=True).item() == 5.0

    def test_recorded(self):
        paddle.enable_static()
        try:
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data('x', [1, 1, 2, -1])
                out = paddle.nn.functional.max_pool2d(x, 3, 2)
            fed = np.arange(4, dtype='float32').reshape(1, 1, 2, 2)
            (found,) = paddle.static.Executor().run(main, feed={'x': fed}, fetch_list=[out])
        finally:
            paddle.disable_static()
        assert found.tolist() == [[[[3.0]]]]
