# SPDX-License-Identifier: Apache-2.0
"""Starts a program as several processes: `python -m paddle.distributed.launch train.py`."""
