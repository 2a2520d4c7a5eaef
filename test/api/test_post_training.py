# SPDX-License-Identifier: Apache-2.0
"""paddle.static.quantization: quantised programs made of trained ones; programs as graphs."""

import os

import numpy as np
import pytest

import paddle
from paddle import inference, static
from paddle.static import quantization


@pytest.fixture(scope='module')
def model(tmp_path_factory):
    paddle.seed(3)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(2, 6, 3, padding=1),
        paddle.nn.ReLU(),
        paddle.nn.Conv2D(6, 6, 3, groups=6),
        paddle.nn.MaxPool2D(2),
        paddle.nn.Flatten(),
        paddle.nn.Linear(54, 16),
        paddle.nn.Sigmoid(),
        paddle.nn.Linear(16, 5),
    )
    net.eval()
    folder = tmp_path_factory.mktemp('trained')
    paddle.jit.save(net, str(folder / 'net'), [static.InputSpec([None, 2, 8, 8], name='image')])
    return net, str(folder)


@pytest.fixture
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


IMAGES = np.random.default_rng(5).standard_normal((24, 2, 8, 8)).astype('float32')


def expected(net):
    paddle.disable_static()
    with paddle.no_grad():
        want = net(paddle.to_tensor(IMAGES)).numpy()
    paddle.enable_static()
    return want


def predicted(folder, name='model'):
    files = [os.path.join(folder, name + end) for end in ('.json', '.pdiparams')]
    predictor = inference.create_predictor(inference.Config(*files))
    (given,) = [predictor.get_input_handle(n) for n in predictor.get_input_names()]
    given.copy_from_cpu(IMAGES)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def relative(got, want):
    return float(np.abs(got - want).max() / np.abs(want).max())


@pytest.mark.parametrize('algo', ['KL', 'hist', 'avg', 'mse', 'emd', 'abs_max', 'min_max'])
def test_programs_quantised_after_training(model, static_mode, tmp_path, algo):
    net, folder = model
    batches = [[IMAGES[k : k + 8]] for k in range(0, 24, 8)]
    quantizer = quantization.PostTrainingQuantization(
        static.Executor(), folder, data_loader=batches, algo=algo
    )
    program = quantizer.quantize()
    quantizer.save_quantized_model(str(tmp_path))
    got, want = predicted(str(tmp_path)), expected(net)
    assert 0 < relative(got, want) < (0.1 if algo in ('KL', 'emd') else 0.04)
    kinds = [op.name() for op in program.global_block().ops]
    assert kinds.count('pd_op.round') == 4  # the inputs of two convolutions and two products
    kept = {n: v.dtype for n, v in program._parameters().items()}
    assert sum(dtype == paddle.int8 for dtype in kept.values()) == 4
    before = os.path.getsize(os.path.join(folder, 'net.pdiparams'))
    assert os.path.getsize(tmp_path / 'model.pdiparams') < before * 0.6


def test_what_is_chosen(model, static_mode, tmp_path):
    net, folder = model

    def made(**options):
        quantizer = quantization.PostTrainingQuantization(
            None,
            os.path.join(folder, 'net'),
            sample_generator=lambda: ([x] for x in IMAGES),
            batch_size=6,
            algo='abs_max',
            **options,
        )
        program = quantizer.quantize()
        return [op.name() for op in program.global_block().ops], program._parameters()

    whole = lambda kept: sorted(n for n, v in kept.items() if v.dtype == paddle.int8)
    kinds, kept = made(quantizable_op_type=['conv2d'])
    assert kinds.count('pd_op.round') == 2 and len(whole(kept)) == 2
    kinds, kept = made(quantizable_op_type=['mul', 'relu'])
    assert kinds.count('pd_op.round') == 3 and len(whole(kept)) == 2
    first = sorted(n for n in static.load_inference_model(folder + '/net', None)[0]._parameters())[
        1
    ]
    assert first.startswith('conv2d') and first.endswith('w_0')
    kinds, kept = made(skip_tensor_list=[first, 'image'])
    assert kinds.count('pd_op.round') == 3 and len(whole(kept)) == 3
    kinds, kept = made(weight_bits=16, activation_bits=16, batch_nums=1)
    assert sum(v.dtype == paddle.int16 for v in kept.values()) == 4
    kinds, kept = made(freeze_model=False)
    assert not whole(kept)
    everything, _ = made(is_full_quantize=True)
    assert everything.count('pd_op.round') > 4


def test_one_scale_loses_more_than_one_a_channel(model, static_mode):
    net, folder = model
    errors = {}
    for kind in ('abs_max', 'channel_wise_abs_max'):
        for corrected in (False, True):
            program = quantization.PostTrainingQuantization(
                None,
                folder,
                batch_generator=lambda: iter([[IMAGES]]),
                algo='abs_max',
                weight_bits=4,
                weight_quantize_type=kind,
                bias_correction=corrected,
            ).quantize()
            (out,) = static.Executor().run(
                program, feed={'image': IMAGES}, fetch_list=[program.list_vars()[-1]]
            )
            errors[kind, corrected] = relative(out, expected(net))
    assert errors['channel_wise_abs_max', False] < errors['abs_max', False]
    assert all(0.01 < error < 1 for error in errors.values())


def test_programs_at_hand_and_as_graphs(static_mode, tmp_path):
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data('x', [None, 4])
        y = paddle.nn.functional.relu(static.nn.fc(x, 3))
    samples = [{'x': np.ones([2, 4], 'float32')}]
    graph = quantization.PostTrainingQuantizationProgram(
        static.Executor(), main, ['x'], [y], algo='avg', data_loader=samples
    ).quantize()
    assert isinstance(graph, paddle.framework.IrGraph) and graph.is_test()
    names = [node.name() for node in graph.all_op_nodes()]
    assert 'round' in names and names.index('round') < names.index('relu')
    (rounding,) = [n for n in graph.all_op_nodes() if n.name() == 'round']
    assert all(value.is_var() for value in (*rounding.inputs, *rounding.outputs))
    assert rounding.inputs[0].inputs[0] in graph.build_adjacency_list()[rounding]
    assert len(graph.all_persistable_nodes()) == 3  # weight, its scale, bias
    assert graph.graph_num() == 1 and not graph.has_circle()
    assert graph.clone().to_program().num_ops() == graph.to_program().num_ops()
    graph.draw(str(tmp_path), 'picture', marked_nodes=[rounding])
    text = (tmp_path / 'picture.dot').read_text()
    assert text.startswith('digraph {') and text.count('filled') == 1
    with pytest.raises(TypeError, match='desc'):
        paddle.base.core.Graph(3)
    with pytest.raises(AssertionError, match='core.Graph'):
        paddle.base.framework.IrGraph(main)


def test_weights_alone(model, static_mode, tmp_path):
    net, folder = model
    quantizer = quantization.WeightQuantization(folder, 'net.json', 'net.pdiparams')
    want = expected(net)
    quantizer.quantize_weight_to_int(
        str(tmp_path),
        quantizable_op_type=['conv2d', 'depthwise_conv2d', 'mul'],
        generate_test_model=True,
    )
    parts = [predicted(str(tmp_path / name)) for name in ('quantized_model', 'test_model')]
    np.testing.assert_allclose(*parts, rtol=1e-5, atol=1e-6)
    assert 0 < relative(parts[0], want) < 0.02
    quantizer.quantize_weight_to_int(str(tmp_path / 'wide'), weight_bits=16)
    assert relative(predicted(str(tmp_path / 'wide' / 'quantized_model')), want) < 1e-4
    quantizer.convert_weight_to_fp16(str(tmp_path / 'half'))
    assert 0 < relative(predicted(str(tmp_path / 'half'), 'net'), want) < 2e-3
    size = os.path.getsize
    assert size(tmp_path / 'half' / 'net.pdiparams') < 0.7 * size(folder + '/net.pdiparams')


@pytest.mark.parametrize(
    'options, error',
    [
        ({'algo': 'ptf'}, AssertionError),
        ({'round_type': 'adaround'}, NotImplementedError),
        ({'weight_quantize_type': 'row'}, AssertionError),
        ({'activation_bits': 17}, AssertionError),
        ({'deploy_backend': 'phone'}, AssertionError),
        ({'scale_dict': {}}, NotImplementedError),
        ({'data_loader': []}, ValueError),
        ({'data_loader': None}, AssertionError),
        ({'data_loader': [{'other': IMAGES}]}, ValueError),
        ({'skip_tensor_list': ['nobody']}, ValueError),
    ],
)
def test_what_is_refused(model, static_mode, options, error):
    given = {'data_loader': [[IMAGES]], 'algo': 'abs_max', **options}
    with pytest.raises(error, match=r'\[PostTrainingQuantization\]'):
        quantization.PostTrainingQuantization(None, model[1], **given).quantize()
    with pytest.raises(RuntimeError, match='before'):
        quantization.PostTrainingQuantization(
            None, model[1], data_loader=[[IMAGES]]
        ).save_quantized_model('nowhere')
