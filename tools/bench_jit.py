# SPDX-License-Identifier: Apache-2.0
"""What calls of compiled functions cost: guards, numbers that are free, first calls, and the model
families of test/jit/test_model_families.py beside eager.

    PYTHONPATH=build/python python tools/bench_jit.py [calls] [guards] [first] [families]

Figures of calls and guards are the best of many rounds. `first` runs processes of their own, with
an empty kernel cache and with the one that they leave. `families` takes turns between eager and
both modes, and prints the processor time of 100 calls, the least of the rounds, and its ratio.
"""

import os
import subprocess
import sys
import tempfile
import time

import paddle

HERE = os.path.dirname(os.path.abspath(__file__))


def best(function, count=1000, rounds=40):
    """Microseconds of a call."""
    least = float('inf')
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            function()
        least = min(least, time.perf_counter() - start)
    return least / count * 1e6


def marked(function, *args):
    """The function, compiled for these arguments."""
    static = paddle.jit.to_static(function, full_graph=False)
    for _ in range(4):
        static(*args)
    return static


def calls():
    """One operation, with an extent and with an int that are free."""
    x = paddle.ones([4])
    one = marked(lambda x: x + 1.0, x)
    sized, counted = (
        paddle.jit.to_static(f, full_graph=False) for f in (lambda x: x * 2, lambda x, n: x * n)
    )
    for n in range(2, 14):
        sized(paddle.ones([n]))
        counted(x, n)
    print(f'one operation      {best(lambda: one(x)):8.3f} us')
    print(f'extent that is free {best(lambda: sized(x)):7.3f} us')
    print(f'int that is free   {best(lambda: counted(x, 9)):8.3f} us')


def guards():
    """What 1,000 places cost, and the places of a transformer beside its training step."""

    class Place:
        pass

    x, places = paddle.ones([4]), [Place() for _ in range(1000)]
    for k, place in enumerate(places):
        place.k = k

    def read(x):
        return x + sum([p.k for p in places])

    one = best(lambda f=marked(lambda x: x + 1.0, x): f(x))
    print(f'1,000 places       {best(lambda f=marked(read, x): f(x)) - one:8.3f} us')
    layer = paddle.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0)
    net = paddle.nn.TransformerEncoder(layer, 24)
    data = paddle.randn([2, 32, 256])
    opt = paddle.optimizer.AdamW(parameters=net.parameters())

    def unused(x, data):
        net(data)  # what it reads is guarded; what it computes is not needed
        return x + 1.0

    def step(data):
        loss = net(data).square().mean()
        loss.backward()
        opt.step()
        opt.clear_grad()
        return loss

    with paddle.no_grad():
        cost = best(lambda f=marked(unused, x, data): f(x, data), 100) - one
    whole = best(lambda f=marked(step, data): f(data), 1, 10)
    print(f'24 layers          {cost:8.1f} us of a step of {whole:.0f} us: {cost / whole:.2%}')


FIRST = """
import sys, time
sys.path.insert(0, sys.argv[1])
import paddle, bench_models
step = bench_models.WORKLOADS['llama'](bench_models.Framework('paddle'))
start = time.perf_counter()
step()
print(time.perf_counter() - start)
"""


def first():
    """The first call of a training step of the LLaMA-like model."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, 'PADDLE_CINN_CACHE_DIR': folder}
        for name in ('cold', 'warm'):
            run = [sys.executable, '-c', FIRST, HERE]
            out = subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout
            print(f'first call, {name}   {float(out):7.2f} s')


def families(rounds=4, count=100):
    """The processor time of each family in each mode."""
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'test', 'jit'))
    import test_model_families

    print(f'{"family":18}{"eager ms":>10}{"default":>10}{"full graph":>12}')
    for name, (make, _) in test_model_families.FAMILIES.items():
        runs = []
        for full_graph in (None, False, True):
            paddle.seed(5)
            function, inputs = make()
            if full_graph is not None:
                function = paddle.jit.to_static(function, full_graph=full_graph)
            given = [inputs() for _ in range(8)]
            for args in given:
                function(*args)
            runs.append((function, given))
        least = [float('inf')] * len(runs)
        for _ in range(rounds):
            for k, (function, given) in enumerate(runs):
                start = time.process_time()
                for call in range(count):
                    function(*given[call % len(given)])
                least[k] = min(least[k], time.process_time() - start)
        eager, *others = least
        ratios = ''.join(f'{t / eager:>{w}.2f}' for t, w in zip(others, (10, 12)))
        print(f'{name:18}{eager / count * 1e3:10.3f}{ratios}', flush=True)


if __name__ == '__main__':
    for chosen in sys.argv[1:] or ['calls', 'guards', 'first', 'families']:
        {'calls': calls, 'guards': guards, 'first': first, 'families': families}[chosen]()
