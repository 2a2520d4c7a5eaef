# SPDX-License-Identifier: Apache-2.0
"""What planning asks of machines and operations, and helpers of launchers and of rewriters."""

import ast
import json
import math
import types
import urllib.error
import urllib.request

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.distributed.auto_parallel.static import cost, process_mesh_v2
from paddle.distributed.auto_parallel.static.cluster import Cluster, DeviceType, get_default_cluster
from paddle.distributed.auto_parallel.static.cost import comp_op_cost
from paddle.distributed.auto_parallel.static.tuner import recorder, tunable_variable
from paddle.distributed.auto_parallel.static.tuner.tunable_space import TunableSpace
from paddle.utils.flops import flops


def two_machines():
    made = Cluster()
    made.gen_default_config_cluster(node_count=2, device_count=2)
    return made


@pytest.fixture
def context(monkeypatch):
    monkeypatch.setattr(cost.CommContext, '_instance', None)
    monkeypatch.setattr(cost.CommContext, '_has_instance', False)
    return cost.CommContext(two_machines())


def test_clusters_number_devices_and_ranks(tmp_path):
    made = two_machines()
    assert made.get_num_machines() == 2 and made.get_num_devices_per_machine() == 2
    assert made.rank_to_device_id == {0: 0, 1: 1, 2: 4, 3: 5}
    assert made.convert_rank_to_device_id([0, 2]) == [0, 4]
    assert made.cross_machine([0, 4]) and not made.cross_machine([0, 1])
    assert made.get_hop(0, 1) == 0 and made.get_hop(0, 4) == 1
    np.testing.assert_allclose(made.get_beta(0, 1), 1e6 / 235e9)
    np.testing.assert_allclose(made.get_beta(0, 4), 1e6 / 24e9)
    assert [d.global_id for d in made.get_all_devices('GPU')] == [0, 1, 4, 5]
    path = tmp_path / 'cluster.json'
    gpu = {'type': 'GPU', 'sp_gflops': 100, 'dp_gflops': 50, 'memory': 8}
    machine = {
        'hostname': 'a',
        'addr': '127.0.0.1',
        'port': '768',
        'devices': [{**gpu, 'global_id': i, 'local_id': i} for i in range(2)],
        'links': [{'source_global_id': 0, 'target_global_id': 1, 'type': 'NVL', 'bandwidth': 100}],
    }
    path.write_text(json.dumps({'machines': [machine]}))
    read = get_default_cluster(str(path))
    assert read.get_device(1).type == DeviceType.GPU and read.get_device(1).sp_gflops == 100
    assert read.machines[0].links[0, 1].bandwidth == 100 and read.machines[0].hostname == 'a'
    assert get_default_cluster().get_num_devices_per_machine() == 1


def matmul(m, dtype=paddle.float32):
    return {
        'op': 'matmul_v2',
        'inputs': {'X': [(dtype, [m, m])], 'Y': [(dtype, [m, m])]},
        'outputs': {'Out': [(dtype, [m, m])]},
        'attrs': {'trans_x': False, 'trans_y': False},
    }


def test_computing_costs_operations_or_bytes():
    made = two_machines()
    large = comp_op_cost.MatmulV2OpCost(op_desc=matmul(4096), cluster=made, rank=1)
    assert large.flops == 2 * 4096**3 and large.memory == 4 * 4096**2
    np.testing.assert_allclose(large.time, large.flops / 15700e3)
    double = comp_op_cost.MatmulV2OpCost(op_desc=matmul(4096, paddle.float64), cluster=made)
    np.testing.assert_allclose(double.time, double.flops / 7800e3)
    moved = {'op': 'cast', 'inputs': {'X': [(paddle.float32, [1024, 1024])]}}
    cast = comp_op_cost.CastOpCost(op_desc=moved, cluster=made)
    assert cast.flops == 0 and cast.time == 4 * 1024**2 / 900e3
    grad = comp_op_cost.MatmulV2GradOpCost(op_desc={**matmul(64), 'op': 'matmul_v2_grad'})
    assert grad.flops == 4 * 64**3
    assert cost.CastOpCost is comp_op_cost.CastOpCost and cost.CastOpCost.OP_TYPE == 'cast'
    assert cost.CastOpCost().time == cost.CastOpCost(cluster=made).flops == 0
    with pytest.raises(TypeError, match='matmul_v2'):
        cost.CastOpCost(op_desc=matmul(4))
    with pytest.raises(AttributeError):
        cost.NothingOpCost  # noqa: B018
    assert comp_op_cost.Reshape2GradOpCost.OP_TYPE == 'reshape2_grad'


def test_costs_of_a_programs_operations():
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [8, 16])
            paddle.matmul(x, paddle.static.data('y', [16, 4]))
        (op,) = [op for op in main.global_block().ops if op.name() == 'pd_op.matmul']
    finally:
        paddle.disable_static()
    assert comp_op_cost.MatmulOpCost(op=op).flops == 2 * 8 * 16 * 4


def test_messages_cost_latency_and_bytes(context):
    assert cost.CommContext(two_machines()) is context

    def time(name, op, ranks, elements):
        desc = cost.build_comm_desc(op, ranks, paddle.float32, [elements])
        return getattr(cost, name)(op_desc=desc, comm_context=context).time

    near = time('AllreduceSumOpCost', 'c_allreduce_sum', [0, 1], 10**8)
    np.testing.assert_allclose(near, 4e8 * 1e6 / 235e9, rtol=0.02)
    far = time('AllreduceSumOpCost', 'c_allreduce_sum', [0, 2], 10**8)
    np.testing.assert_allclose(far, 4e8 * 1e6 / 24e9, rtol=0.02)
    assert time('AllreduceSumOpCost', 'c_allreduce_sum', [0], 10**8) == 0
    for name, op in (
        ('AllgatherOpCost', 'c_allgather'),
        ('BroadcastOpCost', 'c_broadcast'),
        ('SendOpCost', 'send_v2'),
        ('RecvOpCost', 'recv_v2'),
        ('IdentityOpCost', 'c_identity'),
    ):
        assert 0 < time(name, op, [0, 1], 10**6) < time(name, op, [0, 1], 10**8)
    with pytest.raises(ValueError, match='comm_context'):
        cost.SendOpCost(op_desc=cost.build_comm_desc('send_v2', [0, 1], paddle.float32, [1]))


def test_costs_add_up():
    total = cost.Cost(1, 2, 3) + cost.Cost(4, 5, 6)
    assert (total.time, total.memory, total.flops) == (5, 7, 9)
    with pytest.raises(ValueError, match='time'):
        cost.Cost(time=-1)


def test_flops():
    shapes = {'X': [[4, 6, 8]], 'Y': [[4, 8, 5]]}
    assert flops('matmul_v2', shapes, {'trans_x': False, 'trans_y': False}) == 1920
    turned = {'X': [[4, 8, 6]], 'Y': [[4, 5, 8]]}
    assert flops('matmul', turned, {'transpose_X': True, 'transpose_Y': True}) == 1920
    assert [flops(k, {'X': [[4, 6]]}, {}) for k in ('relu', 'gelu', 'softmax', 'reshape2')] == [
        24,
        120,
        72,
        0,
    ]
    assert flops('elementwise_add', {'X': [[4, 1]], 'Y': [[1, 6]]}, {}) == 24
    filters = {'Input': [[2, 3, 8, 8]], 'Filter': [[5, 3, 3, 3]]}
    assert flops('conv2d', filters, {'strides': [2, 2], 'paddings': [1, 1]}) == 2 * 2 * 16 * 135


def test_settings_of_a_search():
    space = TunableSpace()
    assert space.boolean('b', True) and space.choice('c', [1, 2, 3], 2) == 2
    assert space.int_range('i', 0, 10, 2) == 0 and space.float_range('f', 0.0, 1.0) == 0.0
    assert space.fixed('x', 7) == 7 and 'i' in space and 'zz' not in space
    space['i'] = 4
    assert space.int_range('i', 0, 10, 2) == space.get_value('i') == 4
    again = TunableSpace.from_state(json.loads(json.dumps(space.get_state())))
    assert again.values == space.values and list(again.variables) == ['b', 'c', 'i', 'f', 'x']
    drawn = {space.variables['i'].random(seed) for seed in range(50)}
    assert drawn == {0, 2, 4, 6, 8}
    ends = tunable_variable.IntRange('a', 1, 3, endpoint=True)
    assert {ends.random(seed) for seed in range(50)} == {1, 2, 3}
    assert all(0 <= space.variables['f'].random(seed) < 1 for seed in range(20))
    with pytest.raises(KeyError, match='zz'):
        space['zz']
    for make in (
        lambda: tunable_variable.Choice('c', [1], 3),
        lambda: tunable_variable.IntRange('c', 1.5, 3),
        lambda: tunable_variable.Boolean('b', 3),
    ):
        with pytest.raises(ValueError, match='expected'):
            make()
    with pytest.raises(TypeError, match='one type'):
        tunable_variable.Choice('c', [1, 'a'])


def test_records_of_a_search():
    seen = recorder.MetricsRecorder(['speed'])
    seen.register('time', 'min')
    seen.update('time', 2.0, 1)
    seen.update('time', 1.0, 2)
    assert seen.get_best_value('time') == 1.0 and seen.get_best_step('time') == 2
    assert seen.get_statistics('time')['std'] == 0.5
    assert seen.get_best_value('speed') is None and not seen.exists('other')
    again = recorder.MetricsRecorder.from_state(seen.get_state())
    assert again.get_records('time') == [
        recorder.MetricRecord(2.0, 1),
        recorder.MetricRecord(1.0, 2),
    ]
    with pytest.raises(ValueError, match='sideways'):
        seen.register('q', 'sideways')


def test_meshes_of_several_tensors():
    square, part = dist.ProcessMesh([[0, 1], [2, 3]]), dist.ProcessMesh([0, 1])
    assert process_mesh_v2.compute_compatible_process_mesh([part, square]) == square
    other = dist.ProcessMesh([1, 4])
    assert process_mesh_v2.compute_compatible_process_mesh([part, other]) is None
    assert process_mesh_v2.merge_process_mesh([square, other]).process_ids == [0, 1, 2, 3, 4]


def test_values_over_http():
    from paddle.distributed.fleet.utils.http_server import KVServer

    server = KVServer(0, {'job': 1})
    server.start()
    try:
        url = f'http://127.0.0.1:{server.http_server.server_address[1]}/job/a'

        def ask(method, data=None, url=url):
            asked = urllib.request.Request(url, data=data, method=method)
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked) as got:
                return got.read()

        ask('PUT', b'hello')
        assert ask('GET') == b'hello' and not server.should_stop()
        with pytest.raises(urllib.error.HTTPError):
            ask('GET', url=url + 'b')
        ask('DELETE')
        assert server.should_stop()
    finally:
        server.stop()


def test_launchers():
    from paddle.distributed.spawn import _get_default_nprocs, _options_valid_check
    from paddle.distributed.utils.launch_utils import find_free_ports

    assert _get_default_nprocs() >= 1 and len(find_free_ports(3)) == 3
    _options_valid_check({'backend': 'gloo'})
    with pytest.raises(ValueError, match='colour'):
        _options_valid_check({'colour': 1})


def test_helpers_of_rewriters():
    from paddle.jit.dy2static import UndefinedVar, create_bool_as_type
    from paddle.jit.dy2static.origin_info import ORIGIN_INFO, attach_origin_info
    from paddle.jit.dy2static.transformers.logical_transformer import cmpop_node_to_str
    from paddle.jit.dy2static.transformers.utils import index_in_list
    from paddle.jit.dy2static.utils import func_to_source_code, is_paddle_func, parse_arg_and_kwargs

    def f(x, y=1, *a, z=3, **k):
        return x < y

    assert parse_arg_and_kwargs(f) == (['x', 'y'], {'y': 1})
    assert is_paddle_func(paddle.add) and is_paddle_func(paddle.nn.Linear)
    assert not is_paddle_func(f) and not is_paddle_func(math.sin)
    assert index_in_list([1, 2], 2) == 1 and index_in_list([1, 2], 3) == -1
    tree = ast.parse(func_to_source_code(f))
    (compared,) = [n for n in ast.walk(tree) if isinstance(n, ast.Compare)]
    assert cmpop_node_to_str(compared.ops[0]) == '<' and cmpop_node_to_str(ast.NotIn()) == 'not in'
    attach_origin_info(tree, f)
    origin = getattr(compared, ORIGIN_INFO)
    assert origin.function_name == 'f' and origin.source_code.strip() == 'return x < y'
    assert origin.location.lineno == f.__code__.co_firstlineno + 1
    assert origin.as_frame()[0] == __file__
    with pytest.raises(UnboundLocalError, match='name'):
        UndefinedVar('name').check()
    flag = create_bool_as_type(paddle.ones([2]), False)
    assert flag.dtype == paddle.bool and not flag and create_bool_as_type(3) is True


def test_other_names():
    from paddle.distributed.fleet.meta_optimizers.common import OpRole
    from paddle.static.amp.bf16 import amp_lists

    assert isinstance(amp_lists, types.ModuleType) and 'matmul_v2' in amp_lists.bf16_list
    assert OpRole.Backward == 1 and OpRole.Forward == 0
    assert paddle.to_tensor([4.0]).__div__(2).item() == 2.0
