# SPDX-License-Identifier: Apache-2.0
"""Graph learning: segments, message passing, sampling and renumbering of neighbours."""

from paddle import _lazy

from .message_passing import send_u_recv, send_ue_recv, send_uv
from .sampling import (
    reindex_graph,
    reindex_heter_graph,
    sample_neighbors,
    weighted_sample_neighbors,
)
from .segment import segment_max, segment_mean, segment_min, segment_sum

__all__ = [
    'send_u_recv',
    'send_ue_recv',
    'send_uv',
    'segment_sum',
    'segment_mean',
    'segment_min',
    'segment_max',
    'reindex_graph',
    'reindex_heter_graph',
    'sample_neighbors',
    'weighted_sample_neighbors',
]

_lazy.serve(globals())
