# SPDX-License-Identifier: Apache-2.0
"""Marks of the API tests."""


def pytest_configure(config):
    config.addinivalue_line('markers', 'oracle: compares with the published paddlepaddle 3.3.1; skipped where it is not installed')
