# SPDX-License-Identifier: Apache-2.0
"""Marks of tensors and functions by names of axes (`fleet.auto`), and small parts of jobs."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed.fleet import auto


def test_marks_by_names_of_axes():
    mesh = auto.create_mesh([('dp', 1), ('mp', 1)])
    assert auto.get_mesh() == mesh
    x = paddle.ones([4, 2])
    placed = auto.shard_tensor(x, mesh, [None, 'mp'])
    assert placed.placements == [dist.Replicate(), dist.Shard(1)]
    product = auto.shard_op(paddle.matmul, mesh, [['dp', None], None], [['dp', 'mp']])
    out = product(x, paddle.ones([2, 3]))
    assert out.placements == [dist.Shard(0), dist.Shard(1)]
    assert out.numpy().tolist() == [[2.0] * 3] * 4
    with pytest.raises(ValueError, match='axes of'):
        auto.shard_tensor(x, mesh, ['pp', None])
    with pytest.raises(ValueError, match='2 axes'):
        auto.shard_tensor(x, mesh, ['dp'])


def test_reductions_have_numbers():
    from paddle.distributed.communication.reduce import ReduceOp, _get_reduce_op

    assert _get_reduce_op(ReduceOp.PROD) == ReduceOp.PROD
    with pytest.raises(ValueError, match='7'):
        _get_reduce_op(7)


def test_files_of_what_a_program_keeps(tmp_path):
    import paddle.distributed.io as files

    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program, paddle.static.Program()):
            x = paddle.static.data('x', [None, 3])
            paddle.nn.Linear(3, 2, weight_attr=paddle.ParamAttr(name='kept_w'))(x)
        executor = paddle.static.Executor()
        files.save_persistables(executor, str(tmp_path), program, 'all')
        weight = program.state_dict()['kept_w']
        before = weight.numpy()
        assert files.is_persistable(weight)
        program.set_state_dict({'kept_w': np.zeros([3, 2], 'float32')})
        files.load_persistables(executor, str(tmp_path), program, 'all')
        assert (program.state_dict()['kept_w'].numpy() == before).all()
    finally:
        paddle.disable_static()
    with pytest.raises(NotImplementedError, match='parameter servers'):
        files.load_inference_model_distributed('x', executor, pserver_endpoints=['a'])
    assert dist.create_nccl_config() is None
    with pytest.raises(NotImplementedError, match='options'):
        dist.create_nccl_config({'ll_buffsize': 1})


def test_files_of_this_host(tmp_path):
    from paddle.distributed import fleet

    fs, one = fleet.utils.LocalFS(), str(tmp_path / 'one')
    with open(one, 'w', encoding='utf-8') as stream:
        stream.write('text\n')
    assert fs.cat(one) == 'text' and fs.cat(str(tmp_path / 'none')) == ''
    fs.mkdirs(str(tmp_path / 'from'))
    fs.upload(one, str(tmp_path / 'from' / 'two'))
    fs.upload_dir(str(tmp_path / 'from'), str(tmp_path / 'to'))
    fs.download(str(tmp_path / 'to' / 'two'), str(tmp_path / 'three'))
    assert fs.cat(str(tmp_path / 'three')) == 'text'
    fs.mv(one, one, overwrite=True)  # onto itself
    assert fs.cat(one) == 'text'
    with pytest.raises(Exception, match='directory'):
        fs.upload_dir(one, str(tmp_path / 'four'))


def test_kernels_of_old_operations():
    names = {'reduce_sum': 'sum', 'lookup_table_v2': 'embedding', 'unknown': 'unknown'}
    for old, new in names.items():
        assert paddle.inference._get_phi_kernel_name(old) == new


def test_places_have_a_number_of_every_kind():
    assert paddle.CPUPlace().ipu_device_id() == 0
