# SPDX-License-Identifier: Apache-2.0
"""Time series: the next day of a series with two rhythms, a trend and noise.

    python time_series.py [--quick] [--out series.png]

An LSTM reads four days of hours and forecasts the fifth. The number is its mean absolute error over
that of repeating the last day.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

DAY = 24


def series(hours):
    time = np.arange(hours)
    daily = np.sin(2 * np.pi * time / DAY) + 0.5 * np.sin(4 * np.pi * time / DAY + 1)
    weekly = 0.8 * np.sin(2 * np.pi * time / (7 * DAY))
    return (daily * (1 + weekly) + 0.0005 * time + 0.1 * np.random.randn(hours)).astype('float32')


class Forecast(nn.Layer):
    def __init__(self, width=32):
        super().__init__()
        self.read, self.tell = nn.LSTM(DAY, width), nn.Linear(width, DAY)

    def forward(self, x):
        """A change against the last of the days x [batch, days, hours]."""
        _, (state, _) = self.read(x)
        return x[:, -1] + self.tell(state[-1])


def main(quick):
    values = series(DAY * 7 * 60)
    starts = np.arange(0, len(values) - 5 * DAY)
    windows = np.stack([values[s : s + 5 * DAY] for s in starts]).reshape([-1, 5, DAY])
    split = len(windows) * 4 // 5
    net = Forecast()

    def loss_of():
        (x,) = common.batch(64, windows[:split])
        return F.l1_loss(net(x[:, :4]), x[:, 4])

    losses = common.fit(150 if quick else 800, 'LSTM', net.parameters(), loss_of, rate=1e-2)
    held = paddle.to_tensor(windows[split + 5 * DAY :])
    with paddle.no_grad():
        told = net(held[:, :4])
    error = F.l1_loss(told, held[:, 4]).item()
    naive = F.l1_loss(held[:, 3], held[:, 4]).item()
    panels = [('loss', losses), ('the day', held[0, 4].numpy()), ('forecast', told[0].numpy())]
    return error / naive, panels


if __name__ == '__main__':
    common.launch(main, 'error over that of the last day', most=0.5, quick_most=0.8)
