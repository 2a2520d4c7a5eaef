# SPDX-License-Identifier: Apache-2.0
"""What determines the range of the tensors of a layer from samples of them."""

import abc
import math

import numpy as np

from paddle.base.arguments import integer

from .ptq_registry import channel_axis

__all__ = []


def _largest(tensor):
    return float(tensor.abs().max())


class BaseQuantizer(metaclass=abc.ABCMeta):
    """`sample_data` sees a layer's tensors, one list of them a call; `cal_thresholds` then makes
    `thresholds`, one for each tensor.
    """

    def __init__(self, quant_bits=8):
        if not isinstance(quant_bits, int) or not 0 < quant_bits <= 16:
            raise AssertionError(
                f'[{type(self).__name__}] expected quant_bits from 1 to 16, got {quant_bits!r}'
            )
        self.quant_bits, self.abs_max_vals, self.thresholds = quant_bits, [], []

    @abc.abstractmethod
    def sample_data(self, layer, tensors):
        """Take notice of the tensors."""

    @abc.abstractmethod
    def cal_thresholds(self):
        """Determine the thresholds."""

    def _listed(self, tensors):
        """The tensors, which must be a list."""
        if not isinstance(tensors, (list, tuple)):
            raise AssertionError(
                f'[{type(self).__name__}] expected a list of tensors, got {type(tensors).__name__}'
            )
        return tensors

    def _raise_to(self, values):
        """`abs_max_vals` at least `values`."""
        if not self.abs_max_vals:
            self.abs_max_vals = list(values)
        elif len(values) == len(self.abs_max_vals):
            pairs = zip(self.abs_max_vals, values)
            self.abs_max_vals = [np.maximum(a, b).tolist() for a, b in pairs]
        else:
            raise AssertionError(
                f'[{type(self).__name__}] expected {len(self.abs_max_vals)} tensors as before, got '
                f'{len(values)}'
            )


class AbsmaxQuantizer(BaseQuantizer):
    """The largest magnitude of each tensor."""

    def sample_data(self, layer, tensors):
        self._raise_to([_largest(tensor) for tensor in self._listed(tensors)])

    def cal_thresholds(self):
        self.thresholds = self.abs_max_vals


class PerChannelAbsmaxQuantizer(BaseQuantizer):
    """The largest magnitude of each output channel of weights."""

    def sample_data(self, layer, tensors):
        axis = channel_axis(layer)
        self._raise_to(
            [
                t.abs().max([i for i in range(t.ndim) if i != axis]).tolist()
                for t in self._listed(tensors)
            ]
        )

    def cal_thresholds(self):
        self.thresholds = self.abs_max_vals


class _HistogramQuantizer(BaseQuantizer):
    """Histograms of magnitudes, which widen as larger ones come."""

    def __init__(self, quant_bits=8, bins=1024, upsample_bins=64):
        super().__init__(quant_bits)
        op = type(self).__name__
        self.bins = integer(op, 'bins', bins)
        self.upsample_bins = integer(op, 'upsample_bins', upsample_bins)
        self.hists = []

    def sample_data(self, layer, tensors):
        tensors, largest, hists = self._listed(tensors), [], []
        before = self.hists or [(0.0, None)] * len(tensors)
        if len(before) != len(tensors):
            self._raise_to([0.0] * len(tensors))
        for (top, hist), tensor in zip(
            zip(self.abs_max_vals, self.hists) if self.hists else before, tensors
        ):
            new_top, new_hist = self._combined(top, hist, tensor)
            largest.append(new_top)
            hists.append(new_hist)
        self.abs_max_vals, self.hists = largest, hists

    def _combined(self, top, hist, tensor):
        values = np.abs(tensor.astype('float32').numpy())
        found = float(values.max()) if values.size else 0.0
        if found == 0:
            return top, hist

        def count(limit):
            return np.histogram(values, self.bins, (0, limit))[0].astype('float64')

        if hist is None:
            return found, count(found)
        if found <= top:
            return top, hist + count(top)
        # Each bin becomes `upsample_bins`, of which a whole number makes one of the wider bins.
        step = top / (self.bins * self.upsample_bins)
        factor = math.ceil(found / (self.bins * step))
        fine = np.zeros(self.bins * factor)
        fine[: self.bins * self.upsample_bins] = np.repeat(
            hist / self.upsample_bins, self.upsample_bins
        )
        wide = self.bins * step * factor
        return wide, fine.reshape(self.bins, factor).sum(1) + count(wide)

    @abc.abstractmethod
    def _threshold(self, hist, width):
        """The threshold for a histogram with bins of a width."""

    def cal_thresholds(self):
        self.thresholds = [
            top if hist is None else self._threshold(hist, top / hist.shape[0])
            for top, hist in zip(self.abs_max_vals, self.hists)
        ]


class HistQuantizer(_HistogramQuantizer):
    """The magnitude that the part `hist_percent` of all elements stays below."""

    def __init__(self, quant_bits=8, bins=1024, upsample_bins=64, hist_percent=0.99999):
        super().__init__(quant_bits, bins, upsample_bins)
        self.hist_percent = hist_percent

    def _threshold(self, hist, width):
        parts = np.cumsum(hist) / hist.sum()
        index = int(np.searchsorted(parts, self.hist_percent))
        return (min(index, hist.shape[0] - 1) + 0.5) * width


class KLQuantizer(_HistogramQuantizer):
    """The threshold whose rounded histogram is nearest to the whole one by Kullback-Leibler
    divergence (Migacz, 8-bit Inference with TensorRT, 2017).
    """

    def _threshold(self, hist, width):
        levels = 2 ** (self.quant_bits - 1) - 1
        first = int((hist.shape[0] - 1) * 0.5)
        best, index = math.inf, 0
        for end in range(max(first, 1), hist.shape[0]):
            if hist[end - 1] == 0:
                continue
            divergence = _divergence(hist, end, levels)
            if divergence < best:
                best, index = divergence, end
        if index == 0:
            filled = np.nonzero(hist[: first + 1])[0]
            index = int(filled[-1]) if filled.size else 0
        return (index + 0.5) * width


def _divergence(hist, end, levels):
    """Of the first `end` bins, with the elements beyond in the last, from themselves rounded to
    `levels`.
    """
    clipped = hist[:end].copy()
    clipped[-1] += hist[end:].sum()
    merged = max(end // levels, 1)
    # The last level takes the bins that are left over.
    of = np.minimum(np.arange(end) // merged, levels - 1)
    filled = clipped > 0
    totals = np.bincount(of, hist[:end], levels)
    members = np.bincount(of, filled, levels)
    spread = np.where(filled, totals[of] / np.maximum(members[of], 1), 0.0)
    p, q = clipped / hist.sum(), spread / spread.sum()
    seen = p > 0
    return float((p[seen] * np.log(p[seen] / np.maximum(q[seen], 1e-300))).sum())


SUPPORT_ACT_QUANTIZERS = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
SUPPORT_WT_QUANTIZERS = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]
