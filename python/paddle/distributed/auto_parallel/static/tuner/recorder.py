# SPDX-License-Identifier: Apache-2.0
"""What a search measured."""

import numpy as np

__all__ = ['MetricRecord', 'MetricsRecorder']


class MetricRecord:
    """A value, or several, measured at a step."""

    def __init__(self, value, step):
        self.value, self.step = value, step

    def mean(self):
        """The mean of the values."""
        return np.mean(self.value)

    def get_state(self):
        """What `from_state` makes the record of."""
        return {'value': self.value, 'step': self.step}

    @classmethod
    def from_state(cls, state):
        """The record that gave this state."""
        return cls(**state)

    def __eq__(self, other):
        return isinstance(other, MetricRecord) and self.get_state() == other.get_state()

    __hash__ = None

    def __repr__(self):
        return f'MetricRecord(value={self.value}, step={self.step})'


class MetricsRecorder:
    """Records of metrics by name; each is better when it is less ('min') or more ('max').

    Examples:
        >>> from paddle.distributed.auto_parallel.static.tuner.recorder import MetricsRecorder
        >>> seen = MetricsRecorder()
        >>> seen.register('time', 'min')
        >>> seen.update('time', 2.0, step=1)
        >>> seen.update('time', 1.0, step=2)
        >>> seen.get_best_value('time'), seen.get_best_step('time')
        (1.0, 2)
    """

    def __init__(self, metrics=None):
        self._records, self._directions = {}, {}
        self.register_metrics(metrics)

    @property
    def records(self):
        """The records of each metric."""
        return self._records

    def exists(self, name):
        """Whether a metric is known."""
        return name in self._records

    def register_metrics(self, metrics=None):
        """Add metrics by name."""
        for name in metrics or ():
            self.register(name)

    def register(self, name, direction=None):
        """Add a metric, better when it is less unless `direction` is 'max'."""
        if direction not in (None, 'min', 'max'):
            raise ValueError(
                f"[MetricsRecorder] expected direction 'min' or 'max', got {direction!r}"
            )
        if self.exists(name):
            raise ValueError(f'[MetricsRecorder] expected a new metric, got {name!r} again')
        self._records[name], self._directions[name] = [], direction or 'min'

    def update(self, name, value, step=0):
        """Add a record; the metric is added where it is new."""
        if not self.exists(name):
            self.register(name)
        self._records[name].append(MetricRecord(value, step))

    def _expect(self, name):
        if not self.exists(name):
            raise ValueError(
                f'[MetricsRecorder] expected one of {list(self._records)}, got {name!r}'
            )

    def get_records(self, name):
        """The records of a metric, by steps."""
        self._expect(name)
        return sorted(self._records[name], key=lambda record: record.step)

    def set_records(self, name, records):
        """Replace the records of a metric."""
        if not self.exists(name):
            self.register(name)
        self._records[name] = list(records)

    def _best(self, name):
        records = self.get_records(name)
        means = [r.mean() for r in records]
        if not means or np.isnan(means).all():
            return None
        best = np.nanargmin(means) if self._directions[name] == 'min' else np.nanargmax(means)
        return records[best]

    def get_best_value(self, name):
        """The best mean of a record; None where there is none."""
        best = self._best(name)
        return None if best is None else best.mean()

    def get_best_step(self, name):
        """The step of it; None where there is none."""
        best = self._best(name)
        return None if best is None else best.step

    def get_statistics(self, name):
        """Minimum, maximum, mean, median, variance and deviation of a metric."""
        values = [record.value for record in self.get_records(name)]
        if not values:
            return {}
        return {
            'min': float(np.nanmin(values)),
            'max': float(np.nanmax(values)),
            'mean': float(np.nanmean(values)),
            'median': float(np.nanmedian(values)),
            'var': float(np.nanvar(values)),
            'std': float(np.nanstd(values)),
        }

    def get_state(self):
        """What `from_state` makes the records of."""
        return {
            'metrics': {
                name: {
                    'direction': self._directions[name],
                    'records': [record.get_state() for record in records],
                }
                for name, records in self._records.items()
            }
        }

    @classmethod
    def from_state(cls, state):
        """The records that gave this state."""
        made = cls()
        for name, found in state['metrics'].items():
            made.register(name, found['direction'])
            made.set_records(name, [MetricRecord.from_state(r) for r in found['records']])
        return made
