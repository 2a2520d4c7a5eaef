# SPDX-License-Identifier: Apache-2.0
"""Python objects that hold themselves, or change and raise while they are read: an exception, never
wrong memory.
"""

import os
import pickle

import numpy as np
import pytest

import paddle
from paddle.base import libpaddle as core


def endless(kind=list):
    """A list that holds itself, or a tuple that does through a list."""
    inner = []
    inner.append(inner if kind is list else (inner,))
    return inner if kind is list else inner[0]


def deep(levels):
    """A number in that many lists."""
    nest = 1
    for _ in range(levels):
        nest = [nest]
    return nest


class Twice(paddle.autograd.PyLayer):
    """x twice, of whatever holds x."""

    @staticmethod
    def forward(ctx, nest):
        """The tensor itself."""
        return nest * 2

    @staticmethod
    def backward(ctx, dy):
        """Its gradient."""
        return dy * 2


@pytest.mark.parametrize(
    'nest',
    [endless(), endless(tuple), deep(1000), [[1], endless()], [paddle.ones([1]), endless()]],
    ids=['list', 'tuple', 'deep', 'beside', 'with-tensor'],
)
@pytest.mark.parametrize(
    'use',
    [
        paddle.to_tensor,
        paddle.Tensor,
        lambda n: paddle.ones([2])[n],
        lambda n: paddle.ones([2]).__setitem__(n, 1),
        lambda n: paddle.ones([2]).__setitem__(0, n),
        Twice.apply,
        lambda n: Twice.apply(nest=n),
    ],
    ids=['to_tensor', 'Tensor', 'getitem', 'setitem', 'set-value', 'PyLayer', 'PyLayer-keyword'],
)
def test_lists_without_end(use, nest):
    with pytest.raises(ValueError):
        use(nest)


def test_depth_that_is_allowed():
    assert paddle.to_tensor(deep(63)).shape == [1] * 63
    with pytest.raises(ValueError, match='nested less than 64 deep'):
        paddle.to_tensor(deep(65))


def test_compiled_functions_among_endless_lists():
    nest = endless()

    def function(x):
        return x + len(nest)

    x = paddle.ones([2])
    for full in (False, True):
        compiled = paddle.jit.to_static(function, full_graph=full)
        for _ in range(3):
            assert compiled(x).tolist() == [2, 2]


class Clearing:
    """Counts as a number, and empties the list that holds it when asked for it."""

    def __init__(self, nest, value=1):
        self.nest, self.value = nest, value

    def __index__(self):
        self.nest.clear()
        return self.value

    def __float__(self):
        self.nest.clear()
        return float(self.value)


class Growing(Clearing):
    """Makes the list that holds it longer."""

    def __index__(self):
        self.nest.extend([7] * 1000)
        return self.value

    __float__ = __index__


class Raising:
    """A number that is none."""

    def __index__(self):
        raise ZeroDivisionError('no number')

    __float__ = __bool__ = __len__ = __index__


def changing(kind, count=50):
    """A list of numbers of which the second changes it."""
    nest = [1, None] + [object() for _ in range(count)]
    nest[1] = kind(nest)
    nest[2:] = list(range(1, count + 1))
    return nest


@pytest.mark.parametrize(
    'use',
    [
        paddle.to_tensor,
        lambda n: paddle.reshape(paddle.ones([2]), n),
        paddle.zeros,
        lambda n: paddle.ones([2])[n],
        lambda n: paddle.ones([2]).__setitem__(0, n),
        lambda n: paddle.sum(paddle.ones([2]), axis=n),
        lambda n: paddle.nn.functional.interpolate(paddle.ones([1, 1, 2, 2]), scale_factor=n),
    ],
)
def test_lists_that_shrink_while_read(use):
    with pytest.raises((ValueError, TypeError, IndexError)):
        use(changing(Clearing))


def test_lists_that_grow_while_read():
    with pytest.raises(ValueError):
        paddle.to_tensor([changing(Growing), [0] * 52])
    with pytest.raises((ValueError, TypeError, MemoryError)):
        paddle.zeros(changing(Growing))


def test_nested_lists_that_change_between_passes():
    class Turning:
        """A number at first, then it takes its neighbours away."""

        def __init__(self):
            self.asked, self.row = 0, None

        def __float__(self):
            self.asked += 1
            if self.asked == 2:
                self.row[:] = [[1.0] * 1000] * 1000
            return 1.0

    turning = Turning()
    turning.row = [turning, 1.0, 2.0, 3.0]
    with pytest.raises(ValueError):
        paddle.to_tensor([turning.row, [1.0] * 4])


def test_keys_that_change_the_tensor():
    x = paddle.arange(100, dtype='float32').reshape([10, 10])

    class Shrinking:
        """An index of a tensor that is made smaller when it is asked for."""

        def __index__(self):
            x._clear_data()
            return 9

    for key in (
        Shrinking(),
        (Shrinking(), 9),
        (slice(None), Shrinking()),
        (slice(Shrinking(), None), 9),
        [Shrinking(), 3],
    ):
        x = paddle.arange(100, dtype='float32').reshape([10, 10])
        with pytest.raises((IndexError, ValueError)):
            x[key]
        x = paddle.arange(100, dtype='float32').reshape([10, 10])
        with pytest.raises((IndexError, ValueError)):
            x[key] = 1.0


def test_items_are_read_once():
    class Turning(list):
        """Ints to begin with, then a mask of more axes."""

        reads = 0

        def __iter__(self):
            Turning.reads += 1
            return iter([1, 0] if Turning.reads == 1 else [[True, False], [False, True]])

    assert paddle.arange(2)[Turning([1, 0])].tolist() == [1, 0]
    assert Turning.reads == 1


@pytest.mark.parametrize(
    'use',
    [
        lambda o: paddle.to_tensor([1.0, o]),
        lambda o: paddle.reshape(paddle.ones([2]), [o]),
        lambda o: paddle.ones([2])[o],
        lambda o: paddle.ones([2])[o:],
        lambda o: paddle.add(paddle.ones([2]), o),
        lambda o: paddle.ones([2]) + o,
        lambda o: paddle.full([1], o),
        lambda o: paddle.ones([2]).__setitem__(0, o),
    ],
)
def test_numbers_that_raise_keep_their_exception(use):
    with pytest.raises(ZeroDivisionError):
        use(Raising())


def test_objects_that_no_init_has_filled():
    kinds = [
        kind for home in (core, core.pir) for kind in vars(home).values() if isinstance(kind, type)
    ]
    assert len(kinds) > 20
    for kind in kinds:
        try:
            empty = kind.__new__(kind)
        except Exception:
            continue
        for name in dir(kind):
            if name.startswith('_') and name not in (
                '__repr__',
                '__str__',
                '__hash__',
                '__reduce__',
                '__enter__',
            ):
                continue
            try:
                member = getattr(empty, name)
                if callable(member):
                    member()
            except Exception:
                pass
            finally:
                if name == '__enter__':
                    try:
                        empty.__exit__()
                    except Exception:
                        pass
    assert paddle.is_grad_enabled()
    assert (paddle.ones([2]) + 1).tolist() == [2, 2]


def test_methods_of_none():
    for home in (core, core.pir):
        for kind in vars(home).values():
            if isinstance(kind, type):
                for name in vars(kind):
                    member = vars(kind)[name]
                    for call in (member, getattr(member, 'fget', None)):
                        if (
                            callable(call)
                            and not isinstance(call, type)
                            and name not in ('__new__', '__del__')
                        ):
                            try:
                                call(None)
                            except Exception:
                                pass
    assert paddle.is_grad_enabled()


def test_device_types():
    assert paddle.CPUPlace().custom_device_type() == ''
    assert not hasattr(paddle.CPUPlace(), 'get_device_type')


def test_scopes_that_were_not_entered():
    for scope in (
        paddle.no_grad(),
        paddle.amp.auto_cast(dtype='bfloat16'),
        core.pir.RecordScope(None),
    ):
        with pytest.raises(RuntimeError, match='expected a scope to leave'):
            scope.__exit__(None, None, None)


def test_sizes_count_beyond_64_bits():
    size = paddle.ones([2, 3]).shape
    assert size.numel() == 6
    size[0] = 2**62
    assert size.numel() == 3 * 2**62


def test_arrays_of_objects_are_refused():
    with pytest.raises((ValueError, TypeError)):
        paddle.to_tensor(np.array([object()]))
    assert pickle.loads(pickle.dumps(paddle.float32)) is paddle.float32


@pytest.mark.parametrize(
    'read',
    [
        lambda n: paddle.static.load_from_file(n),
        lambda n: paddle.vision.ops.read_file(n),
        lambda n: paddle.vision.image_load(n, backend='pil'),
        lambda n: paddle.vision.datasets.Cifar10(n),
        lambda n: paddle.vision.datasets.MNIST(n, n),
        lambda n: paddle.text.UCIHousing(n),
        lambda n: paddle.text.Imdb(n),
        lambda n: paddle.utils.download.md5file(n),
        lambda n: paddle.load(n),
        lambda n: paddle.save({}, n),
        lambda n: paddle.static.save_to_file(n, b''),
        lambda n: paddle.jit.load(n),
        lambda n: paddle.static.load_inference_model(n, None),
    ],
)
def test_numbers_of_open_files_are_no_paths(read):
    ours, theirs = os.pipe()
    try:
        with pytest.raises((TypeError, ValueError), match='path|expected|BytesIO'):
            read(ours)
        assert os.get_blocking(ours)  # still open
    finally:
        os.close(ours)
        os.close(theirs)
