# SPDX-License-Identifier: Apache-2.0
"""Distributed tensors: meshes, placements, moves and operations, against whole tensors."""

import pytest
import ranks


@pytest.mark.parametrize(
    'count, what, args',
    [
        (2, 'reshard', ('2',)),
        (4, 'reshard', ('4',)),
        (4, 'reshard', ('2x2',)),
        (8, 'reshard', ('2x2x2', '37')),
        (4, 'kinds_of_partial', ()),
        (4, 'between_meshes', ()),
        (3, 'stages', ()),
        (2, 'ends_of_histories', ()),
        (4, 'operations', ()),
        (2, 'members', ()),
        (2, 'py_layers', ()),
        (2, 'copies', ()),
        (2, 'read', ()),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_dist_tensor', what, *args, timeout=120)
