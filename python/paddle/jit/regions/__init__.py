# SPDX-License-Identifier: Apache-2.0
"""Functions of which parts are compiled, with Python code between them."""

from .owner import Owner, Region, Regions

__all__ = ['Owner', 'Region', 'Regions']
