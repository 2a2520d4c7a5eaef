# SPDX-License-Identifier: Apache-2.0
"""An argument that exists has its effect or is refused: none is dropped, and no misspelt keyword is
swallowed.
"""

import importlib
import importlib.util
import os
import pkgutil
import sys
import warnings

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.nn.functional import flash_attention as fa

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def t(*shape):
    return paddle.to_tensor(np.random.default_rng(0).uniform(0.1, 0.9, shape).astype('float32'))


def lint():
    sys.path.insert(0, os.path.join(ROOT, 'tools'))
    try:
        return importlib.import_module('lint.arguments')
    finally:
        sys.path.pop(0)


def problems(source, tmp_path):
    (tmp_path / 'module.py').write_text(source)
    return [line.split(': ')[1].split(':')[0] for line in lint().run(str(tmp_path), ['module.py'])]


def test_lint_finds_unread_arguments(tmp_path):
    source = '''
def read(x, name=None, *, dtype=None, **kw): return x, dtype, kw
def unread(x, axis=0): return x
def deleted(x, axis=0):
    del axis
    return x
def refused(x, axis): raise NotImplementedError
def taken(x, **kw): return kw.pop('size', x)
def checked(x, **kw):
    size = kw.pop('size', x)
    if kw: raise TypeError
    return size
def _private(x): pass
class C:
    def method(self, x): return 1
    def _hidden(self, x): return 1
def install(cls):
    def made(self, mode): return self
    def key(x): return 1
    cls.made = made
def admits(**kw):
    keywords('admits', kw, 'used', 'dropped')
    return kw.get('used')
'''
    assert problems(source, tmp_path) == [
        'unread drops its argument axis',
        'deleted drops its argument axis',
        'taken drops its argument **kw',
        'C.method drops its argument x',
        'made drops its argument mode',
        'admits drops its argument dropped',
    ]


def test_lint_finds_arguments_that_are_stored_and_never_read(tmp_path):
    source = '''
class Base:
    def __init__(self, above, asked, other):
        self.above, self._asked, self.other = above, bool(asked), other
    def run(self): return getattr(self, '_asked')
class C(Base):
    def __init__(self, used, dropped, shown, checked, single, *rest):
        if checked not in (1, 2): raise ValueError
        if single is not None: raise ValueError
        self.used, self.dropped, self.shown = used, float(dropped), shown
        self.checked, self.single, self.rest = checked, single, rest
    def run(self): return self.used, self.above
    def extra_repr(self): return str(self.shown)
    def keep(self, flag): self.flag = flag
class Record:
    def __init__(self, a): self.a = a
def read(x): return x.other
'''
    assert problems(source, tmp_path) == [
        f'C.__init__ drops its argument {name}' for name in ('dropped', 'shown', 'checked', 'rest')
    ] + ['C.keep drops its argument flag']


def test_lint_finds_arguments_that_are_stored_on_other_objects(tmp_path):
    source = '''
class C:
    def run(self): return self._read
    def give(self, x, lost): x._asked, x._lost = 1, lost
def decorate(x, read, dropped):
    x._read = read
    x._dropped = bool(dropped)
'''
    assert problems(source, tmp_path) == [
        'C.give drops its argument lost',
        'decorate drops its argument dropped',
    ]


def test_in_place_shifts_refuse_out():
    x = paddle.to_tensor([1, 2])
    with pytest.raises(TypeError, match='out=None'):
        x.bitwise_left_shift_(paddle.to_tensor([1, 1]), out=x)
    assert x.bitwise_left_shift_(paddle.to_tensor([1, 1]), out=None).tolist() == [2, 4]


def test_every_name_of_the_tables_resolves():
    missing = []
    for found in pkgutil.walk_packages(paddle.__path__, 'paddle.'):
        if (
            found.name == 'paddle.base.proto.framework_pb2'
            and importlib.util.find_spec('google') is None
        ):
            continue  # the old messages need protobuf
        module = importlib.import_module(found.name)
        for name in sorted({*dir(module), *(getattr(module, '__all__', None) or ())}):
            try:
                getattr(module, name)
            except Exception as error:  # whatever it is, the name does not work
                if getattr(error, 'name', None) == 'google':
                    continue
                missing.append(f'{found.name}.{name}: {error!r}')
    missing += [name for name in dir(paddle) if not hasattr(paddle, name)]
    assert not missing


@pytest.mark.parametrize(
    'make',
    [
        lambda **k: paddle.zeros([2], **k),
        lambda **k: paddle.ones([2], **k),
        lambda **k: paddle.empty([2], **k),
        lambda **k: paddle.full([2], 1.0, **k),
        lambda **k: paddle.full_like(t(2), 1.0, **k),
        lambda **k: paddle.zeros_like(t(2), **k),
        lambda **k: paddle.ones_like(t(2), **k),
        lambda **k: paddle.empty_like(t(2), **k),
        lambda **k: paddle.arange(3, **k),
        lambda **k: paddle.eye(3, **k),
        lambda **k: paddle.as_tensor([1.0], **k),
        lambda **k: paddle.rand([2], **k),
        lambda **k: paddle.randn([2], **k),
        lambda **k: paddle.randperm(3, **k),
        lambda **k: t(2).new_zeros([2], **k),
        lambda **k: t(2).new_full([2], 1.0, **k),
    ],
)
def test_creation_refuses_what_this_build_has_not(make):
    assert str(make(device='cpu').place) == 'Place(cpu)'
    with pytest.raises(RuntimeError, match=r'\[pin_memory\] expected False on Place'):
        make(pin_memory=True)
    with pytest.raises(ValueError, match='gpu'):
        make(device='gpu')


@pytest.mark.parametrize(
    'make',
    [
        lambda d: paddle.rand_like(t(2), device=d),
        lambda d: paddle.randn_like(t(2), device=d),
        lambda d: paddle.fft.fftfreq(3, device=d),
        lambda d: paddle.fft.rfftfreq(3, device=d),
        lambda d: paddle.from_dlpack(t(2), device=d),
        lambda d: paddle.utils.dlpack.from_dlpack(t(2), device=d),
        lambda d: paddle.nn.Layer().create_parameter([2], device=d),
        lambda d: paddle.nn.LayerNorm(3, device=d),
        lambda d: paddle.nn.RMSNorm(3, device=d),
        lambda d: paddle.nn.GroupNorm(1, 3, device=d),
        lambda d: paddle.nn.Conv2D(3, 3, 3, device=d),
        lambda d: paddle.nn.Embedding(3, 3, device=d),
        lambda d: paddle.amp.is_float16_supported(d),
        lambda d: paddle.amp.is_bfloat16_supported(d),
    ],
)
def test_a_device_that_is_not_there_is_refused(make):
    make('cpu')
    make(None)
    with pytest.raises(ValueError, match='gpu'):
        make('gpu')


@pytest.mark.parametrize(
    'device', ['cpu:1', 'cpu:', 'cpu:x', 'cpu:0x', 'cpu:-1', 'Place(cpu', 'cpux']
)
def test_a_device_has_a_number_and_no_more(device):
    for use in (
        paddle.set_device,
        lambda d: paddle.to_tensor(1.0, place=d),
        lambda d: paddle.zeros([1], device=d),
    ):
        with pytest.raises(ValueError, match='got'):
            use(device)
        for right in ('cpu', 'cpu:0'):
            use(right)
    assert paddle.to_tensor(1.0, place=str(paddle.CPUPlace())).place.is_cpu_place()


@pytest.mark.parametrize('device', ['gpu', 'gpu:0', 'xpu'])
@pytest.mark.parametrize(
    'use',
    [
        paddle.set_device,
        lambda d: paddle.to_tensor(1.0, place=d),
        lambda d: {'gpu': paddle.CUDAPlace, 'xpu': paddle.XPUPlace}[d[:3]](0),
    ],
)
def test_what_a_device_of_other_builds_is_refused_with(use, device):
    with pytest.raises(ValueError, match=r'^\[\w+\] expected .*, got '):
        use(device)


@pytest.mark.parametrize(
    'call',
    [
        lambda: t(2).new_zeros([2], dtyp='float32'),
        lambda: t(2).new_ones(2, 3, bogus=1),
        lambda: t(2).new_empty([2], shape=[2]),
        lambda: paddle.meshgrid(t(2), bogus=1),
        lambda: t(2, 3).permute(1, 0, dim=[0, 1]),
        lambda: paddle.empty([2], memory_format='x'),
        lambda: paddle.nn.Parameter(t(2), trainabel=False),
        lambda: paddle.static.save(None, 'x', protocl=2),
        lambda: paddle.static.save_inference_model('x', [], [], None, programm=None),
        lambda: paddle.static.default_main_program().global_block().create_var(shap=[1]),
        lambda: paddle.autograd.PyLayerContext(1),
        lambda: paddle.FloatTensor([1.0], dtype='int32'),
        lambda: paddle.FloatTensor([1.0], bogus=1),
    ],
)
def test_a_misspelt_keyword_is_named(call):
    with pytest.raises(TypeError):
        call()


def test_configs_of_jit_load_are_refused():
    with pytest.raises(ValueError, match='bogus'):
        paddle.jit.load('x', bogus=1)


Q = t(4, 2, 8)
ENDS = paddle.to_tensor([0, 3, 4], dtype='int32')


@pytest.mark.parametrize(
    'call, error',
    [
        (lambda: F.margin_cross_entropy(t(2, 3), paddle.to_tensor([0, 1]), group=3), ValueError),
        (
            lambda: fa.flash_attn_unpadded(Q, Q, Q, ENDS, ENDS, 3, 3, 0.5, return_softmax=True),
            NotImplementedError,
        ),
        (lambda: fa.flash_attn_unpadded(Q, Q, Q, ENDS, ENDS, 2, 3, 0.5), ValueError),
        (lambda: fa.flash_attention(Q[None], Q[None], Q[None], 0.5, rng_name='x'), ValueError),
        (
            lambda: fa.flash_attn_varlen_qkvpacked(t(6, 3, 2, 8), ENDS, ENDS, 3, 3, 0.5),
            NotImplementedError,
        ),
        (
            lambda: paddle.incubate.nn.FusedFeedForward(4, 8)(t(1, 2, 4), cache=1),
            NotImplementedError,
        ),
        (lambda: paddle.io.random_split(range(6), [2, 4], generator=3), TypeError),
        (lambda: paddle.amp.autocast(3), TypeError),
        (lambda: paddle.cdist(t(2, 3), t(4, 3), compute_mode='bogus'), ValueError),
        (lambda: paddle.autograd.backward([t(2)], dump_backward_graph_path=3), TypeError),
        (lambda: t(2).backward(dump_backward_graph_path=3), TypeError),
        (lambda: paddle.audio.save('x.wav', t(1, 8), 8000, encoding='PCM_F'), ValueError),
        (lambda: paddle.enable_compat(scope={3}), TypeError),
        (lambda: paddle.device.Event(interprocess=True), NotImplementedError),
        (lambda: paddle.static.device_guard('bogus').__enter__(), ValueError),
        (lambda: paddle.static.append_backward(t(1), callbacks=[print]), NotImplementedError),
        (lambda: paddle.vision.models.resnet.BasicBlock(4, 4, groups=2), ValueError),
        (
            lambda: paddle.incubate.ModelAverage(0.15, [paddle.nn.Parameter(t(2))]).minimize(
                None, parameters=[1]
            ),
            NotImplementedError,
        ),
        (lambda: paddle.base.core.get_all_op_names('bogus'), ValueError),
    ],
)
def test_what_would_be_dropped_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_take_along_dim_writes_its_out():
    x, index, out = t(2, 3), paddle.to_tensor([[1, 0, 1]]), paddle.zeros([1])
    result = paddle.take_along_dim(x, index, 0, out=out)
    assert result is out
    np.testing.assert_array_equal(out.numpy(), np.take_along_axis(x.numpy(), index.numpy(), 0))


def test_accuracy_writes_correct_and_total():
    correct, total = paddle.zeros([1], 'int32'), paddle.zeros([1], 'int32')
    score = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    paddle.metric.accuracy(score, paddle.to_tensor([[1], [1], [1]]), correct=correct, total=total)
    assert (int(correct), int(total)) == (2, 3)


def test_a_generator_is_what_random_split_draws_from():
    def split(seed):
        generator = paddle.Generator()
        generator.manual_seed(seed)
        return [
            part.indices for part in paddle.io.random_split(range(20), [5, 15], generator=generator)
        ]

    paddle.seed(1)
    before = paddle.get_rng_state()[0]
    assert split(3) == split(3) != split(4)
    paddle.seed(1)
    expected = paddle.rand([3]).numpy()
    paddle.set_rng_state([before])
    split(3)
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), expected)
    generator = paddle.Generator()
    generator.manual_seed(5)
    first = paddle.zeros([4]).random_(0, 1000, generator=generator).numpy()
    generator.manual_seed(5)
    np.testing.assert_array_equal(
        paddle.zeros([4]).random_(0, 1000, generator=generator).numpy(), first
    )


def test_autocast_of_another_device_says_that_it_has_no_effect():
    with pytest.warns(UserWarning, match='no effect'), paddle.amp.autocast('cuda', 'bfloat16'):
        assert paddle.matmul(t(2, 2), t(2, 2)).dtype == paddle.float32
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with paddle.amp.autocast('cpu', 'bfloat16'):
            assert paddle.matmul(t(2, 2), t(2, 2)).dtype == paddle.bfloat16
            assert paddle.is_autocast_enabled('cpu') and not paddle.is_autocast_enabled('cuda')


def test_class_centers_drawn_with_a_fixed_seed_repeat():
    label = paddle.to_tensor([1, 5])
    first, second = (
        paddle._C_ops.class_center_sample(label, 50, 20, fix_seed=True, seed=3)[1].numpy()
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


def test_sync_batch_norm_is_that_of_one_process():
    x = t(4, 3)
    np.testing.assert_array_equal(
        paddle.nn.SyncBatchNorm(3)(x).numpy(), paddle.nn.BatchNorm1D(3)(x).numpy()
    )


def test_new_tensors_take_one_size():
    x = paddle.ones([2, 3])
    assert (
        x.new_zeros(2, 4).shape
        == x.new_ones([2, 4]).shape
        == x.new_empty(size=[2, 4]).shape
        == [2, 4]
    )
    for call in (
        lambda: x.new_zeros([2], 'int32'),
        lambda: x.new_ones([2], 3),
        lambda: x.new_zeros(),
        lambda: x.new_zeros(size=[2], shape=[3]),
    ):
        with pytest.raises(TypeError, match='new_'):
            call()


def test_median_with_indices_writes_both_into_out():
    x = paddle.to_tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    out = paddle.zeros([1]), paddle.zeros([1], 'int64')
    values, indices = paddle.median(x, 1, mode='min', out=out)
    assert values is out[0] and indices is out[1]
    assert out[0].tolist() == [2.0, 5.0] and out[1].tolist() == [2, 1]
    with pytest.raises(ValueError, match='median'):
        paddle.median(x, 1, mode='min', out=out[0])


@pytest.mark.parametrize('make', [paddle.as_tensor, paddle.asarray])
def test_a_tensor_made_of_a_tensor_is_another(make):
    x = paddle.ones([2])
    made = make(x, requires_grad=True)
    assert made is not x and not made.stop_gradient and x.stop_gradient
    assert make(x).data_ptr() != x.data_ptr() and make(made * 2).stop_gradient


def test_asarray_without_copy_shares_memory():
    x = paddle.ones([2])
    assert paddle.asarray(x, copy=False).data_ptr() == x.data_ptr()
    assert paddle.asarray(x, copy=False, dtype='int32').tolist() == [1, 1]


def test_proposals_of_bfloat16_scores_are_their_numbers():
    scores = paddle.to_tensor([0.25, 0.5, 0.75, 0.875]).reshape([1, 1, 2, 2])
    deltas = paddle.linspace(-0.5, 0.5, 16).reshape([1, 4, 2, 2]).astype('bfloat16')
    anchors = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]]).expand([4, 4]).reshape([2, 2, 1, 4])
    size, variances = paddle.to_tensor([[16.0, 16.0]]), paddle.ones([2, 2, 1, 4])
    rest = dict(img_size=size, anchors=anchors, variances=variances, return_rois_num=True)
    got = paddle.vision.ops.generate_proposals(scores.astype('bfloat16'), deltas, **rest)
    want = paddle.vision.ops.generate_proposals(scores, deltas.astype('float32'), **rest)
    for one, two in zip(got, want):
        assert one.tolist() == two.tolist()


def test_names_that_could_not_work():
    x = t(2, 3)
    want = F.softmax(x)
    assert F.softmax_(x) is x and (x.numpy() == want.numpy()).all()
    assert paddle.binomial(paddle.to_tensor([4.0]), paddle.to_tensor([1.0])).tolist() == [4]
    assert paddle.standard_gamma(paddle.to_tensor([2.0])).item() > 0
    with pytest.raises(TypeError, match='SelectedRows'):
        paddle._C_ops.merge_selected_rows(x)
    assert not hasattr(paddle.optimizer.Adam, '_fused_step')


@pytest.mark.parametrize(
    'config',
    [
        'combine_params',
        'separate_parameters',
        'skip_forward',
        'skip_prune_program',
        'input_names_after_prune',
    ],
)
def test_configs_of_jit_save(config, tmp_path):
    spec = [paddle.static.InputSpec([None, 2])]
    with pytest.raises(NotImplementedError, match=config):
        paddle.jit.save(paddle.nn.Linear(2, 2), str(tmp_path / 'net'), spec, **{config: True})
    with pytest.raises(ValueError, match='bogus'):
        paddle.jit.save(paddle.nn.Linear(2, 2), str(tmp_path / 'net'), spec, bogus=1)
    paddle.jit.save(
        paddle.nn.Linear(2, 2),
        str(tmp_path / 'net'),
        spec,
        **{config: False},
        with_hook=True,
        clip_extra=False,
    )


@pytest.mark.parametrize(
    'call',
    [
        lambda x: paddle.zeros(True),
        lambda x: paddle.ones([1, True]),
        lambda x: paddle.empty([False]),
        lambda x: paddle.full([True], 1),
        lambda x: paddle.reshape(x, [True, 4]),
        lambda x: paddle.tile(x, True),
        lambda x: x.sum(axis=True),
        lambda x: x.sum(axis=[True]),
        lambda x: x.transpose([True, 0]),
        lambda x: x.expand([True, 2, 2]),
        lambda x: paddle.roll(x, [True], [False]),
        lambda x: paddle.split(x, [True, 1]),
        lambda x: x.unsqueeze(True),
        lambda x: paddle.slice(x, [False], [True], [2]),
    ],
)
def test_truth_values_are_no_extents_or_axes(call):
    with pytest.raises(TypeError, match='bool'):
        call(paddle.ones([2, 2]))
