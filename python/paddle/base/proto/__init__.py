# SPDX-License-Identifier: Apache-2.0
"""Messages of the old program format."""

from paddle import _lazy

_lazy.install(globals(), 'paddle.base.proto', modules=('framework_pb2',))
__all__ = []
