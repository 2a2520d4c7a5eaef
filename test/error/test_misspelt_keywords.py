# SPDX-License-Identifier: Apache-2.0
"""Keywords that nobody knows, and arguments of the core's classes that nothing would read."""

import copy
import importlib
import inspect
import os
import pickle
import traceback
import types

import pytest

import paddle
import paddle.optimizer.sgd  # a module whose name differs from a class by case

# Parts of the package whose functions are called with no tensor.
_PLAIN = ('base.', 'incubate.inference', 'inference.', 'jit.', 'utils.')
TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test_misspelt_keywords_of_every_public_callable(tmp_path, monkeypatch):
    """A keyword that nobody knows is refused by each of them, in its sensible call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(TEST)
    recipes, table = importlib.import_module('recipes'), importlib.import_module('recipe_table')
    swallowed, bare = [], set()
    for where, name, value, text in recipes.cases():
        if (
            text is None
            or f'{where}.{name}' in table.UNCALLED
            or where == 'vision.models'
            or value is paddle.jit.save
        ):
            continue  # the configs of jit.save are tested in test_arguments.py
        first = recipes._CALLS.split(text)[0]
        keyword = 'nobody_knows=1' if not first.strip() else f'{first}, nobody_knows=1'
        try:
            recipes.call(where, value, keyword)
        except Exception as error:  # noqa: BLE001 its text is judged
            if str(error).endswith("argument 'nobody_knows'") and isinstance(
                value, types.FunctionType
            ):
                if value.__code__.co_argcount and value.__module__ != 'paddle.base.framework':
                    bare.add(f'{where}.{name}')
            if isinstance(error, TypeError) or 'nobody_knows' in str(error):
                continue
            swallowed.append(f'{where}.{name}: {error!r}')
        else:
            swallowed.append(f'{where}.{name}')
    assert swallowed == ['nn.Identity']  # takes any argument, in PaddlePaddle too
    # Messages of functions on tensors, of layers and of data name the arguments that there are.
    bare = {name for name in bare if not name.startswith(_PLAIN)}
    assert bare <= {
        *('paddle.check_shape', 'paddle.enable_compat', 'nn.dynamic_decode', 'hub.load'),
        'static.load_inference_model',
    }


def test_arguments_of_the_core_s_classes():
    assert (
        paddle.Tensor([1.0], place=paddle.CPUPlace(), stop_gradient=False, name='made').name
        == 'made'
    )
    for call in (
        lambda: paddle.Tensor([1.0], 2.0),
        lambda: paddle.Tensor([1.0], zero_copy='no'),
        lambda: paddle.CPUPlace(1),
        lambda: paddle.ones([1]).cpu(1),
        lambda: paddle.dtype('float32', 'int8'),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: paddle.Generator(3),
        lambda: paddle.Generator('gpu'),
        lambda: paddle.CustomPlace('npu', 300),
        lambda: paddle.CustomPlace('npu', -1),
        lambda: paddle.CustomPlace('npu', 0),
    ):
        with pytest.raises((ValueError, TypeError), match='expected|device'):
            call()
    assert isinstance(paddle.Generator('cpu'), type(paddle.Generator(0)))


@pytest.mark.parametrize(
    ('owner', 'name', 'meant'),
    [
        (paddle, 'concatenat', "'concatenate' or 'concat'"),
        (paddle.nn, 'BatchNorm2d', "'BatchNorm2D'"),
        (paddle.nn.functional, 'relux', "'relu' or 'rrelu'"),
        (paddle.optimizer, 'Adm', "'Adam' or 'RAdam'"),
        (paddle.optimizer.lr, 'StepLR', "'paddle.optimizer.lr.StepDecay'"),
        (paddle, 'relu', "'paddle.nn.functional.relu'"),
        (paddle, 'compile', "'paddle.jit.to_static'"),
        (paddle, 'optim', "'paddle.optimizer'"),
        (paddle.utils, 'data', "'paddle.io'"),
        (paddle, 'fluid', "'paddle.base'"),
        (paddle, 'elementwise_add', "'paddle.add'"),
        (paddle.optimizer, 'SGDOptimizer', "'SGD'"),
        (paddle.nn.Linear(1, 1), 'wieght', "'weight'"),
    ],
)
def test_unknown_names_suggest(owner, name, meant):
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert str(caught.value).endswith(f'; did you mean {meant}?')
    assert traceback.format_exception_only(type(caught.value), caught.value)[0].startswith(
        'AttributeError: '
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_no_name_is_like_gets_no_suggestion():
    with pytest.raises(AttributeError, match="^module 'paddle' has no attribute 'qqqqqq'$"):
        paddle.qqqqqq  # noqa: B018


@pytest.mark.parametrize(
    ('call', 'function', 'meant'),
    [
        (lambda: paddle.nn.Linear(2, 3, bias=False), 'Linear.__init__', 'bias_attr'),
        (lambda: paddle.nn.BatchNorm2D(3, momentm=1), 'BatchNorm2D.__init__', 'momentum'),
        (lambda: paddle.nn.LeakyReLU(negative_slop=1), 'LeakyReLU.__init__', 'negative_slope'),
        (lambda: paddle.optimizer.Adam(lr=0.1), 'Adam.__init__', 'learning_rate'),
        (lambda: paddle.optimizer.SGD(0.1, params=[]), 'SGD.__init__', 'parameters'),
        (lambda: paddle.optimizer.lr.StepDecay(1, 2, gama=1), 'StepDecay.__init__', 'gamma'),
        (lambda: paddle.io.DataLoader([1], batchsize=3), 'DataLoader.__init__', 'batch_size'),
        (lambda: paddle.distribution.Normal(0, scal=3), 'Normal.__init__', 'scale'),
        (lambda: paddle.vision.transforms.Resize(siz=3), 'Resize.__init__', 'size'),
        (lambda: paddle.ParamAttr(learningrate=1), 'ParamAttr.__init__', 'learning_rate'),
        (lambda: paddle.jit.to_static(abs, fullgraph=True), 'to_static', 'full_graph'),
        (lambda: paddle.nn.functional.cross_entropy(1, 2, targt=3), 'cross_entropy', 'target'),
        (lambda: paddle.nn.functional.mse_loss(1, target=2), 'mse_loss', 'label'),
        (lambda: paddle.nn.functional.avg_pool2d(input=1, kernel_size=2), 'avg_pool2d', 'x'),
        (lambda: paddle.hypot(1, other=2), 'hypot', 'y'),
        (lambda: paddle.isin(elements=1), 'isin', 'x'),
        (lambda: paddle.argsort(1, dims=0), 'argsort', 'axis'),
        (lambda: paddle.nn.Embedding(size=[3, 2]), 'Embedding.__init__', 'num_embeddings'),
        (lambda: paddle.optimizer.SGD(1, regularization=1), 'SGD.__init__', 'weight_decay'),
        (lambda: paddle.rand([2], requires_gradient=True), 'rand', 'requires_grad'),
        (lambda: paddle.ones([1]).to(devic='cpu'), 'Tensor.to', 'device'),
        (lambda: paddle.ones([1]).new_ones([1], dtyp='int8'), 'new_ones', 'dtype'),
        (lambda: paddle.linalg.cond(1, ord=2), 'cond', 'p'),
        (lambda: paddle.grad(1, inputs=1, retain_grph=True), 'grad', 'retain_graph'),
    ],
)
def test_unknown_keywords_of_python_code_suggest(call, function, meant):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).startswith(f'{function}() got an unexpected keyword argument ')
    assert str(caught.value).endswith(f'; did you mean {meant!r}?')


def test_words_of_pytorch_that_work():
    """Calls that PaddlePaddle 3.3.1 takes from PyTorch's users."""
    x = paddle.tensor([[1.0, 5.0, 2.0]], dtype='float64', requires_grad=True)
    assert x.dtype == paddle.float64 and not x.stop_gradient
    assert (x.size(0), x.sum(dim=1, keepdim=True).shape) == (1, [1, 1])
    assert paddle.cat([x, x], dim=1).to(paddle.device('cpu')).shape == [1, 6]
    assert paddle.tensor.math.add is paddle.add and paddle.device.get_device() == 'cpu'
    device = pickle.loads(pickle.dumps(paddle.device('cuda', 1)))
    assert (device, device.type, device.index) == ('cuda:1', 'cuda', 1)
    with paddle.device('cpu') as device:
        assert device == 'cpu' == paddle.get_default_device()
    for arguments in (('foo',), ('gpu:1', 2), ('gpu:x',), ('gpu', -1)):
        with pytest.raises(ValueError, match='expected one' if arguments[-1] != -1 else 'from 0'):
            paddle.device(*arguments)


@pytest.mark.parametrize(
    ('call', 'advice'),
    [
        (lambda: paddle.nn.Linear(2, 3, act='relu'), 'call the activation on the result'),
        (lambda: paddle.nn.BatchNorm2D(3, affine=False), 'give weight_attr=False and bias_attr'),
        (lambda: paddle.nn.LSTM(3, 4, batch_first=True), 'leave it out for batches first'),
        (lambda: paddle.nn.GRU(3, 4, bidirectional=True), "give direction='bidirect'"),
        (lambda: paddle.nn.functional.relu(1, inplace=True), "whose name ends in '_'"),
        (lambda: paddle.io.DataLoader([1], pin_memory=True), 'leave it out'),
        (lambda: paddle.optimizer.Adam([1], 0.1), 'list as learning_rate, which comes first'),
    ],
)
def test_words_of_pytorch_that_mean_something_else(call, advice):
    with pytest.raises((TypeError, AttributeError)) as caught:
        call()
    assert advice in str(caught.value)


class _Bare(paddle.nn.Layer):
    pass


class _Counted(paddle.nn.Layer, list):
    def __init__(self, items, **options):
        super().__init__()
        self.extend(items)
        self.options = options


class _Sampler(paddle.optimizer.lr.LRScheduler):
    __init__ = object.__init__


def test_classes_of_users_keep_their_calls():
    """Bases that look at keywords change no other call: signatures, copies, other bases."""
    assert str(inspect.signature(_Counted)) == '(items, **options)'
    made = _Counted([1, 2], depth=3)
    assert (list(made), made.options) == ([1, 2], {'depth': 3})
    assert copy.copy(made).options == {'depth': 3}
    assert isinstance(_Bare(name_scope='one'), paddle.nn.Layer)
    with pytest.raises(TypeError, match='_Bare.__init__|takes from 1 to 3'):
        _Bare(1, 2, 3)
    with pytest.raises(TypeError, match='expected no arguments, got 1'):
        _Sampler(1)


@pytest.mark.parametrize(
    ('call', 'message'),
    [
        (lambda x: paddle.sum(x, axs=1), "'axs'; did you mean 'axis'?"),
        (lambda x: x.max(dim=1), "'dim'; did you mean 'axis'?"),
        (lambda x: paddle.to_tensor([1.0], devic='cpu'), "'devic'; did you mean 'device'?"),
        (lambda x: paddle.abs(x, whatever=1), "'whatever'; expected x, name, out, input"),
        (lambda x: x.backward(retain_grph=True), "'retain_grph'; did you mean 'retain_graph'?"),
    ],
)
def test_unknown_keywords_suggest(call, message):
    with pytest.raises(TypeError) as caught:
        call(paddle.to_tensor([[1.0]]))
    assert str(caught.value).endswith(f'got an unexpected keyword argument {message}')
