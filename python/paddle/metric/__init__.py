# SPDX-License-Identifier: Apache-2.0
"""Metrics accumulated over batches."""

from .metrics import Accuracy, Auc, Metric, Precision, Recall, accuracy

__all__ = ['Metric', 'Accuracy', 'Precision', 'Recall', 'Auc', 'accuracy']
