# SPDX-License-Identifier: Apache-2.0
"""Operations as layers, so that their inputs can be observed."""

import paddle

from ..layer.layers import Layer

__all__ = []


class FloatFunctionalLayer(Layer):
    """A layer that is one operation."""


class add(FloatFunctionalLayer):
    """`paddle.add`."""

    def forward(self, x, y, name=None):
        return paddle.add(x, y)


class subtract(FloatFunctionalLayer):
    """`paddle.subtract`."""

    def forward(self, x, y, name=None):
        return paddle.subtract(x, y)


class multiply(FloatFunctionalLayer):
    """`paddle.multiply`."""

    def forward(self, x, y, name=None):
        return paddle.multiply(x, y)


class divide(FloatFunctionalLayer):
    """`paddle.divide`."""

    def forward(self, x, y, name=None):
        return paddle.divide(x, y)


class reshape(FloatFunctionalLayer):
    """`paddle.reshape`."""

    def forward(self, x, shape, name=None):
        return paddle.reshape(x, shape)


class transpose(FloatFunctionalLayer):
    """`paddle.transpose`."""

    def forward(self, x, perm, name=None):
        return paddle.transpose(x, perm)


class concat(FloatFunctionalLayer):
    """`paddle.concat`."""

    def forward(self, x, axis=0, name=None):
        return paddle.concat(x, axis)


class flatten(FloatFunctionalLayer):
    """`paddle.flatten`."""

    def forward(self, x, start_axis=0, stop_axis=-1, name=None):
        return paddle.flatten(x, start_axis, stop_axis)


class matmul(FloatFunctionalLayer):
    """`paddle.matmul`."""

    def forward(self, x, y, transpose_x=False, transpose_y=False, name=None):
        return paddle.matmul(x, y, transpose_x, transpose_y)
