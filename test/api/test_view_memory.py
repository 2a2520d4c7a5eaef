# SPDX-License-Identifier: Apache-2.0
"""Which functions show the memory of their argument and which give memory of their own: as the
published package answers.
"""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def a(*shape):
    return paddle.to_tensor(np.arange(1, 1 + int(np.prod(shape)), dtype='float32').reshape(shape))


def c(*shape):
    return paddle.complex(a(*shape), a(*shape) + 0.5)


# name: (argument, function); the answers of paddlepaddle 3.3.1 are in the group's name.
SHARED = {
    'reshape': (a(2, 3), lambda x: x.reshape([3, 2])),
    'view': (a(2, 3), lambda x: x.view([3, 2])),
    'view_dtype': (a(2, 3), lambda x: x.view('int32')),
    'reshape_of_transposed': (a(2, 3, 4), lambda x: x.transpose([0, 2, 1]).reshape([2, 2, 2, 3])),
    'flatten_of_transposed': (a(2, 3, 4), lambda x: x.transpose([2, 0, 1]).flatten(1, 2)),
    'view_as': (a(2, 3), lambda x: x.view_as(a(3, 2))),
    'flatten': (a(2, 3), lambda x: x.flatten()),
    'ravel': (a(2, 3), paddle.ravel),
    'squeeze': (a(1, 3), lambda x: x.squeeze(0)),
    'unsqueeze': (a(3), lambda x: x.unsqueeze(0)),
    'transpose': (a(2, 3), lambda x: x.transpose([1, 0])),
    't': (a(2, 3), lambda x: x.t()),
    'T': (a(2, 3), lambda x: x.T),
    'mT': (a(2, 3), lambda x: x.mT),
    'moveaxis': (a(2, 3), lambda x: paddle.moveaxis(x, 0, 1)),
    'swapaxes': (a(2, 3), lambda x: paddle.swapaxes(x, 0, 1)),
    'permute': (a(2, 3), lambda x: paddle.permute(x, [1, 0])),
    'slice': (a(4, 3), lambda x: paddle.slice(x, [0], [1], [3])),
    'strided_slice': (a(4, 3), lambda x: paddle.strided_slice(x, [0], [0], [4], [2])),
    'index': (a(4, 3), lambda x: x[1]),
    'index_step': (a(4, 3), lambda x: x[::2]),
    'index_reversed': (a(4, 3), lambda x: x[::-1]),
    'index_full': (a(4, 3), lambda x: x[:]),
    'index_ellipsis': (a(4, 3), lambda x: x[...]),
    'index_none': (a(4, 3), lambda x: x[None]),
    'index_empty': (a(4, 3), lambda x: x[()]),
    'index_element': (a(4, 3), lambda x: x[1, 1]),
    'unbind': (a(4, 3), lambda x: paddle.unbind(x)[0]),
    'diagonal': (a(3, 3), paddle.diagonal),
    'unfold': (a(6), lambda x: x.unfold(0, 2, 2)),
    'as_strided': (a(6), lambda x: paddle.as_strided(x, [2, 2], [2, 1])),
    'as_real': (c(3), paddle.as_real),
    'real': (c(3), paddle.real),
    'imag': (c(3), lambda x: x.imag()),
    'as_complex': (a(3, 2), paddle.as_complex),
    'view_as_real': (c(3), paddle.view_as_real),
    'view_as_complex': (a(3, 2), paddle.view_as_complex),
    'unflatten': (a(6), lambda x: paddle.unflatten(x, 0, [2, 3])),
    'atleast_2d': (a(3), paddle.atleast_2d),
    'narrow': (a(4, 3), lambda x: paddle.narrow(x, 0, 0, 2)),
    'detach': (a(3), lambda x: x.detach()),
    'data': (a(3), lambda x: x.data),
    'dlpack': (a(3), lambda x: paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x))),
    'Flatten': (a(2, 3), paddle.nn.Flatten()),
}
OWN = {
    'reshape_that_copies': (a(2, 3), lambda x: x.t().reshape([6])),
    'expand': (a(1, 3), lambda x: x.expand([2, 3])),
    'expand_same': (a(2, 3), lambda x: x.expand([2, 3])),
    'expand_method': (a(2, 3), lambda x: paddle.expand(x, [1, 2, 3])),
    'broadcast_to': (a(1, 3), lambda x: paddle.broadcast_to(x, [2, 3])),
    'broadcast_to_same': (a(2, 3), lambda x: paddle.broadcast_to(x, [2, 3])),
    'expand_as': (a(1, 3), lambda x: x.expand_as(a(2, 3))),
    'expand_as_same': (a(2, 3), lambda x: x.expand_as(a(2, 3))),
    'meshgrid': (a(3), lambda x: paddle.meshgrid(x, a(2))[0]),
    'meshgrid_one': (a(3), lambda x: paddle.meshgrid(x)[0]),
    'broadcast_tensors': (a(2, 3), lambda x: paddle.broadcast_tensors([x, a(2, 3)])[0]),
    'split': (a(4, 3), lambda x: paddle.split(x, 2)[0]),
    'split_sections': (a(4, 3), lambda x: x.split([1, 3])[1]),
    'split_one': (a(4, 3), lambda x: paddle.split(x, 1)[0]),
    'chunk': (a(4, 3), lambda x: paddle.chunk(x, 2)[0]),
    'tensor_split': (a(4, 3), lambda x: paddle.tensor_split(x, 2)[0]),
    'hsplit': (a(4, 4), lambda x: paddle.hsplit(x, 2)[0]),
    'vsplit': (a(4, 4), lambda x: paddle.vsplit(x, 2)[0]),
    'dsplit': (a(2, 2, 4), lambda x: paddle.dsplit(x, 2)[0]),
    'unstack': (a(4, 3), lambda x: paddle.unstack(x)[0]),
    'diag': (a(3, 3), paddle.diag),
    'conj': (c(3), paddle.conj),
    'index_list': (a(4, 3), lambda x: x[[1, 2]]),
    'crop': (a(4, 3), lambda x: paddle.crop(x, [2, 2], [0, 0])),
    'index_select': (a(4, 3), lambda x: paddle.index_select(x, paddle.to_tensor([0]))),
    'tile': (a(3), lambda x: paddle.tile(x, [1])),
    'flip': (a(3), lambda x: x.flip(0)),
    'clone': (a(3), lambda x: x.clone()),
    'assign': (a(3), paddle.assign),
    'cast': (a(3), lambda x: paddle.cast(x, 'float32')),
    'numpy': (a(3), lambda x: x.numpy()),
    'concat': (a(3), lambda x: paddle.concat([x])),
    'einsum_transpose': (a(2, 3), lambda x: paddle.einsum('ij->ji', x)),
    'einsum_identity': (a(2, 3), lambda x: paddle.einsum('ij->ij', x)),
    'einsum_diagonal': (a(3, 3), lambda x: paddle.einsum('ii->i', x)),
    'gather': (a(3, 2), lambda x: paddle.gather(x, paddle.to_tensor([0]))),
    'channel_shuffle': (a(1, 4, 1, 1), lambda x: F.channel_shuffle(x, 2)),
    'tril': (a(2, 2), lambda x: paddle.tril(x, 5)),
}


def shares(x, f):
    """Whether a write into the result is seen in the argument; the result itself keeps what was
    written.
    """
    x = x.clone()
    before = x.numpy().copy()
    y = f(x)
    assert y is not x
    if isinstance(y, np.ndarray):
        y += 1
    else:
        new = y.numpy() + 7
        y.add_(paddle.full([], 7, y.dtype))
        np.testing.assert_array_equal(y.numpy(), new)
    return not np.array_equal(before, x.numpy())


@pytest.mark.parametrize('name', SHARED)
def test_shared(name):
    assert shares(*SHARED[name])


@pytest.mark.parametrize('name', OWN)
def test_own(name):
    assert not shares(*OWN[name])


@pytest.mark.parametrize('full', [False, True])
def test_own_in_recorded_programs(full):
    names = '''
        expand expand_same broadcast_to_same expand_as meshgrid meshgrid_one split split_one chunk
        tensor_split unstack
    '''.split()
    for name in names:
        x, f = OWN[name]

        @paddle.jit.to_static(full_graph=full)
        def inside(v):
            v = v * 1.0
            y = f(v)
            y.add_(paddle.full([], 7.0, 'float32'))
            return v, y  # noqa: B023

        @paddle.jit.to_static(full_graph=full)
        def returned(v):
            v = v * 1.0
            return v, f(v)  # noqa: B023

        want = f(x.clone()).numpy()
        for _ in range(2):
            v, y = inside(x)
            np.testing.assert_array_equal(v.numpy(), x.numpy(), err_msg=name)
            np.testing.assert_array_equal(y.numpy(), want + 7, err_msg=name)
            v, y = returned(x)
            y.add_(paddle.full([], 7.0, 'float32'))
            np.testing.assert_array_equal(v.numpy(), x.numpy(), err_msg=name)
            np.testing.assert_array_equal(y.numpy(), want + 7, err_msg=name)


def test_gradients_pass_through_the_copies():
    for f in (
        lambda x: x.expand([2, 2, 3]),
        lambda x: paddle.concat(paddle.split(x, 3, 1), 1),
        lambda x: paddle.einsum('ij->ji', x),
    ):
        x = a(2, 3)
        x.stop_gradient = False
        y = f(x)
        y.square_()
        y.sum().backward()
        copies = y.numpy().size / 6
        np.testing.assert_allclose(x.grad.numpy(), 2 * copies * x.numpy())


def test_out_whose_elements_overlap_leaves_its_memory():
    base = paddle.zeros([8])
    out = base.as_strided([2, 3], [1, 1])
    x = np.arange(1, 7, dtype='float32').reshape(2, 3)
    paddle.rsqrt(paddle.to_tensor(x), out=out)
    np.testing.assert_allclose(out.numpy(), 1 / np.sqrt(x), rtol=1e-6)
    assert base.tolist() == [0] * 8
    paddle.full([2, 3], 7.0, out=base.as_strided([2, 3], [0, 0]))
    assert base.tolist() == [0] * 8


@pytest.mark.parametrize('order', ['rows', 'columns', 'shared'])
def test_gradients_of_overlapping_patterns(order):
    """To second order: elements that a pattern shows twice add up, those that share a place of the
    input share its gradient.
    """
    x = paddle.to_tensor(np.arange(12.0).reshape(3, 4), stop_gradient=False)
    given = {
        'rows': x,
        'columns': x.transpose([1, 0]),
        'shared': paddle._C_ops.expand(x[:1], [3, 4]),
    }[order]
    shape, stride, first = [2, 3], [1, 1], 0 if order == 'shared' else 1
    pick = np.zeros((6, 12))
    for i in range(2):
        for j in range(3):
            pick[3 * i + j, first + i * stride[0] + j * stride[1]] = 1
    out = given.as_strided(shape, stride, 8 * first)
    (g,) = paddle.grad((out**3).sum(), x, create_graph=True)
    (h,) = paddle.grad((g * g).sum(), x)
    v = pick @ np.arange(12.0)
    first_order = pick.T @ (3 * v**2)
    np.testing.assert_allclose(g.numpy().ravel(), first_order, rtol=1e-12)
    second = pick.T @ (6 * v * (pick @ (2 * first_order)))
    np.testing.assert_allclose(h.numpy().ravel(), second, rtol=1e-12)
