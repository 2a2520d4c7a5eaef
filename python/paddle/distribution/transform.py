# SPDX-License-Identifier: Apache-2.0
"""Invertible transforms with the logarithm of their Jacobian's determinant."""

import enum
import math

import paddle
import paddle.nn.functional as F
from paddle.base.arguments import items
from paddle.tensor.manipulation import extents

__all__ = [
    'Transform',
    'AbsTransform',
    'AffineTransform',
    'ExpTransform',
    'PowerTransform',
    'SigmoidTransform',
    'TanhTransform',
    'SoftmaxTransform',
    'StickBreakingTransform',
    'ReshapeTransform',
    'IndependentTransform',
    'ChainTransform',
    'StackTransform',
]


def _sum_right(x, count):
    return x.sum(list(range(x.ndim - count, x.ndim))) if count > 0 else x


class Type(enum.Enum):
    """What kind of map a transform is."""

    BIJECTION, INJECTION, SURJECTION, OTHER = 'bijection', 'injection', 'surjection', 'other'

    @classmethod
    def is_injective(cls, _type):
        """Whether different values stay different."""
        return _type in (cls.BIJECTION, cls.INJECTION)


class Transform:
    """Base of transforms.

    Called with a tensor it transforms it, with a distribution it gives the distribution of the
    transformed values, with a transform the composition. Subclasses define `_forward`, `_inverse`
    and `_forward_log_det_jacobian`.

    Examples:
        >>> class Shift(paddle.distribution.Transform):
        ...     def _forward(self, x):
        ...         return x + 1.0
        ...     def _inverse(self, y):
        ...         return y - 1.0
        ...     def _forward_log_det_jacobian(self, x):
        ...         return paddle.zeros_like(x)
        >>> Shift().forward(paddle.to_tensor([1.0])).tolist()
        [2.0]
    """

    _domain_rank = 0  # dimensions of one event before
    _codomain_rank = 0  # dimensions of one event after
    _type = Type.INJECTION

    @classmethod
    def _is_injective(cls):
        return Type.is_injective(cls._type)

    def __call__(self, input):
        from .distribution import Distribution
        from .transformed import TransformedDistribution

        if isinstance(input, Distribution):
            return TransformedDistribution(input, [self])
        if isinstance(input, Transform):
            return ChainTransform([self, input])
        return self.forward(input)

    def _check(self, value, name):
        if not isinstance(value, paddle.Tensor):
            raise TypeError(
                f"[{type(self).__name__}] expected {name} to be a tensor, got "
                f"{type(value).__name__}"
            )

    def forward(self, x):
        """The transformed value."""
        self._check(x, 'x')
        if x.ndim < self._domain_rank:
            raise ValueError(
                f"[{type(self).__name__}.forward] expected x of at least {self._domain_rank} axes, "
                f"got shape {list(x.shape)}"
            )
        return self._forward(x)

    def inverse(self, y):
        """The value that transforms to `y`."""
        self._check(y, 'y')
        if y.ndim < self._codomain_rank:
            raise ValueError(
                f"[{type(self).__name__}.inverse] expected y of at least {self._codomain_rank} "
                f"axes, got shape {list(y.shape)}"
            )
        return self._inverse(y)

    def forward_log_det_jacobian(self, x):
        """log |det d forward / d x|."""
        self._check(x, 'x')
        if not self._is_injective():
            raise NotImplementedError(
                f"[forward_log_det_jacobian] expected an injective transform, got "
                f"{type(self).__name__}"
            )
        return self._forward_log_det_jacobian(x)

    def inverse_log_det_jacobian(self, y):
        """log |det d inverse / d y|."""
        self._check(y, 'y')
        return self._inverse_log_det_jacobian(y)

    def forward_shape(self, shape):
        """The shape after the transform."""
        return tuple(shape)

    def inverse_shape(self, shape):
        """The shape before the transform."""
        return tuple(shape)

    def _lacks(self, name):
        return NotImplementedError(
            f"[{type(self).__name__}.{name}] expected a subclass to define it, got none"
        )

    def _forward(self, x):
        raise self._lacks('_forward')

    def _inverse(self, y):
        raise self._lacks('_inverse')

    def _forward_log_det_jacobian(self, x):
        if type(self)._inverse_log_det_jacobian is Transform._inverse_log_det_jacobian:
            raise self._lacks('_forward_log_det_jacobian')
        return -self._inverse_log_det_jacobian(self._forward(x))

    def _inverse_log_det_jacobian(self, y):
        return -self._forward_log_det_jacobian(self._inverse(y))


class AbsTransform(Transform):
    """y = |x|, not injective: the inverse is the pair (-y, y).

    Examples:
        >>> t = paddle.distribution.AbsTransform()
        >>> t.forward(paddle.to_tensor([-1.0, 2.0])).tolist()
        [1.0, 2.0]
        >>> [x.tolist() for x in t.inverse(paddle.to_tensor([1.0]))]
        [[-1.0], [1.0]]
    """

    _type = Type.SURJECTION

    def _forward(self, x):
        return x.abs()

    def _inverse(self, y):
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        zero = paddle.zeros([], dtype=y.dtype)
        return zero, zero


class AffineTransform(Transform):
    """y = loc + scale x.

    Args:
        loc (Tensor): The summand.
        scale (Tensor): The factor.

    Examples:
        >>> t = paddle.distribution.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))
        >>> x = paddle.to_tensor([0.0, 3.0])
        >>> t.forward(x).tolist(), t.inverse(x).tolist()
        ([1.0, 7.0], [-0.5, 1.0])
        >>> t.forward_log_det_jacobian(x).item()
        0.6931
    """

    _type = Type.BIJECTION

    def __init__(self, loc, scale):
        if not isinstance(loc, paddle.Tensor):
            raise TypeError(
                f"[AffineTransform] expected loc to be a tensor, got {type(loc).__name__}"
            )
        if not isinstance(scale, paddle.Tensor):
            raise TypeError(
                f"[AffineTransform] expected scale to be a tensor, got {type(scale).__name__}"
            )
        self._loc = loc
        self._scale = scale

    @property
    def loc(self):
        """The shift."""
        return self._loc

    @property
    def scale(self):
        """The factor."""
        return self._scale

    def _forward(self, x):
        return self._loc + self._scale * x

    def _inverse(self, y):
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x):
        return self._scale.abs().log()

    def forward_shape(self, shape):
        shape = paddle.broadcast_shape(list(shape), list(self._loc.shape))
        return tuple(paddle.broadcast_shape(list(shape), list(self._scale.shape)))

    inverse_shape = forward_shape


class ExpTransform(Transform):
    """y = exp(x).

    Examples:
        >>> t = paddle.distribution.ExpTransform()
        >>> x = paddle.to_tensor([0.0, 1.0])
        >>> t.forward(x).tolist(), t.forward_log_det_jacobian(x).tolist()
        ([1.0, 2.7183], [0.0, 1.0])
    """

    _type = Type.BIJECTION

    def _forward(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def _forward_log_det_jacobian(self, x):
        return x


class PowerTransform(Transform):
    """y = x ^ power, for positive x.

    Args:
        power (Tensor): The exponent.

    Examples:
        >>> t = paddle.distribution.PowerTransform(paddle.to_tensor(2.0))
        >>> t.forward(paddle.to_tensor([1.0, 3.0])).tolist()
        [1.0, 9.0]
        >>> t.inverse(paddle.to_tensor([9.0])).tolist()
        [3.0]
    """

    _type = Type.BIJECTION

    def __init__(self, power):
        if not isinstance(power, paddle.Tensor):
            raise TypeError(
                f"[PowerTransform] expected power to be a tensor, got {type(power).__name__}"
            )
        self._power = power

    @property
    def power(self):
        """The exponent."""
        return self._power

    def _forward(self, x):
        return x.pow(self._power)

    def _inverse(self, y):
        return y.pow(1 / self._power)

    def _forward_log_det_jacobian(self, x):
        return (self._power * x.pow(self._power - 1)).abs().log()

    def forward_shape(self, shape):
        return tuple(paddle.broadcast_shape(list(shape), list(self._power.shape)))

    inverse_shape = forward_shape


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)).

    Examples:
        >>> t = paddle.distribution.SigmoidTransform()
        >>> t.forward(paddle.to_tensor([0.0])).tolist(), t.inverse(paddle.to_tensor([0.5])).tolist()
        ([0.5], [0.0])
    """

    def _forward(self, x):
        return F.sigmoid(x)

    def _inverse(self, y):
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x):
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(Transform):
    """y = tanh(x).

    Examples:
        >>> t = paddle.distribution.TanhTransform()
        >>> t.forward(paddle.to_tensor([0.0, 1.0])).tolist()
        [0.0, 0.7616]
    """

    _type = Type.BIJECTION

    def _forward(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def _forward_log_det_jacobian(self, x):
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class SoftmaxTransform(Transform):
    """y = softmax(x) along the last axis; not injective, so without a Jacobian.

    Examples:
        >>> t = paddle.distribution.SoftmaxTransform()
        >>> t.forward(paddle.to_tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """

    _domain_rank = 1
    _codomain_rank = 1
    _type = Type.OTHER

    def _forward(self, x):
        x = (x - x.max(-1, keepdim=True)).exp()
        return x / x.sum(-1, keepdim=True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError(
                "[SoftmaxTransform.forward_shape] expected a shape of at least one axis, got none"
            )
        return tuple(shape)

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """R^n to n + 1 probabilities, breaking off a share of what is left.

    Examples:
        >>> t = paddle.distribution.StickBreakingTransform()
        >>> p = t.forward(paddle.to_tensor([0.0, 0.0]))
        >>> p.tolist(), t.inverse(p).abs().max().item() < 1e-5
        ([0.3333, 0.3333, 0.3333], True)
    """

    _type = Type.BIJECTION
    _domain_rank = 1
    _codomain_rank = 1

    def _offset(self, x):
        dtype = str(x.dtype).rsplit('.', 1)[-1]
        return paddle.arange(extents(x)[-1], 0, -1, dtype=dtype).log()

    def _forward(self, x):
        z = F.sigmoid(x - self._offset(x))
        left = (1 - z).cumprod(-1)
        one = paddle.ones([*extents(x)[:-1], 1], dtype=x.dtype)
        return paddle.concat([z, one], -1) * paddle.concat([one, left], -1)

    def _inverse(self, y):
        head = y[..., :-1]
        left = 1 - head.cumsum(-1)
        return head.log() - left.log() + self._offset(head)

    def _forward_log_det_jacobian(self, x):
        y = self._forward(x)
        x = x - self._offset(x)
        return (-x + F.log_sigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        if not shape:
            raise ValueError(
                "[StickBreakingTransform.forward_shape] expected a shape of at least one axis, "
                "got none"
            )
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape):
        if not shape:
            raise ValueError(
                "[StickBreakingTransform.inverse_shape] expected a shape of at least one axis, "
                "got none"
            )
        return (*shape[:-1], shape[-1] - 1)


class ReshapeTransform(Transform):
    """Reshapes events.

    Args:
        in_event_shape (tuple of ints): The shape of events.
        out_event_shape (tuple of ints): Their shape after.

    Examples:
        >>> t = paddle.distribution.ReshapeTransform((2, 3), (3, 2))
        >>> t.forward(paddle.ones([4, 2, 3])).shape
        paddle.Size([4, 3, 2])
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape, out_event_shape):
        for name, shape in (
            ('in_event_shape', in_event_shape),
            ('out_event_shape', out_event_shape),
        ):
            if not isinstance(shape, (list, tuple)):
                raise TypeError(
                    f"[ReshapeTransform] expected {name} to be a list or tuple, got "
                    f"{type(shape).__name__}"
                )
        if math.prod(in_event_shape) != math.prod(out_event_shape):
            raise ValueError(
                "[ReshapeTransform] expected in_event_shape and out_event_shape of as many "
                f"elements, got {math.prod(in_event_shape)} and {math.prod(out_event_shape)}"
            )
        self._in_event_shape = tuple(items('ReshapeTransform', 'in_event_shape', in_event_shape))
        self._out_event_shape = tuple(items('ReshapeTransform', 'out_event_shape', out_event_shape))
        self._domain_rank = len(self._in_event_shape)
        self._codomain_rank = len(self._out_event_shape)

    @property
    def in_event_shape(self):
        """The shape of an event before."""
        return self._in_event_shape

    @property
    def out_event_shape(self):
        """The shape of an event after."""
        return self._out_event_shape

    def _forward(self, x):
        return x.reshape(list(self.forward_shape(x.shape)))

    def _inverse(self, y):
        return y.reshape(list(self.inverse_shape(y.shape)))

    def _forward_log_det_jacobian(self, x):
        return paddle.zeros(extents(x)[: x.ndim - self._domain_rank], dtype=x.dtype)

    @staticmethod
    def _swap(shape, old, new):
        shape = tuple(shape)
        if len(shape) < len(old) or shape[len(shape) - len(old) :] != old:
            raise ValueError(
                f"[ReshapeTransform] expected a shape that ends with {list(old)}, got {list(shape)}"
            )
        return shape[: len(shape) - len(old)] + new

    def forward_shape(self, shape):
        return self._swap(shape, self._in_event_shape, self._out_event_shape)

    def inverse_shape(self, shape):
        return self._swap(shape, self._out_event_shape, self._in_event_shape)


class IndependentTransform(Transform):
    """A transform whose last batch dimensions count as part of the event.

    Args:
        base (Transform): The transform.
        reinterpreted_batch_rank (int): How many axes.

    Examples:
        >>> T = paddle.distribution
        >>> t = paddle.distribution.IndependentTransform(T.ExpTransform(), 1)
        >>> t.forward_log_det_jacobian(paddle.to_tensor([[1.0, 2.0]])).tolist()
        [3.0]
    """

    def __init__(self, base, reinterpreted_batch_rank):
        if not isinstance(base, Transform):
            raise TypeError(
                f"[IndependentTransform] expected base to be a Transform, got {type(base).__name__}"
            )
        if reinterpreted_batch_rank <= 0:
            raise ValueError(
                "[IndependentTransform] expected a positive reinterpreted_batch_rank, got "
                f"{reinterpreted_batch_rank}"
            )
        self._base = base
        self._rank = reinterpreted_batch_rank
        self._domain_rank = base._domain_rank + reinterpreted_batch_rank
        self._codomain_rank = base._codomain_rank + reinterpreted_batch_rank

    def _is_injective(self):
        return self._base._is_injective()

    def _forward(self, x):
        return self._base.forward(x)

    def _inverse(self, y):
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x):
        return _sum_right(self._base.forward_log_det_jacobian(x), self._rank)

    def forward_shape(self, shape):
        return self._base.forward_shape(shape)

    def inverse_shape(self, shape):
        return self._base.inverse_shape(shape)


def _checked(op, transforms):
    """The transforms as a list; TypeError for anything else."""
    if not isinstance(transforms, (list, tuple)):
        raise TypeError(
            f"[{op}] expected transforms to be a list or tuple, got {type(transforms).__name__}"
        )
    if not all(isinstance(t, Transform) for t in transforms):
        raise TypeError(
            f"[{op}] expected transforms to hold Transforms, got "
            f"{[type(t).__name__ for t in transforms]}"
        )
    return items(op, 'transforms', transforms)


class ChainTransform(Transform):
    """Transforms one after another, the first in the list first.

    Args:
        transforms (list of Transforms): The transforms.

    Examples:
        >>> T = paddle.distribution
        >>> double = T.AffineTransform(paddle.to_tensor(0.0), paddle.to_tensor(2.0))
        >>> t = paddle.distribution.ChainTransform([double, T.ExpTransform()])
        >>> t.forward(paddle.to_tensor([0.0, 1.0])).tolist()
        [1.0, 7.3891]
    """

    def __init__(self, transforms):
        self.transforms = _checked('ChainTransform', transforms)
        rank = self.transforms[-1]._codomain_rank if transforms else 0
        for t in reversed(self.transforms):
            rank = t._domain_rank + max(rank - t._codomain_rank, 0)
        self._domain_rank = rank
        rank = self.transforms[0]._domain_rank if transforms else 0
        for t in self.transforms:
            rank = t._codomain_rank + max(rank - t._domain_rank, 0)
        self._codomain_rank = rank

    def _is_injective(self):
        return all(t._is_injective() for t in self.transforms)

    def _forward(self, x):
        for transform in self.transforms:
            x = transform.forward(x)
        return x

    def _inverse(self, y):
        for transform in reversed(self.transforms):
            y = transform.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x):
        value = 0.0
        rank = self._domain_rank
        for transform in self.transforms:
            value = value + _sum_right(
                transform.forward_log_det_jacobian(x), rank - transform._domain_rank
            )
            x = transform.forward(x)
            rank += transform._codomain_rank - transform._domain_rank
        return value

    def forward_shape(self, shape):
        for transform in self.transforms:
            shape = transform.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape):
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        return tuple(shape)


class StackTransform(Transform):
    """A transform for each slice along `axis`.

    Args:
        transforms (list of Transforms): The transforms.
        axis (int, default 0): The axis of slices.

    Examples:
        >>> T = paddle.distribution
        >>> t = paddle.distribution.StackTransform([T.ExpTransform(), T.TanhTransform()])
        >>> t.forward(paddle.to_tensor([[0.0], [0.0]])).tolist()
        [[1.0], [0.0]]
    """

    def __init__(self, transforms, axis=0):
        self._transforms = _checked('StackTransform', transforms)
        if not self._transforms:
            raise TypeError("[StackTransform] expected at least one transform, got none")
        if not isinstance(axis, int):
            raise TypeError(
                f"[StackTransform] expected axis to be an int, got {type(axis).__name__}"
            )
        self._axis = axis

    @property
    def transforms(self):
        """The transforms."""
        return self._transforms

    @property
    def axis(self):
        """The axis of the slices."""
        return self._axis

    def _is_injective(self):
        return all(t._is_injective() for t in self._transforms)

    def _each(self, x, method):
        if not -x.ndim <= self._axis < x.ndim:
            raise ValueError(
                f"[StackTransform] expected a value with an axis {self._axis}, got shape "
                f"{list(x.shape)}"
            )
        if x.shape[self._axis] != len(self._transforms):
            raise ValueError(
                f"[StackTransform] expected an extent of {len(self._transforms)} along axis "
                f"{self._axis}, a row for each transform, got {x.shape[self._axis]}"
            )
        parts = paddle.unbind(x, self._axis)
        return paddle.stack(
            [getattr(t, method)(p) for t, p in zip(self._transforms, parts)], self._axis
        )

    def _forward(self, x):
        return self._each(x, 'forward')

    def _inverse(self, y):
        return self._each(y, 'inverse')

    def _forward_log_det_jacobian(self, x):
        return self._each(x, 'forward_log_det_jacobian')
