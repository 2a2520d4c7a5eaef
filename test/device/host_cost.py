# SPDX-License-Identifier: Apache-2.0
"""Host time of an eager addition of one element on the CPU and on gpu:0, in microseconds, as JSON:
the lowest of many rounds. On a driver whose launches are empty, what a GPU costs beside the driver.
"""

import json
import time

import paddle


def lowest(place, calls=2000, rounds=40):
    paddle.set_device(place)
    x, y = paddle.ones([1]), paddle.ones([1])
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            x + y
        times.append((time.perf_counter() - start) / calls * 1e6)
        paddle.device.synchronize()
    return min(times)


if __name__ == '__main__':
    with paddle.no_grad():
        print(json.dumps({place: lowest(place) for place in ('cpu', 'gpu')}))
