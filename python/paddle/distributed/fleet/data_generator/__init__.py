# SPDX-License-Identifier: Apache-2.0
"""Writers of the text that data sets of slots are read from."""

from .data_generator import MultiSlotDataGenerator, MultiSlotStringDataGenerator

__all__ = ['MultiSlotDataGenerator', 'MultiSlotStringDataGenerator']
