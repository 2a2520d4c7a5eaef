# SPDX-License-Identifier: Apache-2.0
"""Lines of PyTorch programs: each gives what PaddlePaddle 3.3.1 gives for it, or an error that says
the right name.
"""

import inspect

import pytest

import paddle
import paddle.nn.functional as F

paddle.set_device('cpu')
X = paddle.arange(6, dtype='float32').reshape([2, 3])
ROWS = paddle.to_tensor([[0], [2]])
FIRST = paddle.to_tensor([0])
ONES = paddle.ones([1, 3])
LAYER = paddle.nn.Linear(2, 2)
OPTIMIZER = paddle.optimizer.Adam(parameters=LAYER.parameters())


def listed(result):
    if isinstance(result, (tuple, list)):
        return [listed(part) for part in result]
    return result.tolist() if hasattr(result, 'tolist') else result


@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        ('X.gather(1, ROWS)', [[0], [5]]),
        ('paddle.gather(X, dim=-1, index=ROWS)', [[0], [5]]),
        ('paddle.gather(input=X, dim=1, index=ROWS)', [[0], [5]]),
        ('X.gather(1, index=ROWS)', [[0], [5]]),
        ('paddle.gather(X, 1, ROWS, out=paddle.zeros([2, 1]))', [[0], [5]]),
        ('X.gather(FIRST, 1)', [[0], [3]]),
        ('X.index_select(0, FIRST)', [[0, 1, 2]]),
        ('paddle.index_select(X, 1, index=FIRST)', [[0], [3]]),
        ('X.scatter(1, ROWS, 9.0)', [[9, 1, 2], [3, 4, 9]]),
        ('X.scatter(dim=1, index=ROWS, src=X)', [[0, 1, 2], [3, 4, 3]]),
        ('X.scatter(1, ROWS, X, reduce="add")', [[0, 1, 2], [3, 4, 8]]),
        ('X.clone().scatter_(dim=1, index=ROWS, value=7.0)', [[7, 1, 2], [3, 4, 7]]),
        ('X.scatter_add(1, ROWS, X)', [[0, 1, 2], [3, 4, 8]]),
        ('X.scatter_reduce(1, ROWS, X, "amax")', [[0, 1, 2], [3, 4, 5]]),
        ('X.index_add(0, FIRST, ONES)', [[1, 2, 3], [3, 4, 5]]),
        ('X.index_add(dim=0, index=FIRST, source=ONES, alpha=2)', [[2, 3, 4], [3, 4, 5]]),
        ('X.clone().index_add_(0, FIRST, ONES)', [[1, 2, 3], [3, 4, 5]]),
        ('X.index_fill(0, FIRST, 8.0)', [[8, 8, 8], [3, 4, 5]]),
        ('X.sum(0, True)', [[3, 5, 7]]),
        ('X.sum(dim=1, keepdim=True)', [[3], [12]]),
        ('X.mean(0, True)', [[1.5, 2.5, 3.5]]),
        ('X.amax(dim=0)', [3, 4, 5]),
        ('paddle.norm(X[:, :1], dim=1)', [0, 3]),
        ('X[:, :1].norm(p=1, dim=0, keepdim=True)', [[3]]),
        ('paddle.norm(X[:, :1], 2, 0, True, None, "float64").dtype', paddle.float64),
        ('X.median(dim=0)', [[0, 1, 2], [0, 0, 0]]),
        ('paddle.median(input=X)', 2),
        ('paddle.median(X)', 2.5),
        ('paddle.median(X, dim=0, mode="avg")', [1.5, 2.5, 3.5]),
        ('paddle.var(X, dim=1, unbiased=False)', [2 / 3, 2 / 3]),
        ('X.argmax(dim=1, keepdim=True)', [[2], [2]]),
        ('paddle.cat((X, X), 0).shape', [4, 3]),
        ('paddle.stack([X, X], dim=-1).shape', [2, 3, 2]),
        ('X.view(-1).size(0)', 6),
        ('X.permute(1, 0).shape', [3, 2]),
        ('X.repeat(2, 1).shape', [4, 3]),
        ('X.flip(dims=[0])[0]', [3, 4, 5]),
        ('X.roll(shifts=1, dims=0)[0]', [3, 4, 5]),
        ('paddle.flatten(X, start_dim=0).shape', [6]),
        ('F.softmax(X, dim=-1).sum(dim=-1).round()', [1, 1]),
        ('paddle.zeros(2, 3, dtype=paddle.float64, device="cpu").shape', [2, 3]),
        ('paddle.tensor([1.0], requires_grad=True).stop_gradient', False),
        ('X.to("cpu", paddle.float64).dtype', paddle.float64),
        ('paddle.nn.Softmax(dim=0)(X)[:, 0].sum().round()', 1),
        ('X.topk(2, dim=1).indices', [[2, 1], [2, 1]]),
        ('paddle.topk(X, 1).values', [[2], [5]]),
        ('paddle.cuda.is_available()', paddle.device.cuda.device_count() > 0),
        ('paddle.cuda.manual_seed(1).initial_seed()', 1),
        ('paddle.cuda.amp.GradScaler', paddle.amp.GradScaler),
    ],
)
def test_lines_that_work(line, expected):
    result = listed(eval(line))
    assert (
        result == pytest.approx(expected, rel=1e-6)
        if isinstance(expected, float)
        else (
            paddle.allclose(
                paddle.to_tensor(result, 'float32'), paddle.to_tensor(expected, 'float32')
            )
            if isinstance(result, list) and 'shape' not in line and 'median(dim' not in line
            else result == expected
        )
    )


@pytest.mark.parametrize(
    ('line', 'says'),
    [
        ('X.max(dim=1)', "did you mean 'axis'?"),
        ('X.std(dim=1)', "did you mean 'axis'?"),
        ('paddle.unique(X, dim=0)', "did you mean 'axis'?"),
        ('paddle.randint(5, (2, 3))', "expected high to be an integer, got (2, 3)"),
        ('F.log_softmax(X, dim=1)', "did you mean 'axis'?"),
        ('paddle.optimizer.Adam(params=[X], lr=0.1)', "did you mean 'parameters'?"),
        ('paddle.optimizer.SGD([X], lr=0.1)', "did you mean 'learning_rate'?"),
        ('paddle.nn.Linear(3, 2, bias=False)', "did you mean 'bias_attr'?"),
        ('paddle.nn.LSTM(3, 2, batch_first=True)', 'or give time_major=True'),
        ('paddle.nn.BatchNorm2d(3)', "did you mean 'BatchNorm2D'?"),
        ('paddle.nn.ReLU(inplace=True)', "leave it out, or call a function whose name ends in '_'"),
        ('F.relu(X, inplace=True)', "leave it out, or call a function whose name ends in '_'"),
        ('paddle.load("x", map_location="cpu")', "leave it out: tensors are loaded to the CPU"),
        ('paddle.optim.SGD', "did you mean 'paddle.optimizer'?"),
        ('paddle.utils.data.DataLoader', "did you mean 'paddle.io'?"),
        ('paddle.compile(print)', "did you mean 'paddle.jit.to_static'?"),
        ('paddle.inference_mode()', "did you mean 'paddle.no_grad'?"),
        ('X.relu()', "did you mean 'paddle.nn.functional.relu'?"),
        ('X.log_softmax(dim=1)', "did you mean 'paddle.nn.functional.log_softmax'?"),
        ('X.nelement()', "'Tensor' object has no attribute 'nelement'; write numel"),
        ('X.new_tensor([1])', 'write paddle.to_tensor(data, dtype=x.dtype)'),
        ('X.retain_grad()', 'write retain_grads'),
        ('X.select(0, 1)', 'write index_select'),
        ('X.clamp_min(0)', 'write clip(min=...)'),
        ('X.svd()', 'write paddle.linalg.svd(x)'),
        ('X.to_sparse()', 'write to_sparse_coo'),
        ('X.index_copy_(0, ROWS, X)', 'write scatter_'),
        ('paddle.Tensor.relu', "type object 'Tensor' has no attribute 'relu'; did you mean"),
        ('OPTIMIZER.param_groups', "'Adam' object has no attribute 'param_groups'; write get_lr"),
        ('OPTIMIZER.state', 'write state_dict'),
        ('OPTIMIZER.add_param_group({})', 'write a list of dicts as parameters'),
        ('LAYER.in_features', 'write weight.shape[0]'),
        ('LAYER.register_full_backward_hook(print)', 'write register_hook of the tensors'),
        ('LAYER.share_memory()', 'nothing in its place'),
        ('paddle.histc(X)', "did you mean 'paddle.histogram'?"),
        ('paddle.autograd.Variable(X)', "did you mean 'paddle.to_tensor'?"),
        ('paddle.autograd.functional.jacobian', "did you mean 'paddle.incubate.autograd'?"),
        ('paddle.sparse_coo_tensor([[0]], [1.0])', "'paddle.sparse.sparse_coo_tensor'?"),
        ('paddle.profiler.profile()', "did you mean 'paddle.profiler.Profiler'?"),
        ('paddle.utils.checkpoint', "'paddle.distributed.fleet.utils.recompute'?"),
        ('paddle.nn.DataParallel(LAYER)', "did you mean 'paddle.DataParallel'?"),
        ('X.scatter(1, ROWS)', "expected one of 'src' and 'value', got none"),
        ('X.gather(1, 2)', 'expected index to be a Tensor, got int'),
        ('X.sum(0, "x")', "data type 'x' not understood"),
    ],
)
def test_lines_that_say_the_right_name(line, says):
    with pytest.raises((TypeError, AttributeError, ValueError)) as caught:
        eval(line)
    assert says in str(caught.value)


def test_other_forms_are_compiled():
    @paddle.jit.to_static(full_graph=False)
    def f(x):
        return x.gather(1, ROWS) + x.sum(0, True)[:, :1]

    for _ in range(3):
        assert f(X).tolist() == [[3], [8]]
    assert paddle.jit.explain(f).compiled_calls == 2


@pytest.mark.skipif(paddle.device.is_compiled_with_cuda(), reason='there is a GPU')
@pytest.mark.parametrize(
    'line', ['X.to("cuda")', 'X.cuda()', 'paddle.nn.Linear(1, 1).to("cuda:0")']
)
def test_a_missing_gpu_is_named(line):
    if paddle.device.cuda.device_count():
        pytest.skip('there is a GPU')
    with pytest.raises(
        ValueError, match=r"expected a GPU .*\(paddle.set_device\('cpu'\) runs .*\): tried "
    ):
        eval(line)


def test_autocast_of_gpus_warns_without_one():
    if paddle.cuda.is_available():
        pytest.skip('there is a GPU')
    with pytest.warns(UserWarning, match='has no effect'), paddle.cuda.amp.autocast():
        assert not paddle.is_autocast_enabled()
    with pytest.raises(ValueError, match="expected a GPU, got 'cpu'"):
        paddle.cuda.set_device('cpu')


def test_topk_is_a_named_tuple_in_programs_too():
    @paddle.jit.to_static(full_graph=True)
    def best(x):
        found = x.topk(1)
        return found, found.values + 1

    found, more = best(X)
    assert type(found) is type(paddle.topk(X, 1)) and found._fields == ('values', 'indices')
    assert (found.indices.tolist(), more.tolist()) == ([[2], [2]], [[3], [6]])
    out = paddle.zeros([2, 1]), paddle.zeros([2, 1], 'int64')
    paddle.topk(X, 1, out=out)
    assert out[1].tolist() == [[2], [2]]


def test_names_that_are_absent_are_so():
    for holder in (X, paddle.Tensor):
        assert not hasattr(holder, 'relu') and not hasattr(holder, 'nelement')
    assert 'relu' not in dir(X) and 'reshape' in dir(X)
    assert not hasattr(OPTIMIZER, 'param_groups') and 'param_groups' not in dir(OPTIMIZER)
    OPTIMIZER.state = 1  # a program's own attribute
    assert OPTIMIZER.state == 1 and not hasattr(paddle.optimizer.Adam, 'state')
    del OPTIMIZER.state
    before = vars(paddle.Tensor)['relu']
    try:
        paddle.Tensor.relu = F.relu
        assert (-X).relu().sum() == 0
    finally:
        paddle.Tensor.relu = before


def test_buffers_may_be_persistent():
    layer = paddle.nn.Layer()
    layer.register_buffer('kept', X, persistent=True)
    layer.register_buffer('dropped', X, persistent=False)
    assert list(layer.state_dict()) == ['kept']


@pytest.mark.parametrize('name', ['SGD', 'AdamW'])
def test_a_closure_is_refused_but_by_lbfgs(name):
    layer = paddle.nn.Linear(2, 1)
    optimizer = getattr(paddle.optimizer, name)(0.1, parameters=layer.parameters())
    for call in (optimizer.step, lambda closure: optimizer.step(closure=closure)):
        with pytest.raises(TypeError, match=rf'\[{name}.step\] .*backward\(\) .* before step\(\)'):
            call(lambda: layer(paddle.ones([1, 2])).sum())
    assert str(inspect.signature(optimizer.step)) == '()'
    optimizer.step(None)  # PyTorch's default
    lbfgs = paddle.optimizer.LBFGS(parameters=layer.parameters())
    assert lbfgs.step(lambda: layer(paddle.ones([1, 2])).square().sum()).shape == []


def test_arguments_without_effect_that_programs_give():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert x.numpy(force=True).tolist() == x.numpy(blocking=False, force=False).tolist() == [1, 2]
    y = x.clone(memory_format=None) * 3
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert x.clone('contiguous').tolist() == [1, 2]
    for call in (lambda: x.clone(copy=1), lambda: x.numpy(copy=1), lambda: x.clone(1, 2)):
        with pytest.raises(TypeError):
            call()


def test_the_kind_of_a_variable_is_no_method():
    x = paddle.ones([2])
    assert x.type == paddle.base.core.VarDesc.VarType.DENSE_TENSOR
    with pytest.raises(TypeError, match=r'x\.dtype is the type .* x\.astype\(dtype\)'):
        x.type('float64')


def test_set_tensor_takes_what_another_has():
    x, value = paddle.ones([2]), paddle.to_tensor([3, 4, 5])
    assert x.set_tensor(value) is None
    value[0] = 9
    assert x.tolist() == [3, 4, 5] and x.dtype == paddle.int64 and x.stop_gradient
    p = paddle.create_parameter([2], 'float32')
    p.set_tensor(paddle.ones([4]))
    assert p.shape == [4] and not p.stop_gradient
    for bad in (None, [1.0], p.numpy()):
        with pytest.raises(ValueError, match='expected value to be a Tensor'):
            x.set_tensor(bad)


def test_vocabularies_of_tensors():
    x, words = paddle.zeros([1]), {'one': 1, 'zwölf': -12}
    with pytest.raises(ValueError, match='got one without'):
        x.get_map_tensor()
    x.set_vocab(words)
    words['two'] = 2
    assert x.get_map_tensor() == {'one': 1, 'zwölf': -12}
    assert x.type == paddle.base.core.VarDesc.VarType.VOCAB
    for bad in ({1: 'one'}, {'one': 1.5}, ['one'], None):
        with pytest.raises(TypeError, match='dict of str to int'):
            x.set_vocab(bad)
    x.set_vocab({})
    assert x.get_map_tensor() == {}
