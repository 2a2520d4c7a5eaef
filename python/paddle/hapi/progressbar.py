# SPDX-License-Identifier: Apache-2.0
"""The progress line of training."""

import numbers
import sys
import time

__all__ = ['ProgressBar']


def _text(value):
    if hasattr(value, 'tolist'):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return ' '.join(_text(v) for v in value)
    if isinstance(value, float):
        return f'{value:.4f}' if abs(value) > 1e-3 or value == 0 else f'{value:.4e}'
    return str(value)


def _clock(seconds):
    """Seconds as `12s`, `3:05` or `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f'{hours}:{minutes:02d}:{rest:02d}'
    return f'{minutes}:{rest:02d}' if minutes else f'{rest}s'


class ProgressBar:
    """Prints `step i/n - name: value - time/step`: verbose 1 redraws a bar with the time that is
    left, 2 and 3 print lines, 0 nothing.
    """

    def __init__(self, num=None, width=30, verbose=1, start=True, file=None, name='step'):
        if isinstance(num, numbers.Real) and num > 0:
            num = int(num)
        if num is not None and (not isinstance(num, int) or num <= 0):
            raise TypeError(f"[ProgressBar] expected num to be None or a positive int, got {num!r}")
        self._num = num
        self._width = width
        self._verbose = verbose
        self._file = file
        self.name = name
        self._start = time.time() if start else None
        self._last_width = 0

    @property
    def file(self):
        """Where it prints: the file given, else standard output as it is now."""
        return self._file or sys.stdout

    def start(self):
        """Start the clock."""
        self.file.flush()
        self._start = time.time()

    def update(self, current_num, values=None):
        """Show that `current_num` steps are done, with (name, value) pairs. A count may be a float:
        beside a total its whole part is shown.
        """
        per = (time.time() - (self._start or time.time())) / (current_num or 1)
        if per >= 1 or per == 0:
            rate = f' - {per:.0f}s/{self.name}'
        elif per >= 1e-3:
            rate = f' - {per * 1e3:.0f}ms/{self.name}'
        else:
            rate = f' - {per * 1e6:.0f}us/{self.name}'
        shown = ''.join(f' - {key}: {_text(value)}' for key, value in values or ())
        if self._num is not None:
            head = f'{self.name} {int(current_num):>{len(str(self._num))}}/{self._num}'
        else:
            head = f'{self.name} {current_num:3}'
        if self._verbose == 1:
            left = ''
            if self._num is not None:
                head += self._bar(current_num)
                if current_num < self._num:
                    left = f' - ETA: {_clock(per * (self._num - current_num))}'
            line = head + shown + left + rate
            done = self._num is None or current_num >= self._num
            self.file.write('\r' + line.ljust(self._last_width) + ('\n' if done else ''))
            self._last_width = len(line)
        elif self._verbose in (2, 3):
            self.file.write(head + shown + rate + '\n')
        self.file.flush()

    def _bar(self, current_num):
        part = min(current_num / self._num, 1.0)
        filled = int(self._width * part)
        arrow = '>' if filled and part < 1 else ''
        return f' [{"=" * (filled - len(arrow))}{arrow}{"." * (self._width - filled)}]'
