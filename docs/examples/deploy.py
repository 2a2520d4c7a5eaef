# SPDX-License-Identifier: Apache-2.0
"""Train LeNet on handwritten digits, turn it into a program, save it, and serve it from predictors.

    python deploy.py [--epochs 6] [--requests 400] [--model digits_model/lenet]

Prints a table of latency with 1 and 4 threads, and how far the served probabilities are from the
eager model's.
"""

import argparse
import os
import threading
import time

import numpy as np

import paddle
import paddle.inference as infer
from digits import load_digits, train
from paddle.static import InputSpec
from paddle.vision.models import LeNet


class Classifier(paddle.nn.Layer):
    """Probabilities of the ten digits."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        return paddle.nn.functional.softmax(self.net(image))


def serve(predictors, images, requests):
    """Latencies in milliseconds of `requests` single-image runs by each predictor in its own
    thread, and the answers.
    """
    latencies, answers = [], {}

    def work(predictor):
        image = predictor.get_input_handle('image')
        result = predictor.get_output_handle(predictor.get_output_names()[0])
        mine = []
        for i in range(requests):
            start = time.perf_counter()
            image.copy_from_cpu(images[i % len(images)][None])
            predictor.run()
            answers[i % len(images)] = result.copy_to_cpu()[0]
            mine.append(1e3 * (time.perf_counter() - start))
        latencies.extend(mine)

    start = time.perf_counter()
    workers = [threading.Thread(target=work, args=(p,)) for p in predictors]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return np.sort(latencies), len(latencies) / (time.perf_counter() - start), answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--epochs', type=int, default=6)
    parser.add_argument('--requests', type=int, default=400, help='per thread')
    parser.add_argument(
        '--model', default='digits_model/lenet', help='path prefix of the saved program'
    )
    args = parser.parse_args()

    paddle.seed(1)
    np.random.seed(1)
    train_set, (images, labels) = load_digits()
    net = LeNet()
    train(net, train_set, (images, labels), args.epochs, 64)
    net.eval()
    model = paddle.jit.to_static(
        Classifier(net),
        input_spec=[InputSpec([None, 1, 28, 28], 'float32', 'image')],
        full_graph=True,
    )
    model.eval()
    with paddle.no_grad():
        want = model(paddle.to_tensor(images)).numpy()
    os.makedirs(os.path.dirname(args.model) or '.', exist_ok=True)
    paddle.jit.save(model, args.model)
    print(
        f'saved {args.model}.json and .pdiparams; held-out accuracy '
        f'{(want.argmax(1) == labels).mean():.2%}'
    )

    config = infer.Config(args.model + '.json', args.model + '.pdiparams')
    pool = infer.PredictorPool(config, 4)
    print(
        f"\n{'threads':>7}  {'p50 ms':>7}  {'p99 ms':>7}  {'images/s':>8}  "
        f"{'largest difference':>18}"
    )
    for threads in (1, 4):
        latencies, rate, answers = serve(
            [pool.retrieve(i) for i in range(threads)], images, args.requests
        )
        p50, p99 = latencies[len(latencies) // 2], latencies[len(latencies) * 99 // 100]
        difference = max(np.abs(answer - want[i]).max() for i, answer in answers.items())
        print(f'{threads:>7}  {p50:>7.3f}  {p99:>7.3f}  {rate:>8.0f}  {difference:>18.1e}')
        if difference > 1e-5:
            raise SystemExit('the predictor and the eager model do not agree')


if __name__ == '__main__':
    main()
