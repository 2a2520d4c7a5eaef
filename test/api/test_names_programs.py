# SPDX-License-Identifier: Apache-2.0
"""Programs taken apart into operations: their members, passes in place, gradients of one operation;
and the guards, ciphers and lists of scopes that tests take from the core."""

import numpy as np
import pytest

import paddle
from paddle.base import core
from paddle.base.libpaddle import pir

X = np.arange(6, dtype='float32').reshape(2, 3)


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def run(main, values):
    return paddle.static.Executor().run(main, feed={'x': X}, fetch_list=values)


def names(main):
    return [op.name() for op in main.global_block().ops]


def test_members_of_operations_and_values():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        y = paddle.nn.functional.softmax(x)
        z = paddle.mean(y)
    op = y.get_defining_op()
    assert (op.name(), op.get_input_names(), op.get_output_names()) == (
        'pd_op.softmax',
        ['x'],
        ['out'],
    )
    assert op == y.get_defining_op() and len({op, y.get_defining_op()}) == 1
    assert op.get_attr_names() == ['axis'] and op.has_attr('axis') and op.int_attr('axis') == -1
    assert __file__ in op.callstack[0] and op.num_regions() == 0 and op.blocks() == []
    assert op.operands_source()[0].is_same(x) and not x.is_same(y) and x.id != y.id
    assert [user.name() for user in x.all_used_ops()] == ['pd_op.softmax']
    assert y.has_one_use() and z.use_empty() and not x.use_empty()
    op.set_int_attr('op_role', 2)
    assert op.int_attr('op_role') == 2
    with pytest.raises(ValueError, match='missing'):
        op.int_attr('missing')


def test_blocks_of_operations_and_what_is_removed():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        r = paddle.static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x * 2)
        q = paddle.exp(r)
    op, last = r.get_defining_op(), q.get_defining_op()
    inner = op.blocks()[0]
    assert len(op.blocks()) == op.num_regions() == 2 and inner.parent_op == op
    assert inner.ops[0].get_parent_block().parent_op == op
    with pytest.raises(RuntimeError, match='nobody reads'):
        op.erase()
    last.erase()
    with pytest.raises(RuntimeError, match='removed'):
        last.name()
    np.testing.assert_array_equal(run(main, [r])[0], X + 1)


def test_passes_change_a_program_and_values_keep_their_meaning():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        a, b = paddle.exp(x), paddle.exp(x)
        c = a + b
    before = main.num_ops()
    assert pir.apply_cse_pass(main) is main and main.num_ops() == before - 1
    for value, want in ((c, 2 * np.exp(X)), (a, np.exp(X)), (b, np.exp(X))):
        np.testing.assert_allclose(run(main, [value])[0], want, rtol=1e-6)
    with paddle.static.program_guard(main):
        unused = paddle.tanh(c)
    manager = pir.PassManager()
    manager.add_pass('dead_code_elimination_pass', {})
    assert manager.passes() == ['dead_code_elimination_pass'] and not manager.empty()
    with pytest.raises((ValueError, RuntimeError), match='nonsense'):
        manager.add_pass('nonsense', {})
    manager.run(main)
    assert unused is not None and 'pd_op.tanh' not in names(main)
    manager.clear()
    assert manager.empty()
    assert core.PassVersionChecker.IsCompatible('dead_code_elimination_pass')
    assert not core.PassVersionChecker.IsCompatible('nonsense')


def test_operations_are_taken_apart_where_that_is_enabled():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        y = paddle.nn.functional.softmax(x)
        z = paddle.mean(y)
    want = run(main, [y, z])
    paddle.decomposition.decompose(main, [y, z])
    assert 'pd_op.softmax' in names(main)
    core._set_prim_forward_enabled(True)
    try:
        y, z = paddle.decomposition.decompose(main, [y, z], blacklist={'pd_op.mean'})
    finally:
        core._set_prim_forward_enabled(False)
    assert 'pd_op.softmax' not in names(main) and 'pd_op.mean' in names(main)
    for got, one in zip(run(main, [y, z]), want):
        np.testing.assert_allclose(got, one, rtol=1e-6)
    with pytest.raises(TypeError, match='expected a Program'):
        paddle.decomposition.decompose(3, [])


def test_gradient_of_one_operation():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        x.stop_gradient = False
        y = paddle.tanh(x)
        op = y.get_defining_op()
        assert core.has_vjp(op) and not core.has_vjp(x.get_defining_op())
        d = paddle.full([2, 3], 2.0)
        assert core.call_vjp(op, [[x]], [[y]], [[d]], [[True]]) == [[None]]
        [[grad]] = core.call_vjp(op, [[x]], [[y]], [[d]], [[False]])
    np.testing.assert_allclose(
        run(main, [grad])[0], 2 * (1 - np.tanh(X) ** 2), rtol=2e-5, atol=1e-7
    )
    assert core.has_grad_op_maker('tanh') and core.has_infer_inplace('tanh')
    assert not core.has_infer_inplace('matmul_v2')
    with pytest.raises(RuntimeError, match='nonsense'):
        core.has_grad_op_maker('nonsense')


def test_dictionaries_and_sets_of_values():
    from paddle.autograd.backward_utils import ValueDict, ValueSet

    with paddle.static.program_guard(paddle.static.Program()):
        x, y = paddle.static.data('x', [2]), paddle.static.data('y', [2])
        held = ValueDict({}, default_factory=list)
        held[x].append(1)
        assert held[x] == [1] and x in held and y not in held and len(held) == 1
        assert held.get(y) is None and [v.is_same(x) for v in held] == [True]
        assert held.setdefault(y, [2]) == [2] and [v for _, v in held.items()] == [[1], [2]]
        assert held.pop(y) == [2] and held.pop(y, None) is None
        assert held.pop(x) == [1] and not held
        both, one = ValueSet([x, y, x]), ValueSet([x])
        assert [len(s) for s in (both, both - one, both & one, both | one)] == [2, 1, 1, 2]
        with pytest.raises(TypeError, match='expected a Value'):
            held['x'] = 1


def test_lists_of_tensors_in_scopes():
    scope, tensor = paddle.static.Scope(), core.DenseTensor()
    tensor.set(X)
    core.set_feed_variable(scope, tensor, 'feed', 1)
    assert core.get_fetch_variable(scope, 'feed', 1) is tensor
    assert len(scope.find_var('feed').get_fetch_list()) == 2
    with pytest.raises(ValueError, match='below 2'):
        core.get_fetch_variable(scope, 'feed', 2)


def test_guards():
    class Thing:
        pass

    thing, other = Thing(), Thing()
    thing.part = other.part = Thing()
    layer = paddle.nn.Identity()
    for guard, good, bad in (
        (core.TypeMatchGuard(int), [1], [True, 1.0]),
        (core.IdMatchGuard(thing), [thing], [other]),
        (core.ValueMatchGuard(1), [1], [1.0, True, 2]),
        (core.LengthMatchGuard(2), [[1, 2]], [(1,), 3]),
        (core.AttributeMatchGuard(thing, 'part'), [thing, other], [Thing()]),
        (core.InstanceCheckGuard((int, str)), [1, 's'], [1.0]),
        (core.LambdaGuard(lambda x: x > 1), [2], [1, 's']),
        (core.LayerMatchGuard(layer), [layer], [paddle.nn.Identity(), 3]),
        (core.GuardGroup([core.TypeMatchGuard(int), core.ValueMatchGuard(1)]), [1], [2, 1.0]),
        (core.GuardGroup([]), [None], []),
    ):
        assert all(guard.check(value) for value in good), guard
        assert not any(guard.check(value) for value in bad), guard
    guard = core.LayerMatchGuard(layer)
    layer.eval()
    assert not guard.check(layer)
    paddle.disable_static()
    shape = core.ShapeMatchGuard([1, None], 2)
    shapes = [[1, 3], [1, 1], [2, 3], [1]]
    assert [shape.check(paddle.ones(s)) for s in shapes] == [True, False, False, False]
    assert core.DtypeMatchGuard(paddle.float32).check(paddle.ones([1]))
    assert not core.DtypeMatchGuard(paddle.float32).check(paddle.ones([1], 'int32'))
    assert core.Device(1, 0, 0, 'CPU') == core.Device(1, 0, 0, 'CPU') != core.Device(2, 0, 0, 'CPU')


# What 3.3.1 made of this text, with the key 0, 1, ..., 31.
TEXT = b'hello world, 12345678901234567890'
ENCRYPTED = {
    'AES_ECB_PKCSPadding': (
        '0f473e36367a35e531b4cb1139feefd0d96854e1813f938423b86e23b275d29e2031916c'
        '79d9ed137540730fb795381c'
    ),
    'AES_CBC_PKCSPadding': (
        'bd38a68d533375e1a6fac664295788a3fee747d5fbeb67e46dc812506e82762d0851f36d'
        '5b652daf3997f88d7093ccd5cbc12e2c9292d89bdd78fa84549def6c'
    ),
    'AES_CTR_NoPadding': (
        '423cfee9534aa3627fc4d2046e853b549169019926698699012260090995ffcf9775bfe4'
        'e5016a1556655ad2bd6ccf3784'
    ),
    'AES_GCM_NoPadding': (
        '3c06e01811a7968193b65041a5c1f5af14085987028fe7e6c9003b0722c5c7bca00cabc9'
        '2156814f6aff9a554df8bb0a9f5c304da7a118f2791163aecfc4cddcc2'
    ),
}


@pytest.mark.parametrize('name', sorted(ENCRYPTED))
def test_ciphers(name, tmp_path):
    config, path = tmp_path / 'config', str(tmp_path / 'text')
    config.write_text(f'cipher_name : {name}\niv_size : 128\ntag_size : 128\n')
    cipher = core.CipherFactory.create_cipher(str(config))
    assert cipher.decrypt(bytes.fromhex(ENCRYPTED[name]), bytes(range(32))) == TEXT
    for bits in (128, 192, 256):
        key = core.CipherUtils.gen_key_to_file(bits, str(tmp_path / 'key'))
        assert core.CipherUtils.read_key_from_file(str(tmp_path / 'key')) == key
        for text in (b'', TEXT, bytes(1000)):
            cipher.encrypt_to_file(text, key, path)
            assert cipher.decrypt_from_file(key, path) == text
    closed = bytearray(cipher.encrypt(TEXT, key))
    with pytest.raises(ValueError, match='16, 24 or 32'):
        cipher.decrypt(closed, b'short')
    if 'GCM' in name:
        closed[20] ^= 1
        with pytest.raises(ValueError, match='got others'):
            cipher.decrypt(closed, key)
    config.write_text('cipher_name : ROT13\n')
    with pytest.raises(ValueError, match='ROT13'):
        core.CipherFactory.create_cipher(str(config))


def test_state_of_adamw_with_its_places():
    paddle.disable_static()
    layer = paddle.nn.Linear(2, 3)
    optimizer = paddle.optimizer.AdamW(parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    state = optimizer.sharded_state_dict(layer.sharded_state_dict())
    kinds = ('moment1_0', 'moment2_0', 'beta1_pow_acc_0', 'beta2_pow_acc_0')
    assert set(state) == {f'{name}.{kind}' for name in ('weight', 'bias') for kind in kinds}
    moment = state['weight.moment1_0']
    assert moment.key == 'weight.moment1_0' and tuple(moment.global_shape) == (2, 3)
    assert tuple(moment.local_shape) == (2, 3) and tuple(moment.global_offset) == (0, 0)
    assert moment.local_tensor.name == layer.weight.name + '_moment1_0'
    assert tuple(state['bias.beta1_pow_acc_0'].global_shape) == (1,)
    with pytest.raises(TypeError, match='expected ShardedWeights'):
        optimizer.sharded_state_dict({'weight': layer.weight})


def test_state_of_parameters_whose_names_begin_alike():
    weights = [
        paddle.create_parameter([2 + i], 'float32', name=name)
        for i, name in enumerate(('alike', 'alike_2'))
    ]
    optimizer = paddle.optimizer.AdamW(parameters=weights)
    sum(w.sum() for w in weights).backward()
    optimizer.step()
    from paddle.distributed.flex_checkpoint.dcp.sharded_weight import ShardedWeight

    places = {
        w.name: ShardedWeight(w.name, w, tuple(w.shape), tuple(w.shape), (0,)) for w in weights
    }
    state = optimizer.sharded_state_dict(places)
    kinds = ('moment1_0', 'moment2_0', 'beta1_pow_acc_0', 'beta2_pow_acc_0')
    assert set(state) == {f'{w.name}.{kind}' for w in weights for kind in kinds}
    assert [tuple(state[f'{w.name}.moment1_0'].global_shape) for w in weights] == [(2,), (3,)]


def test_a_description_is_translated_to_a_program_and_its_names():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        w = paddle.static.create_parameter([3, 2], 'float32', name='translated_w')
        y = paddle.tanh(x @ w)
    program = pir.translate_to_pir(main.desc)
    assert program is not main and names(program) == names(main)
    program, found = pir.translate_to_pir_with_param_map(main.desc)
    assert {'x', 'translated_w', y.name} <= found.keys()
    (got,) = run(program, found[y.name])
    np.testing.assert_allclose(got, run(main, [y])[0])
    with pytest.raises(TypeError, match='translate_to_pir.*ProgramDesc'):
        pir.translate_to_pir(main)


def test_clones_tell_which_values_are_which():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        y = paddle.exp(paddle.static.data('x', [2, 3]))
    copy, (old, new) = paddle.base.libpaddle.pir.clone_program(main)
    places = [main._key(v) for v in old]
    twin = new[places.index(main._key(y))]
    np.testing.assert_allclose(run(copy, [twin])[0], np.exp(X), rtol=1e-6)


def test_blocks_tell_what_they_take_from_outside():
    find = paddle.base.libpaddle.pir.get_used_external_value
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        test, twice = x.sum() > 0, x * 2
        paddle.static.nn.cond(test, lambda: twice + x, lambda: paddle.exp(x))
    (branch,) = [op for op in main.global_block().ops if op.name() == 'pd_op.if']
    keys = [main._key(v) for v in (test, twice, x)]
    assert [main._key(v) for v in find(branch)] == keys
    assert [[main._key(v) for v in find(b)] for b in branch.blocks()] == [keys[1:], keys[2:]]
    with pytest.raises(TypeError, match='get_used_external_value'):
        find(main)


def test_operations_have_roles():
    from paddle.base.framework import pir_chunk_id_guard, pir_op_role_guard
    from paddle.distributed.auto_parallel.static.utils import set_all_ops_op_role

    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [2, 3])
        with pir_op_role_guard(3):
            y = paddle.exp(x)
        with pir_chunk_id_guard(2), pir_op_role_guard():
            z = paddle.tanh(y)
        paddle.sin(z)
    exp, tanh, sin = (op for op in main.global_block().ops if op.name() != 'pd_op.data')
    assert exp.int_attr('op_role') == 3 and not exp.has_attr('chunk_id')
    assert tanh.int_attr('chunk_id') == 2 and not tanh.has_attr('op_role')
    set_all_ops_op_role(main.global_block(), 7)
    assert [op.int_attr('op_role') for op in (exp, tanh, sin)] == [3, 7, 7]
