# SPDX-License-Identifier: Apache-2.0
"""The nodes that a backward runs, as graphs for Graphviz."""

import datetime
import os


def write_graph(op, tensors, path):
    """Write what a backward of the tensors runs into the folder `path`, which is made where it is
    missing: `<time>_backward_graph.dot`, and `<time>_ref_forward_graph.dot` with the arrows turned.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f'[{op}] expected dump_backward_graph_path to be a path, got {type(path).__name__}'
        )
    waiting = [t.grad_fn for t in tensors if t.grad_fn is not None]
    numbers, nodes, edges = {}, [], []
    while waiting:
        node = waiting.pop()
        if repr(node) in numbers:
            continue
        numbers[repr(node)] = len(nodes)
        nodes.append(node)
        below = [n for n in node.next_functions if n is not None]
        edges += [(repr(node), repr(n)) for n in below]
        waiting += below
    os.makedirs(path, exist_ok=True)
    start = os.path.join(path, f'{datetime.datetime.now():%Y-%m-%d_%H:%M:%S.%f}')
    for what, turned in (('backward_graph', False), ('ref_forward_graph', True)):
        with open(f'{start}_{what}.dot', 'w') as file:
            file.write('digraph G {\n')
            for k, node in enumerate(nodes):
                name = node.name().removesuffix('GradNode') if turned else node.name()
                file.write(f'\tnode_{k}[label="{name}" shape="box"]\n')
            for pair in edges:
                above, below = (numbers[n] for n in (reversed(pair) if turned else pair))
                file.write(f'\tnode_{above}->node_{below}\n')
            file.write('}\n')
