# SPDX-License-Identifier: Apache-2.0
"""Loading models from a folder's `hubconf.py`, and tensors from a URL."""

from paddle.hapi.hub import help, list, load, load_state_dict_from_url

__all__ = ['list', 'help', 'load', 'load_state_dict_from_url']
