# SPDX-License-Identifier: Apache-2.0
"""Text: Viterbi decoding, and datasets read from local files."""

from paddle import _lazy

from .conll05 import Conll05st
from .datasets import Imdb, Imikolov, UCIHousing
from .movielens import Movielens
from .translation import WMT14, WMT16
from .viterbi_decode import ViterbiDecoder, viterbi_decode

__all__ = [
    'Conll05st',
    'Imdb',
    'Imikolov',
    'Movielens',
    'UCIHousing',
    'ViterbiDecoder',
    'WMT14',
    'WMT16',
    'viterbi_decode',
]

_lazy.serve(globals())
