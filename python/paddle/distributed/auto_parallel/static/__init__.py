# SPDX-License-Identifier: Apache-2.0
"""What planning of distributed programs asks of machines and operations."""

from paddle import _lazy

_lazy.serve(globals())
