# SPDX-License-Identifier: Apache-2.0
"""What stays in memory of functions that are compiled and go.

python test/jit/many_functions.py [--first N] [--functions N] [--full-graph] [--apart] [--middle
    STATEMENT]

Prints the bytes that stay of each function: those of the first N are not counted. The functions
have one code or, with --apart, each has its own, of a file of its own, with the statement in its
middle.
"""

import argparse
import gc
import linecache

import paddle


def resident():
    """Bytes of this process in memory."""
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * 4096


def of_one_code(count, full_graph, middle):
    """Compile and drop functions with one code, and defaults of their own."""
    x = paddle.ones([4])
    for k in range(count):

        def f(x, k=float(k % 7)):
            return (x * k + 1).exp()

        f = paddle.jit.to_static(f, full_graph=full_graph)
        for _ in range(3):
            f(x)


def apart(count, full_graph, middle):
    """Compile and drop functions, each of a file of its own."""
    x = paddle.ones([4])
    for k in range(count):
        name = f'<apart {k}>'
        text = f'def f(x):\n    h = x * {k % 7} + 1\n    {middle}\n    return h.exp() * 2 - h\n'
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        scope = {}
        exec(compile(text, name, 'exec'), scope)
        f = paddle.jit.to_static(scope['f'], full_graph=full_graph)
        for _ in range(3):
            f(x)
        del linecache.cache[name]


def main():
    """Run the functions of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--first', type=int, default=300)
    parser.add_argument('--functions', type=int, default=10000)
    parser.add_argument('--full-graph', action='store_true')
    parser.add_argument('--apart', action='store_true')
    parser.add_argument('--middle', default='pass')
    given = parser.parse_args()
    work = apart if given.apart else of_one_code
    work(given.first, given.full_graph, given.middle)
    gc.collect()
    before = resident()
    work(given.functions, given.full_graph, given.middle)
    gc.collect()
    print((resident() - before) / given.functions)


if __name__ == '__main__':
    main()
