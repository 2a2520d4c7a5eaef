# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate`."""
from paddle import _lazy

_lazy.install(globals(), 'paddle.incubate', {}, modules=('autograd',))
