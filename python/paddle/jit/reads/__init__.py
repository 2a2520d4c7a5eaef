# SPDX-License-Identifier: Apache-2.0
"""Which state a call of a function reads: the function, and what it calls, runs in a form that
notes every read (`Session`).
"""

from .session import Session

__all__ = ['Session']
