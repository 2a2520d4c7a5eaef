# SPDX-License-Identifier: Apache-2.0
"""Parts of several pieces of an axis: split factors and orders of `Shard`."""

import pytest
import ranks


@pytest.mark.parametrize(
    'count, what, args',
    [
        (1, 'objects', ()),
        (2, 'pieces', ()),
        (4, 'orders', ()),
        (3, 'moves', ('3', '1')),
        (4, 'moves', ('2x2', '41')),
        (8, 'moves', ('2x2x2', '2503')),
        (4, 'between_meshes', ()),
        (2, 'operations', ()),
        (4, 'shapes', ()),
        (2, 'compiled', ()),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_parts', what, *args, timeout=120)


def test_checkpoints(tmp_path):
    ranks.run(4, 'work_parts', 'checkpoints', str(tmp_path), timeout=120)
