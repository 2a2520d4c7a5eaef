# SPDX-License-Identifier: Apache-2.0
"""Loading models from a folder's `hubconf.py`."""
from paddle.hapi.hub import help, list, load

__all__ = ['list', 'help', 'load']
