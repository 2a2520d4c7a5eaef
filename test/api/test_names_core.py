# SPDX-License-Identifier: Apache-2.0
"""Names of the core that op tests use: rows of tables, files of variables, numbers as attributes,
queries."""

import struct
import tarfile

import numpy as np
import pytest

import paddle
from paddle.base import core, framework


def dense(array):
    made = core.DenseTensor()
    made.set(np.asarray(array), paddle.CPUPlace())
    return made


def test_rows_of_a_table(tmp_path):
    rows = core.SelectedRows([4, 1, 4], 6)
    rows.get_tensor().set(np.arange(6, dtype='float32').reshape(3, 2), paddle.CPUPlace())
    rows.sync_index()
    assert (rows.rows(), rows.height(), rows.numel()) == ([4, 1, 4], 6, 6)
    table = rows.to_dense()
    assert table.shape == (6, 2) and table[4].tolist() == [4, 6] and table[1].tolist() == [2, 3]
    merged = paddle.nn.clip.merge_selected_rows(rows)
    assert merged.rows() == [1, 4] and np.array(merged.get_tensor()).tolist() == [[2, 3], [4, 6]]
    values = paddle.nn.clip.get_tensor_from_selected_rows(merged)
    assert values.tolist() == [[2, 3], [4, 6]]
    path = str(tmp_path / 'rows')
    core.save_selected_rows(rows, path)
    read = core.load_selected_rows(path)
    assert read.rows() == [4, 1, 4] and read.height() == 6
    np.testing.assert_array_equal(np.array(read.get_tensor()), np.array(rows.get_tensor()))
    data = (tmp_path / 'rows').read_bytes()
    assert data[:12] == struct.pack('<IQ', 0, 3) and data[36:44] == struct.pack('<q', 6)
    for bad in (data[:20], b'', struct.pack('<IQ', 0, 1 << 60), b'\x01' + data[1:]):
        (tmp_path / 'bad').write_bytes(bad)
        with pytest.raises(ValueError, match='load_selected_rows'):
            core.load_selected_rows(str(tmp_path / 'bad'))
    scope = paddle.static.Scope()
    held = scope.var('W').get_selected_rows()
    held.set_rows([2])
    assert scope.find_var('W').get_selected_rows() is held and held.rows() == [2]
    held.set_height(2)
    held.get_tensor().set(np.ones([1, 2], 'float32'))
    with pytest.raises(ValueError, match='from 0 to 1'):
        held.to_dense()
    with pytest.raises(TypeError, match='SelectedRows'):
        paddle.nn.clip.merge_selected_rows(paddle.ones([2]))


def test_files_of_variables(tmp_path):
    path = str(tmp_path / 'folder' / 'one')
    array = np.arange(6, dtype='float32').reshape(2, 3)
    core.save_func(dense(array), 'x', path, True, False)
    out = core.DenseTensor()
    core.load_func(path, -1, [], False, out, paddle.CPUPlace())
    assert np.array(out).tolist() == array.tolist()
    core.load_func(path, 2, [2, 1], True, out, paddle.CPUPlace())
    assert np.array(out).dtype == np.float16 and np.array(out).tolist() == [[2], [3]]
    with pytest.raises(RuntimeError, match='overwrite'):
        core.save_func(dense(array), 'x', path, False, False)
    with pytest.raises(ValueError, match='part of 6 elements'):
        core.load_func(path, 5, [2], False, out)
    core.save_combine_func([dense(array), dense([1, 2])], ['x', 'y'], path, True, True, False)
    parts = [core.DenseTensor(), core.DenseTensor()]
    core.load_combine_func(path, ['x', 'y'], parts, False, paddle.CPUPlace())
    assert np.array(parts[0]).dtype == np.float16 and np.array(parts[1]).tolist() == [1, 2]
    with pytest.raises(ValueError, match='got more'):
        core.load_combine_func(path, ['x'], parts[:1])
    written = core.save_dense_tensor(dense(array), path)
    assert core.load_dense_tensor(out, path) == written
    assert np.array(core.load_dense_tensor(path)).tolist() == array.tolist()
    with pytest.raises(TypeError, match='DenseTensor'):
        core.save_dense_tensor(3, path)


def test_numbers_as_attributes():
    one, two = framework.wrap_as_scalars([1, True])
    assert repr(framework.wrap_as_scalar(1.5)) == 'Scalar(float64(1.5))'
    assert repr(one) == 'Scalar(int64(1))' and repr(two) == 'Scalar(bool(1))' and one != two
    array = np.array([[1j, 2.0]])
    assert framework.extract_plain_list(framework.wrap_as_scalars(array)) == [1j, 2 + 0j]
    with pytest.raises(TypeError, match=r'\[Scalar\]'):
        framework.wrap_as_scalar('1')
    assert framework.paddle_type_to_proto_type[paddle.float32] == core.VarDesc.VarType.FP32


def test_queries(tmp_path):
    assert core.get_attribute_type('scale', 'bias') == core.AttrType.FLOAT
    with pytest.raises(ValueError, match='attribute of scale'):
        core.get_attribute_type('scale', 'nobody')
    assert core.OpUpdateType.kNewInput == 3 and core.ReduceOp.MAX == paddle.distributed.ReduceOp.MAX
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert core.eager.scale(x, 2.0, 1.0, True, False).stop_gradient
    assert core.eager.scale(x, 2.0, 1.0, True, True).tolist() == [3, 5]
    sparse = core.eager.sparse_coo_tensor(paddle.to_tensor([[0, 2]]), paddle.ones([2]), [4])
    assert sparse.to_dense().tolist() == [1, 0, 1, 0]
    with pytest.raises(AttributeError, match='core.eager'):
        core.eager.nobody
    array = core.DenseTensorArray()
    array.append(dense([1]))
    assert len(array._move_to_list()) == 1 and len(array) == 0
    with pytest.raises(TypeError, match='DenseTensorArray'):
        array.append(3)
    core.clear_low_precision_op_list()
    paddle.set_flags({'FLAGS_low_precision_op_list': 1})
    try:
        x + x
        x.astype('float16') * 2.0
        assert core.get_low_precision_op_list()['add'] == '0,0,1,0'
        x + x
        assert core.get_low_precision_op_list()['add'] == '0,0,2,0'
    finally:
        paddle.set_flags({'FLAGS_low_precision_op_list': 0})
        core.clear_low_precision_op_list()
    assert core.get_low_precision_op_list() == {}


def test_operations_of_a_program_by_dtype(tmp_path, capsys):
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data('x', [2], 'float32')
            y = paddle.exp(x) + paddle.cast(paddle.exp(paddle.cast(x, 'bfloat16')), 'float32')
        (counts,) = paddle.static.amp.debugging._get_op_stats_list(main)
        assert counts['exp'] == [0, 1, 1, 0] and counts['add'] == [0, 0, 1, 0]
        paddle.static.amp.debugging.collect_operator_stats(main)
        assert 'exp' in capsys.readouterr().out
        path = str(tmp_path / 'main.json')
        core.serialize_pir_program(main, path)
        assert core.pir._load_json(path).num_ops() == main.num_ops()
        with pytest.raises(RuntimeError, match='overwrite'):
            core.serialize_pir_program(main, path, False)
        w = paddle.static.create_parameter([2], 'float32', name='kept')
        with paddle.static.program_guard(main):
            z = w + y
        paddle.pir.core.set_state_dict(main, {'kept': np.array([5.0, 6.0], 'float32')})
        assert w.numpy().tolist() == [5, 6] and z is not None
    finally:
        paddle.disable_static()


def test_triangles_from_vectors():
    from paddle.distribution.lkj_cholesky import tril_matrix_to_vec, vec_to_tril_matrix

    flat = paddle.arange(1.0, 7.0).reshape([2, 3])
    full = vec_to_tril_matrix(flat, 3, 3, 2, (), -1)
    assert full.tolist()[0] == [[0, 0, 0], [1, 0, 0], [2, 3, 0]]
    assert tril_matrix_to_vec(full, -1).tolist() == flat.tolist()
    assert vec_to_tril_matrix(flat, 3, 3, 2, (1, 2), -1).shape == [1, 2, 3, 3]
    with pytest.raises(ValueError, match='last_dim'):
        vec_to_tril_matrix(flat, 3, 3, 2)


def test_texts_as_readers(tmp_path, monkeypatch):
    import io

    from paddle.dataset import imdb, wmt16

    def packed(name, files):
        folder = tmp_path / name.split('/')[0]
        folder.mkdir()
        with tarfile.open(tmp_path / name, 'w:gz') as archive:
            for path, text in files.items():
                member = tarfile.TarInfo(path)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        return str(tmp_path / name)

    reviews = packed(
        'imdb/aclImdb_v1.tar.gz',
        {
            'aclImdb/train/pos/1.txt': 'good ' * 160,
            'aclImdb/train/neg/1.txt': 'bad good',
            'aclImdb/test/pos/1.txt': 'good!',
        },
    )
    pairs = packed(
        'wmt16/wmt16.tar.gz',
        {f'wmt16/{part}': 'a cat\teine katze\n' for part in ('train', 'test', 'val')},
    )
    for module, path in ((paddle.text.datasets, reviews), (paddle.text.translation, pairs)):
        monkeypatch.setattr(module, 'find_file', lambda given, *rest, path=path: given or path)
    monkeypatch.setattr(imdb, '_find_file', lambda *args: reviews)
    words = imdb.word_dict()
    assert words == {'good': 0, '<unk>': 1}
    assert list(imdb.train(words)()) == [([0] * 160, 0), ([1, 0], 1)]
    assert list(imdb.test(words)()) == [([0], 0)]
    ((source, target, behind),) = wmt16.train(10, 10)()
    english = wmt16.get_dict('en', 10)
    assert source[1:-1] == [english['a'], english['cat']]
    assert target[1:] == behind[:-1] and list(wmt16.test(10, 10, 'de')()) != []
    assert wmt16.get_dict('en', 10, True)[english['cat']] == 'cat'
    assert list(wmt16.validation(10, 10)()) == [(source, target, behind)]


def test_signatures_of_few():
    assert paddle.dtype.ALL_DTYPE == paddle.dtype.UNDEFINED
    one, two = paddle.inference.XpuConfig(), paddle.inference.XpuConfig()
    one.quant_post_dynamic_op_types.append('conv2d')
    assert two.quant_post_dynamic_op_types == [] == type(two).quant_post_dynamic_op_types
    with paddle.device.cuda.stream_guard(None):
        assert paddle.ones([1]).item() == 1
    with pytest.raises(TypeError):
        paddle.device.cuda.stream_guard()
    coo = paddle.sparse.sparse_coo_tensor([[0, 0]], [1.0, 2.0], [2])
    assert coo.coalesce(name=None).nnz() == 1
    with pytest.raises(NotImplementedError, match='coalesce'):
        paddle.ones([2]).coalesce()
