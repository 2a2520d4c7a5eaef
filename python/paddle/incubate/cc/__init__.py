# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate.cc`: functions that are compiled by what their annotations say of their tensors,
and words for what belongs into one kernel.
"""

from paddle import _lazy

_lazy.install(
    globals(),
    'paddle.incubate.cc',
    {'compile': '.compiler'},
    modules=('compiler', 'fuse', 'typing'),
)
