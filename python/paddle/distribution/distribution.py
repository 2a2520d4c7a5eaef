# SPDX-License-Identifier: Apache-2.0
"""Base classes of distributions and helpers on shapes."""

import numbers
import warnings

import numpy as np

import paddle
from paddle.base.framework import is_recorded
from paddle.base.known_keywords import KnownKeywords

__all__ = ['Distribution', 'ExponentialFamily']


def _warn_of_numbers(value):
    """Warn where a parameter holds other numbers than float32 and float64."""
    if isinstance(value, (list, tuple, np.ndarray)):
        held = np.asarray(value).dtype
        if held.kind in 'iubf' and held not in (np.float32, np.float64):
            warnings.warn(
                f"[Distribution] parameters of {held} are converted to float32: only float32 and "
                "float64 are kept",
                stacklevel=4,
            )


def expect_positive(name, what, x):
    """ValueError of `name` unless x is above 0; what a program will compute is not looked at."""
    if not is_recorded(x) and not bool((x > 0).numpy().all()):
        raise ValueError(f"[{name}] expected {what} above 0, got others")


def as_tensor(value, dtype=None):
    """A floating tensor of a number, list, array or tensor."""
    if isinstance(value, paddle.Tensor):
        return value if dtype is None or value.dtype == dtype else value.astype(dtype)
    if dtype is None:
        _warn_of_numbers(value)
        dtype = (
            'float64'
            if isinstance(value, np.ndarray) and value.dtype == np.float64
            else paddle.get_default_dtype()
        )
    return paddle.to_tensor(value, dtype=dtype)


def as_vector(value):
    """The same, but that a number is a vector of one element."""
    return as_tensor([value] if isinstance(value, numbers.Number) else value)


def alike(*values):
    """(the values as floating tensors of one dtype, the shape they broadcast to); a tensor's dtype
    wins.
    """
    dtype = None
    for value in values:
        if isinstance(value, (paddle.Tensor, np.ndarray)) and 'float' in str(value.dtype):
            dtype = str(value.dtype).rsplit('.', 1)[-1] if dtype is None else dtype
    if dtype is not None:
        for value in values:
            _warn_of_numbers(value)
    tensors = [as_tensor(v, dtype) for v in values]
    shape = tensors[0].shape
    for t in tensors[1:]:
        shape = paddle.broadcast_shape(list(shape), list(t.shape))
    return tensors, list(shape)


def spread(tensor, shape):
    """The tensor in a shape that it broadcasts to."""
    return tensor if list(tensor.shape) == list(shape) else tensor.expand(list(shape))


def broadcast(*values):
    """The values as floating tensors of one shape and dtype; a tensor's dtype wins."""
    tensors, shape = alike(*values)
    return [spread(t, shape) for t in tensors]


def to_shape(shape):
    """A tuple from a shape given as an integer, sequence or tensor."""
    if isinstance(shape, paddle.Tensor):
        shape = shape.numpy().tolist()
    if isinstance(shape, numbers.Integral):
        return (int(shape),)
    if not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"[Distribution] expected shape to be a list or tuple, got {type(shape).__name__}"
        )
    return tuple(int(d) for d in shape)


def open_uniform(shape, dtype):
    """Uniform values in the open interval (0, 1): the smallest normal number stands for 0."""
    name = str(dtype).rsplit('.', 1)[-1]
    return paddle.rand(shape, dtype=name).clip(float(paddle.finfo(name).tiny), 1.0)


class Distribution(KnownKeywords):
    """Base of distributions.

    Args:
        batch_shape (tuple of ints, default ()): The shape of independent distributions.
        event_shape (tuple of ints, default ()): The shape of a draw of one.

    Examples:
        >>> d = paddle.distribution.Distribution([2], [3])
        >>> d.batch_shape, d.event_shape
        ((2,), (3,))
        >>> isinstance(paddle.distribution.Normal(0.0, 1.0), paddle.distribution.Distribution)
        True
    """

    def __init__(self, batch_shape=(), event_shape=()):
        for name, shape in (('batch_shape', batch_shape), ('event_shape', event_shape)):
            if not isinstance(shape, (list, tuple)):
                raise TypeError(
                    f'[{type(self).__name__}] expected a list or tuple as {name}, got '
                    f'{type(shape).__name__}'
                )
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self):
        """Shape of the independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """Shape of one event."""
        return self._event_shape

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError(
            f"[{type(self).__name__}.mean] expected a distribution with a mean, got one without"
        )

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError(
            f"[{type(self).__name__}.variance] expected a distribution with a variance, got one "
            "without"
        )

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, shape=()):
        """Draw without gradients; the result has shape `shape` + batch_shape + event_shape."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape=()):
        """Draw with gradients to the parameters."""
        raise NotImplementedError(
            f"[{type(self).__name__}.rsample] expected a distribution that draws with gradients, "
            "got one that does not"
        )

    def entropy(self):
        """The entropy."""
        raise NotImplementedError(
            f"[{type(self).__name__}.entropy] expected a distribution with an entropy, got one "
            "without"
        )

    def kl_divergence(self, other):
        """The Kullback-Leibler divergence from `other`."""
        from .kl import kl_divergence

        return kl_divergence(self, other)

    def log_prob(self, value):
        """Logarithm of the density or mass at `value`."""
        raise NotImplementedError(
            f"[{type(self).__name__}.log_prob] expected a distribution with a density, got one "
            "without"
        )

    def prob(self, value):
        """Density or mass at `value`."""
        return self.log_prob(value).exp()

    def probs(self, value):
        """The same as `prob`."""
        return self.prob(value)

    def _extend_shape(self, sample_shape):
        return list(to_shape(sample_shape)) + list(self._batch_shape) + list(self._event_shape)

    # What becomes of a value in another floating dtype than the parameters: it is cast ('cast'),
    # cast with a warning ('warn'), or promotes the result ('keep').
    _other_values = 'cast'

    def _value(self, value):
        """`value` as a tensor, of the dtype of the parameters where `_other_values` says so."""
        dtype = getattr(self, '_dtype', None)
        if (
            isinstance(value, paddle.Tensor)
            and value.is_floating_point()
            and dtype is not None
            and value.dtype != dtype
        ):
            if self._other_values == 'keep':
                return value
            if self._other_values == 'warn':
                warnings.warn(
                    f"[{type(self).__name__}] value of {value.dtype} is converted to {dtype}, the "
                    "dtype of the parameters",
                    stacklevel=3,
                )
        return as_tensor(value, dtype)


class ExponentialFamily(Distribution):
    """Distributions exp(<parameters, statistics> - log normalizer); gives entropy by
    differentiation.

    Args:
        batch_shape (tuple of ints, default ()): The shape of independent distributions.
        event_shape (tuple of ints, default ()): The shape of a draw of one.

    Examples:
        >>> d = paddle.distribution.Beta(2.0, 2.0)
        >>> isinstance(d, paddle.distribution.ExponentialFamily), d.entropy().item()
        (True, -0.1251)
    """

    @property
    def _natural_parameters(self):
        raise NotImplementedError(
            f"[{type(self).__name__}._natural_parameters] expected a subclass to define it, "
            "got none"
        )

    def _log_normalizer(self, *parameters):
        raise NotImplementedError(
            f"[{type(self).__name__}._log_normalizer] expected a subclass to define it, got none"
        )

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError(
            f"[{type(self).__name__}._mean_carrier_measure] expected a subclass to define it, "
            "got none"
        )

    def entropy(self):
        """The entropy, from the gradient of the log normalizer."""
        natural = []
        for parameter in self._natural_parameters:
            parameter = parameter.detach()
            parameter.stop_gradient = False
            natural.append(parameter)
        normalizer = self._log_normalizer(*natural)
        grads = paddle.grad(normalizer.sum(), natural, create_graph=True)
        value = normalizer - self._mean_carrier_measure
        for parameter, grad in zip(natural, grads):
            term = parameter * grad
            extra = term.ndim - value.ndim
            value = value - (term.sum(list(range(term.ndim - extra, term.ndim))) if extra else term)
        return value
