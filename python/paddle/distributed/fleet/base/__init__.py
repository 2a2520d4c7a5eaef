# SPDX-License-Identifier: Apache-2.0
"""What a job is made of: its topology, the roles of its processes, its strategy."""

from paddle import _lazy

_lazy.serve(globals())
