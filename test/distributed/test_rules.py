# SPDX-License-Identifier: Apache-2.0
"""Rules of placements: every operation that has one, on tensors placed at random."""

import pytest
import ranks


@pytest.mark.parametrize('count, grid, tries', [(2, '2', '6'), (4, '4', '6'), (4, '2x2', '8')])
def test_ranks(count, grid, tries):
    ranks.run(count, 'work_rules', 'operations', grid, tries, timeout=120)
