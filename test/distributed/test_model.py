# SPDX-License-Identifier: Apache-2.0
"""`paddle.Model` trained by several processes."""

import pytest
import ranks


@pytest.mark.parametrize('count', [2, 4])
def test_ranks(count, tmp_path):
    ranks.run(count, 'work_model', 'model', str(tmp_path))
