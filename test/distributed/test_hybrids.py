# SPDX-License-Identifier: Apache-2.0
"""Training divided among 8 processes in ways drawn at random, against one process."""

import ranks


def test_ten_random_hybrids():
    ranks.run(8, 'work_hybrids', 'hybrids', '0', '10', timeout=180)


def test_weights_that_stages_share():
    ranks.run(4, 'work_hybrids', 'tied', timeout=120)
