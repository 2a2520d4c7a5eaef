# SPDX-License-Identifier: Apache-2.0
"""core.create_paddle_predictor and the tensors it takes, as older programs use them."""

import numpy as np
import pytest
from paddle.base import core

import paddle

DRAW = np.random.RandomState(0)
X, Y = DRAW.rand(3, 4).astype('float32'), DRAW.randint(0, 9, (3, 2)).astype('int64')


class Net(paddle.nn.Layer):
    def forward(self, x, y):
        return x * 2, paddle.cast(y, 'float32').sum(1) + x.sum(1)


@pytest.fixture
def files(tmp_path):
    specs = [
        paddle.static.InputSpec([None, 4], 'float32', 'x'),
        paddle.static.InputSpec([None, 2], 'int64', 'y'),
    ]
    paddle.jit.save(Net(), str(tmp_path / 'net'), specs)
    return [str(tmp_path / name) for name in ('net.json', 'net.pdiparams')]


def predictor(files):
    config = core.AnalysisConfig(*files)
    config.disable_glog_info()
    config.switch_use_feed_fetch_ops(False)
    return core.create_paddle_predictor(config)


def checked(results):
    twice, sums = results
    np.testing.assert_array_equal(twice.as_ndarray(), X * 2)
    np.testing.assert_allclose(sums.as_ndarray(), X.sum(1) + Y.sum(1), rtol=1e-5)
    assert twice.shape == [3, 4] and twice.dtype == core.PaddleDType.FLOAT32 and twice.lod == []
    np.testing.assert_allclose(sums.data.float_data(), X.sum(1) + Y.sum(1), rtol=1e-5)


def test_tensors_in_order_and_by_name(files):
    made = predictor(files)
    assert isinstance(made, core.PaddlePredictor) and made.get_input_names() == ['x', 'y']
    checked(made.run([core.PaddleTensor(X), core.PaddleTensor(Y)]))
    tensors = [core.PaddleTensor(Y, 'y'), core.PaddleTensor(X, 'x')]
    checked(made.clone().run(tensors))
    with pytest.raises(ValueError, match="expected 2 tensors, for .'x', 'y'., got 1"):
        made.run(tensors[:1])
    checked(made.run([core.PaddleTensor(X, 'fetch_name_0'), tensors[0]]))


def test_handles_and_plain_configurations(files):
    made = predictor(files)
    for name, value in (('x', X), ('y', Y)):
        made.get_input_tensor(name).copy_from_cpu(value)
    assert made.zero_copy_run()
    names = made.get_output_names()
    np.testing.assert_array_equal(made.get_output_tensor(names[0]).copy_to_cpu(), X * 2)
    config = core.NativeConfig()
    config.prog_file, config.param_file = files
    checked(core.create_paddle_predictor(config).run([core.PaddleTensor(X), core.PaddleTensor(Y)]))
    config.use_xpu = True
    with pytest.raises(NotImplementedError, match='use_xpu'):
        core.create_paddle_predictor(config)


def test_tensors_by_value():
    tensor = core.PaddleTensor([1, 2], name='n', lod=[[0, 1, 2]])
    assert tensor.dtype == core.PaddleDType.INT64 and tensor.lod == [[0, 1, 2]]
    assert tensor.data.int64_data() == [1, 2] and tensor.data.length() == 16
    assert core.PaddleBuf([1.0, 2.0]).float_data() == [1, 2] and core.PaddleBuf().empty()
    assert core.PaddleTensor().shape == [0]
    with pytest.raises(TypeError, match='got complex64'):
        core.PaddleTensor(np.ones(2, 'complex64'))
