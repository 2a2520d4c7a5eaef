# SPDX-License-Identifier: Apache-2.0
"""Text: Viterbi decoding, and datasets read from local files."""
from .datasets import Imdb, Imikolov, UCIHousing
from .viterbi_decode import ViterbiDecoder, viterbi_decode

__all__ = ['Imdb', 'Imikolov', 'UCIHousing', 'ViterbiDecoder', 'viterbi_decode']
