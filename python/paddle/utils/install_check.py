# SPDX-License-Identifier: Apache-2.0
"""A small training run, as it stands and compiled, that shows whether the installation works."""

import numpy as np

import paddle
from paddle.utils import report

__all__ = ['run_check']


def run_check():
    """See `paddle.utils.run_check`."""
    print(report.text())
    print('Running verify PaddlePaddle program ... ')
    x = paddle.to_tensor(np.random.RandomState(0).rand(16, 4).astype('float32'))
    y = x.sum(axis=1, keepdim=True)
    layer = paddle.nn.Linear(4, 1)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    losses = []
    for _ in range(20):
        loss = ((layer(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss.numpy()))
    if not losses[-1] < losses[0]:
        raise RuntimeError(
            f"[run_check] expected the loss to fall, got {losses[0]} before and {losses[-1]} after"
        )
    expected = layer(x).numpy()
    compiled = paddle.jit.to_static(layer)
    for _ in range(2):
        got = compiled(x).numpy()
        if not np.allclose(got, expected, rtol=1e-5, atol=1e-6):
            raise RuntimeError(
                f"[run_check] expected the compiled layer to give {expected.ravel()}, "
                f"got {got.ravel()}"
            )
    device = 'GPU' if paddle.device.get_device().startswith('gpu') else 'CPU'
    print(f'PaddlePaddle works well on 1 {device}.')
    print(
        "PaddlePaddle is installed successfully! Let's start deep learning with PaddlePaddle now."
    )
