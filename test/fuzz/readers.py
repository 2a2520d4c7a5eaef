# SPDX-License-Identifier: Apache-2.0
"""Every format the package reads: its undamaged files, how it is damaged, and the public call that
reads it.
"""

import gzip
import io
import os
import pathlib
import pickle
import struct
import tarfile
import tempfile
import wave
import zipfile

import mutations as m

CORPUS = pathlib.Path(__file__).parent / 'corpus'


def load_state(path):
    """A state dict."""
    import paddle

    paddle.load(path)


def load_numpy(path):
    """The same as arrays."""
    import paddle

    paddle.load(path, return_numpy=True, keep_name_table=True)


def _small(shape):
    """A shape to feed that keeps the small extents of `shape`."""
    return [min(d, 64 if at < 2 else 8) if d >= 0 else 2 for at, d in enumerate(shape)][:6]


def run_model(path):
    """A program, and one run on zeros; not of one with loops, which may be endless."""
    import paddle
    from paddle import static

    layer = paddle.jit.load(path.rsplit('.', 1)[0])
    feeds = {}
    for op in layer.program()._operations():
        if op.name() == 'pd_op.data':
            shape = _small(op.attrs()['shape'])
            with static.program.running():
                feeds[op.attrs()['name']] = paddle.zeros(shape, op.attrs()['dtype'])
    if any(op.name() == 'pd_op.while' for op in layer.program()._operations()):
        return
    try:
        layer(*[feeds[n] for n in layer._methods['forward'].feeds])
    except MemoryError:  # what a program computes may be large; reading it is not
        pass


def run_predictor(path):
    """A predictor, and one run on ones."""
    import numpy as np

    from paddle import inference

    config = inference.Config(path, path.rsplit('.', 1)[0] + '.pdiparams')
    predictor = inference.create_predictor(config)
    for name in predictor.get_input_names():
        handle = predictor.get_input_handle(name)
        shape = _small(handle.shape())
        kind = {inference.DataType.INT64: 'int64', inference.DataType.INT32: 'int32'}.get(
            handle.type(), 'float32'
        )
        handle.copy_from_cpu(np.ones(shape, kind))
    with open(path, 'rb') as stream:
        looped = b'.while"' in stream.read()
    try:
        looped or predictor.run()
    except MemoryError:
        pass


def run_training(path):
    """A program with gradients, and one run on ones."""
    import numpy as np

    import paddle

    paddle.enable_static()
    try:
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            program, names, results = paddle.static.load_inference_model(
                path.rsplit('.', 1)[0], executor
            )
            feed = {'x': np.ones([4, 6], 'float32'), 'i': np.arange(3)}
            executor.run(program, feed={n: feed[n] for n in names}, fetch_list=results)
    except MemoryError:
        pass
    finally:
        paddle.disable_static()


def _differentiated(folder):
    """A saved program in which many kinds of operations and their gradients stand."""
    import paddle
    import paddle.nn.functional as F

    paddle.enable_static()
    try:
        program, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(program, startup):
            x = paddle.static.data('x', [4, 6], 'float32')
            x.stop_gradient = False
            i = paddle.static.data('i', [3], 'int64')
            image, square = x.reshape([1, 2, 3, 4]), x @ x.T + paddle.eye(4) * 9

            def weight(*shape):
                return paddle.static.create_parameter(list(shape), 'float32')

            parts = [
                F.conv2d(image, weight(3, 2, 2, 2), weight(3)),
                F.conv2d_transpose(image, weight(2, 3, 2, 2)),
                F.instance_norm(image),
                F.group_norm(image, 2),
                F.layer_norm(x, [6], weight(6), weight(6)),
                F.avg_pool2d(image, 2),
                F.max_pool2d(image, 2, return_mask=True)[0],
                F.interpolate(image, size=[5, 5], mode='bilinear'),
                F.prelu(image, weight(2)),
                F.gelu(x),
                F.dropout(x, 0.3),
                F.grid_sample(image, weight(1, 3, 3, 2)),
                F.unfold(image, 2),
                F.cross_entropy(x, paddle.zeros([4], 'int64')),
                F.smooth_l1_loss(x, x * 2),
                F.pad(image, [1, 1, 1, 1]),
                F.scaled_dot_product_attention(*[image.reshape([1, 2, 3, 4])] * 3),
                F.embedding(i, weight(3, 2)),
                F.nll_loss(F.log_softmax(x), paddle.zeros([4], 'int64')),
                F.bilinear(x, x, weight(2, 6, 6)),
                paddle.index_select(x, i),
                paddle.index_add(x, i, 0, x[:3]),
                paddle.scatter(x, i, x[:3]),
                paddle.gather_nd(x, paddle.zeros([2, 2], 'int64')),
                paddle.take_along_axis(x, paddle.argsort(x, 1), 1),
                paddle.put_along_axis(x, paddle.zeros([4, 1], 'int64'), x[:, :1], 1),
                paddle.concat([x, x * 2]),
                paddle.split(x, 2, axis=1)[1],
                paddle.where(x > 0, x, x * 2),
                paddle.topk(x, 2)[0],
                paddle.cummax(x, 1)[0],
                paddle.cumprod(x, 1),
                paddle.cdist(x, x + 1),
                paddle.tile(x, [2, 1]),
                paddle.roll(x, 1),
                paddle.linalg.cholesky(square),
                paddle.linalg.inv(square),
                paddle.geometric.segment_sum(x[:3], paddle.zeros([3], 'int64')),
                x.transpose([1, 0])[::2].max(1),
                x.prod(1),
                paddle.median(x, 1),
                paddle.mode(x, 1)[0],
                paddle.kthvalue(x, 2)[0],
                paddle.sort(x, 1),
                paddle.repeat_interleave(x, 2, 0),
                paddle.multiplex([x, x * 2], paddle.zeros([4, 1], 'int32')),
                F.hsigmoid_loss(x, paddle.zeros([4, 1], 'int64'), 6, weight(5, 6)),
                F.margin_cross_entropy(x, paddle.zeros([4], 'int64')),
                F.ctc_loss(
                    x.reshape([4, 1, 6]),
                    paddle.ones([1, 2], 'int32'),
                    paddle.full([1], 4, 'int64'),
                    paddle.full([1], 2, 'int64'),
                ),
                paddle.geometric.send_u_recv(x, i, i, 'max'),
            ]
            # Places that are in no tensor, for gradients of what takes places.
            parts += [
                paddle.full(shape, far, kind).astype('float32')
                for shape in ([3], [4], [4, 1], [4, 2], [2, 2], [4, 6])
                for far, kind in ((-1, 'int64'), (1 << 40, 'int64'), (1 << 30, 'int32'))
            ]
            (gradient,) = paddle.static.gradients([paddle.add_n([p.sum() for p in parts])], [x])
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor.run(startup)
            prefix = os.path.join(folder, 'm')
            paddle.static.save_inference_model(
                prefix, [x, i], [gradient], executor, program=program
            )
    finally:
        paddle.disable_static()
    return {p.suffix: p.read_bytes() for p in pathlib.Path(folder).iterdir()}


def load_params(path):
    """Parameters for the program beside them."""
    import paddle

    paddle.jit.load(path.rsplit('.', 1)[0])


def load_inference_state(path):
    """A state dict from a program and its parameters."""
    import paddle

    paddle.load(path.rsplit('.', 1)[0])


def load_static(path):
    """A program without parameters, from bytes."""
    import paddle

    with open(path, 'rb') as stream:
        paddle.static.deserialize_program(stream.read())


def load_checkpoint(path):
    """A checkpoint of paddle.Model: parameters and optimizer."""
    import paddle

    net = paddle.nn.Linear(2, 2)
    model = paddle.Model(net)
    model.prepare(
        paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 2), parameters=net.parameters())
    )
    prefix = path.rsplit('.', 1)[0]
    other = '.pdopt' if path.endswith('.pdparams') else '.pdparams'
    pathlib.Path(prefix + other).write_bytes(SAMPLES['checkpoint'][other])
    model.load(prefix)


def load_wave(path):
    """A wave file."""
    import paddle

    paddle.audio.info(path)
    paddle.audio.load(path)


def _images(path):
    from paddle.vision import datasets

    labels = path + '.labels'
    pathlib.Path(labels).write_bytes(SAMPLES['idx']['labels'])
    return datasets.MNIST(path, labels)[0]


def _cifar(path):
    from paddle.vision import datasets

    return datasets.Cifar10(path)[0]


def _imdb(path):
    from paddle import text

    return len(text.Imdb(path, cutoff=0))


def _films(path):
    from paddle import text

    return len(text.Movielens(path))


def _folder(path):
    from PIL import Image

    from paddle.vision import image_load

    try:
        image_load(path, backend='pil').tobytes()
    except (SyntaxError, struct.error, Image.DecompressionBombError):  # PIL's own
        pass


SAMPLES = {}


def _bytes(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _tar(members):
    def write(stream):
        with tarfile.open(fileobj=stream, mode='w') as archive:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))

    return gzip.compress(_bytes(write), 1)


def _zip(members):
    def write(stream):
        with zipfile.ZipFile(stream, 'w', zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)

    return _bytes(write)


def _wave(stream):
    with wave.open(stream, 'wb') as file:
        file.setparams((2, 2, 16000, 0, 'NONE', None))
        file.writeframes(bytes(range(200)))


def make_samples():
    """Files that are made here and not kept in the tree: format -> ending -> bytes."""
    import numpy as np

    import paddle

    paddle.seed(0)
    net = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.Adam(
        paddle.optimizer.lr.StepDecay(0.1, 2), parameters=net.parameters()
    )
    net(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    tensors = {
        'a': paddle.ones([2, 3]),
        'b': paddle.zeros([4], 'int64'),
        'c': paddle.ones([2], 'bfloat16'),
    }
    everything = {
        'a': np.ones(3),
        (1, 'x'): [None, 1.5, {2}],
        'b': b'bytes' * 60,
        'n': 2**80,
        'f': frozenset([1]),
        'c': 1j,
        's': slice(1),
    }
    images = b'\0\0\x08\x03\0\0\0\x02\0\0\0\x1c\0\0\0\x1c' + bytes(2 * 28 * 28)
    batch = {'data': np.zeros((2, 3072), 'uint8'), 'labels': [1, 2]}
    SAMPLES.update(
        {
            'checkpoint': {
                '.pdparams': _bytes(lambda s: paddle.save(net.state_dict(), s)),
                '.pdopt': _bytes(lambda s: paddle.save(optimizer.state_dict(), s)),
            },
            'safetensors': {
                '.safetensors': _bytes(lambda s: paddle.save(tensors, s, safetensors=True))
            },
            'record': {
                '.tensor': _bytes(lambda s: paddle.save(tensors['a'], s, use_binary_format=True))
            },
            'protocols': {f'_{p}.pdparams': pickle.dumps(everything, p) for p in (2, 4, 5)},
            'wave': {'.wav': _bytes(_wave)},
            'idx': {
                '.gz': gzip.compress(images, 1),
                '.idx': images,
                'labels': b'\0\0\x08\x01\0\0\0\x02\1\2',
            },
            'cifar': {'.tar.gz': _tar({'c/data_batch_1': pickle.dumps(batch, 2)})},
            'imdb': {
                '.tgz': _tar(
                    {
                        f'aclImdb/train/{kind}/{i}.txt': b'good film, bad film'
                        for kind in ('pos', 'neg')
                        for i in range(2)
                    }
                )
            },
            'films': {
                '.zip': _zip(
                    {
                        'ml-1m/movies.dat': b'1::Toy Story (1995)::Animation|Comedy\n',
                        'ml-1m/users.dat': b'1::F::1::10::48067\n',
                        'ml-1m/ratings.dat': b'1::1::5::978300760\n',
                    }
                )
            },
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        SAMPLES['training'] = _differentiated(folder)
    try:
        from PIL import Image
    except ImportError:
        return
    picture = Image.fromarray(np.arange(192, dtype='uint8').reshape(8, 8, 3))
    SAMPLES['image'] = {
        f'.{kind}': _bytes(lambda s, k=kind: picture.save(s, k))
        for kind in ('png', 'jpeg', 'bmp', 'gif')
    }


# What is read with a file that was made here.
BESIDE = {('.json', '.pdiparams')}


def samples(kind):
    """[(ending, bytes, files beside it)] of a format."""
    folder, endings = FORMATS[kind][0], FORMATS[kind][3:]
    if folder in SAMPLES:
        made = SAMPLES[folder]
        return [
            (end, data, {e: made[e] for e in made if (end, e) in BESIDE})
            for end, data in made.items()
            if end.startswith(('.', '_')) and all(end != e for _, e in BESIDE)
        ]
    found = []
    for path in sorted((CORPUS / folder).iterdir()):
        if path.suffix in endings:
            beside = {
                p.suffix: p.read_bytes()
                for p in path.parent.iterdir()
                if p.stem == path.stem and p != path
            }
            found.append((path.suffix, path.read_bytes(), beside))
    return found


_ARCHIVE = m.either(m.gzipped(m.tar_blocks))
# format: (folder of the corpus or sample, damage, reader, endings in the corpus)
FORMATS = {
    'pickle': ('pickle', m.either(m.pickle_opcodes), load_state, '.pdparams'),
    'protocols': ('protocols', m.either(m.pickle_opcodes), load_numpy),
    'checkpoint': ('checkpoint', m.either(m.pickle_opcodes), load_checkpoint),
    'safetensors': ('safetensors', m.either(m.safetensors_header), load_state),
    'record': ('record', m.either(m.tensor_records), load_state),
    'params': ('json', m.either(m.tensor_records), load_params, '.pdiparams'),
    'state': ('json', m.either(m.json_fields), load_inference_state, '.json'),
    'program': ('json', m.either(m.json_fields), load_static, '.json'),
    'json': ('json', m.either(m.json_fields), run_model, '.json'),
    'predictor': ('json', m.either(m.json_fields), run_predictor, '.json'),
    'training': ('training', m.program_operands, run_training),
    'model': ('model', m.either(m.protobuf_fields), run_model, '.pdmodel'),
    'wave': ('wave', m.plain, load_wave),
    'idx': ('idx', m.plain, _images),
    'cifar': ('cifar', _ARCHIVE, _cifar),
    'imdb': ('imdb', _ARCHIVE, _imdb),
    'films': ('films', m.plain, _films),
    'image': ('image', m.plain, _folder),
}
