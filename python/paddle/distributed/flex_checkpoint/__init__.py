# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that any mesh of processes reads."""
