# SPDX-License-Identifier: Apache-2.0
"""Operations on what processes share: tables, classes, parts of tensors, rows of experts."""

import pytest
import ranks


@pytest.mark.parametrize('count', [2, 4])
def test_ranks(count):
    ranks.run(count, 'work_ring_operations', 'all_operations')
