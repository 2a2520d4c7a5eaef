# SPDX-License-Identifier: Apache-2.0
"""What a device costs its maker: compiles device_cost_plugin.cc with the public headers, trains on
it, counts its functions and lines, and takes each function away to show the error that names it.

PYTHONPATH=build/python python tools/device_cost.py
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import paddle

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / 'device_cost_plugin.cc'
MOST_FUNCTIONS, MOST_LINES = 12, 120
# PyTorch's smallest device, torch_openreg: what it overrides or registers, counted in its headers.
OPENREG = {
    'device guard': 21,
    'hooks': 15,
    'device allocator': 9,
    'host allocator': 8,
    'generator': 3,
    'operators': 12,
    'fallback': 1,
}
TRAIN = '''
import numpy as np, paddle
def losses(place):
    paddle.set_device(place)
    paddle.seed(1)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 4, 3), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(144, 5))
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    x, label = paddle.randn([8, 1, 8, 8]), paddle.randint(0, 5, [8])
    out = []
    for _ in range(10):
        loss = paddle.nn.functional.cross_entropy(net(x), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        out.append(loss.item())
    assert str(net[0].weight.place) == f'Place({place})', net[0].weight.place
    return out
want, got = losses('cpu'), losses('least:0')
assert want == got and got[-1] < got[0], (want, got)
print(f'{got[0]:.4f} to {got[-1]:.4f}')
'''


def headers():
    """The include directory: of the installed package, else of the source tree."""
    installed = pathlib.Path(paddle.__file__).resolve().parent / 'include'
    return installed if (installed / 'paddle/phi/backends/device_ext.h').exists() else HERE.parent


def compiled(text, folder):
    """The plugin made of `text`, alone in a folder."""
    source, made = folder / 'plugin.cc', folder / 'root' / 'libleast.so'
    source.write_text(text)
    made.parent.mkdir(exist_ok=True)
    flags = ['-std=c++14', '-O1', '-fPIC', '-shared', f'-I{headers()}']
    subprocess.run(['g++', *flags, str(source), '-o', str(made)], check=True)
    return made.parent


def train(root):
    """Ten steps on the device and on the CPU, in a process that loads what is in `root`."""
    return subprocess.run(
        [sys.executable, '-c', TRAIN],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, 'CUSTOM_DEVICE_ROOT': str(root)},
    )


def main():
    text = SOURCE.read_text()
    functions = re.findall(r'^  f->(\w+) = \w+;$', text, re.MULTILINE)
    lines = [s for s in map(str.strip, text.splitlines()) if s and not s.startswith('//')]
    theirs = sum(OPENREG.values())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = train(compiled(text, folder))
        if done.returncode:
            sys.exit(f'the whole plugin does not train:\n{done.stderr}')
        print(f'trains with the losses of the CPU: {done.stdout.strip()}')
        fewer = round(100 * (1 - len(functions) / theirs))
        print(f'{len(functions)} functions, {len(lines)} lines; OpenReg {theirs}: {fewer} % fewer')
        unnamed = []
        for function in functions:
            without = re.sub(rf'^  f->{function} = \w+;\n', '', text, flags=re.MULTILINE)
            done = train(compiled(without, folder))
            named = re.findall(rf'\[(?:plugin|least).*\b{function}\b.*', done.stderr)
            print(f'without {function}: {named[0] if named else "no error names it"}')
            if done.returncode == 0 or not named:
                unnamed.append(function)
    if len(functions) > MOST_FUNCTIONS or len(lines) > MOST_LINES or unnamed:
        sys.exit(
            f'expected at most {MOST_FUNCTIONS} functions, {MOST_LINES} lines and an error for '
            f'each function that is missing, got none for: {", ".join(unnamed) or "-"}'
        )


if __name__ == '__main__':
    main()
