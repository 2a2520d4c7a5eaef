# SPDX-License-Identifier: Apache-2.0
"""What calls of compiled functions cost: guards, numbers that are free, first calls, and the model
families of test/jit/test_model_families.py beside eager.

    PYTHONPATH=build/python python tools/bench_jit.py [calls] [guards] [first] [small] [families]
        [breaks]

Figures of calls and guards are the best of many rounds. `first` runs processes of their own, with
an empty kernel cache and with the one that they leave. `small` (functions of a few operations) and
`families` take turns between eager and both modes, and print the processor time of a call, the
least of the rounds of 100 calls, and its ratio; the status is 1 if a ratio is above 1.03. `breaks`
says what `paddle.jit.explain` tells of the families in default mode.
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


class _State:
    k, calls, table = 1.5, 0, {'a': 0.5, 'b': [1.0, 2.0]}


def small_functions():
    """name -> a function, and a function that gives the arguments of call number k."""
    layer, state = paddle.nn.Sequential(paddle.nn.Linear(8, 8), paddle.nn.Tanh()), _State()
    x, wide, weight = paddle.ones([4]), paddle.ones([64, 64]), paddle.ones([8, 8])
    leaf = paddle.ones([8], dtype='float32')
    leaf.stop_gradient = False

    def branches(x):
        if x.sum() > 3:
            return x * 2
        return x - 1

    def loop(x):
        for v in state.table['b']:
            x = x * v + 1
        return x

    def breaks(x):
        x = paddle.tanh(x * 2) + 1
        state.last = float(x[0])
        return paddle.exp(x) * state.k - x

    def counts(x):
        state.calls += 1
        return x * 2 + state.calls

    def clock(x):
        return x * 2 + (time.time() > 0)

    def nest(x):
        return {'a': [x + 1, x * 2], 'b': (x, 3, None)}

    def writes(x):
        y = paddle.zeros([4])
        y[1:] = x[:-1] * 2
        return y.add_(x)

    def step(x):
        loss = (x * leaf).sum()
        loss.backward()
        leaf.clear_grad()
        return loss

    def generator(x):
        return sum(x * k for k in range(4))

    def handled(x):
        try:
            return x * state.table['none']
        except KeyError:
            return x + 1

    def normed(x):
        return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight[0]

    eight = paddle.ones([3, 8])
    return {
        'one operation': (lambda x: x + 1.0, lambda k: (x,)),
        'five operations': (lambda x: ((x * 2 + 1).tanh() - x).abs(), lambda k: (x,)),
        'matrix product': (lambda x: x @ x, lambda k: (wide,)),
        'softmax': (lambda x: paddle.nn.functional.softmax(x), lambda k: (wide,)),
        'a layer': (layer, lambda k: (eight,)),
        'attributes': (lambda x: x * state.k + state.table['a'], lambda k: (x,)),
        'a free extent': (lambda x: x * 2 + x.shape[0], lambda k: (paddle.ones([k % 9 + 2]),)),
        'a free int': (lambda x, n: x * n, lambda k: (x, k % 9 + 2)),
        'texts': (lambda x, mode: x * 2 if mode == 'a' else x, lambda k: (x, 'ab'[k % 2])),
        'a random number': (lambda x: x + paddle.rand([4]), lambda k: (x,)),
        'branches by numbers': (branches, lambda k: (x * (k % 2),)),
        'a loop': (loop, lambda k: (x,)),
        'a break': (breaks, lambda k: (x,)),
        'state that changes': (counts, lambda k: (x,)),
        'a clock': (clock, lambda k: (x,)),
        'a nest': (nest, lambda k: (x,)),
        'writes': (writes, lambda k: (x,)),
        'backward': (step, lambda k: (leaf.detach(),)),
        'a generator': (generator, lambda k: (x,)),
        'an exception': (handled, lambda k: (x,)),
        'RMS norm': (normed, lambda k: (eight,)),
        'a gradient behind': (lambda x: (x * x + 1).sum(), lambda k: (leaf,)),
    }


def compared(cases, rounds, count=100):
    """Print the processor time of `count` calls eagerly and its ratio in both modes; whether none
    takes 3 % more than eager. `cases`: (name, a function that gives a function and its arguments
    of 8 calls).
    """
    print(f'{"case":22}{"eager ms":>10}{"default":>10}{"full graph":>12}')
    slow = []
    for name, make in cases:
        runs = []
        for full_graph in (None, False, True):
            paddle.seed(5)
            function, given = make()
            if full_graph is not None:
                function = paddle.jit.to_static(function, full_graph=full_graph)
            for _ in range(4):
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
        print(f'{name:22}{eager / count * 1e3:10.4f}{ratios}', flush=True)
        slow += [name] * (max(others) > 1.03 * eager)
    print('slower than eager:', ', '.join(slow) or 'none')
    return not slow


def small(rounds=40):
    """Small functions, what cannot be compiled among them, in each mode."""

    def of(function, arguments):
        return lambda: (function, [arguments(k) for k in range(8)])

    return compared([(name, of(*case)) for name, case in small_functions().items()], rounds)


def model_families():
    """name -> (a function that makes a step and a function that gives its arguments, ...)"""
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'test', 'jit'))
    import test_model_families

    return test_model_families.FAMILIES


def families(rounds=4):
    """The processor time of each family in each mode."""

    def of(make):
        def case():
            function, inputs = make()
            return function, [inputs() for _ in range(8)]

        return case

    return compared([(name, of(make)) for name, (make, _) in model_families().items()], rounds)


def breaks():
    """Breaks, regions and operations of each family; whether there are two breaks at most."""
    few = True
    print(f'{"family":18}{"breaks":>7}{"regions":>9}{"operations":>12}{"guards":>8}')
    for name, (make, _) in model_families().items():
        paddle.seed(5)
        function, inputs = make()
        static = paddle.jit.to_static(function, full_graph=False)
        for _ in range(6):
            static(*inputs())
        found = paddle.jit.explain(static)
        regions = [r for r in found.regions if r.recordings]
        operations = sum(r.operations for r in regions) if regions else found.op_count
        numbers = f'{len(found.breaks):7}{len(regions) or 1:9}{operations:12}{len(found.guards):8}'
        print(f'{name:18}{numbers}', flush=True)
        for reason, where in found.breaks:
            print(f'    {os.path.relpath(where)}: {reason}')
        few = few and len(found.breaks) <= 2 and found.compiled_calls > 0
    return few


if __name__ == '__main__':
    known = {f.__name__: f for f in (calls, guards, first, small, families, breaks)}
    done = [known[chosen]() for chosen in sys.argv[1:] or known]
    sys.exit(False in done)
