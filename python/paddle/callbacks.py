# SPDX-License-Identifier: Apache-2.0
"""Callbacks of `paddle.Model`."""

from paddle.hapi.callbacks import (
    Callback,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ProgBarLogger,
    ReduceLROnPlateau,
    VisualDL,
    WandbCallback,
)

__all__ = [
    'Callback',
    'ProgBarLogger',
    'ModelCheckpoint',
    'VisualDL',
    'LRScheduler',
    'EarlyStopping',
    'ReduceLROnPlateau',
    'WandbCallback',
]
