# SPDX-License-Identifier: Apache-2.0
"""What every test shares: one thread state, a fixed seed and dynamic mode at the start of each test."""
import pytest


@pytest.fixture(autouse=True)
def fresh_state():
    """Each test starts from the same seed, so that its values do not depend on which tests ran before."""
    import paddle

    paddle.seed(2024)
    yield
