# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of distributed tensors: each process writes its parts, any mesh reads them."""
