# SPDX-License-Identifier: Apache-2.0
"""How a row of tools/oracle/calls*.py becomes calls: its template, shapes and dtypes are varied,
and inputs are made from the call's text alone.

A template is Python with alternatives: `paddle.{sum|mean}(x{|, axis=0})`. Alternatives that name a
function are all taken; the others too while they are few, else one at a time. `shapes` lists cases,
`x:2,3@i8~0~5%spd/t; x:0,3`: name, extents, then in any order a fixed dtype, the range of values, a
kind of values, a layout (/t transposed, /s every second, /n no gradient). Later cases inherit all
but the layout.
"""

import itertools
import re
import zlib
from dataclasses import dataclass, field

import numpy as np

DTYPES = {
    'b': 'bool',
    'u1': 'uint8',
    'i1': 'int8',
    'i2': 'int16',
    'i4': 'int32',
    'i8': 'int64',
    'f2': 'float16',
    'bf': 'bfloat16',
    'f4': 'float32',
    'f8': 'float64',
    'c8': 'complex64',
    'c16': 'complex128',
    'e4': 'float8_e4m3fn',
    'e5': 'float8_e5m2',
}
CLASSES = {'F': 'f4 f8 f2 bf', 'I': 'i8 i4 i2 i1 u1', 'C': 'c8 c16', 'B': 'b', 'D': 'f4 f8'}
ALTERNATIVES = re.compile(r'\{([^{}]*)\}')
MANY = 16


@dataclass
class Input:
    name: str
    dtype: str
    array: object  # NumPy; what bfloat16 and float8 tensors are made of is float32
    layout: str = ''
    grad: bool = False


@dataclass
class Call:
    family: str
    function: str
    text: str
    inputs: list = field(default_factory=list)
    torch: str = ''
    tolerance: float = 1.0

    def __str__(self):
        return f"{self.text}   " + ' '.join(
            f"{i.name}:{i.dtype}{list(i.array.shape)}{i.layout}" for i in self.inputs
        )


def expand(template):
    """Texts of a template, the first one being the plainest. Groups behind a dot (names) are taken
    in full.
    """
    parts = ALTERNATIVES.split(template)  # text, group, text, ...
    groups = [part.split('|') for part in parts[1::2]]
    named = [bool(re.search(r'[\w)\]]\.$', text)) for text in parts[0:-1:2]]
    free = [range(1) if n else range(len(g)) for g, n in zip(groups, named)]
    if np.prod([len(f) for f in free]) <= MANY:
        picks = list(itertools.product(*free))
    else:
        picks = [
            tuple(k if i == j else 0 for i in range(len(groups)))
            for j, f in enumerate(free)
            for k in f
        ]
        random = np.random.RandomState(sum(len(g) for g in groups))  # the same for the torch text
        picks += [tuple(int(random.randint(len(f))) for f in free) for _ in range(MANY)]
        picks = list(dict.fromkeys(picks))
    texts = []
    for names in itertools.product(
        *[range(len(g)) if n else range(1) for g, n in zip(groups, named)]
    ):
        for pick in picks:
            chosen = [g[a if n else b] for g, n, a, b in zip(groups, named, names, pick)]
            texts.append((names, parts[0] + ''.join(c + t for c, t in zip(chosen, parts[2::2]))))
    return texts


TOKEN = re.compile(r'^(\w+):([\d,]*)((?:[@~%/][^@~%/]*)*)$')


def parse_shapes(text):
    cases, known = [], {}
    for case in text.split(';'):
        inputs = []
        for token in case.split():
            name, extents, rest = TOKEN.match(token).groups()
            marks = re.findall(r'([@~%/])([^@~%/]*)', rest)
            kept = known.setdefault(name, {})
            kept.update({m: v for m, v in marks if m in '@%'})
            span = [float(v) for m, v in marks if m == '~']
            if span:
                kept['~'] = span
            layout = ''.join(v for m, v in marks if m == '/')
            if 'n' in layout:
                kept['n'] = True
            inputs.append(
                (
                    name,
                    tuple(int(e) for e in extents.split(',') if e),
                    dict(kept),
                    layout.replace('n', ''),
                )
            )
        cases.append(inputs)
    return cases


def values(random, shape, dtype, marks):
    """An array of random numbers of a kind."""
    kind, span = marks.get('%', ''), marks.get('~')
    if dtype == 'bool':
        return random.rand(*shape) < 0.5 if shape else np.array(random.rand() < 0.5)
    if 'int' in dtype:
        low, high = span or ((0, 9) if dtype == 'uint8' else (-5, 5))
        array = random.randint(int(low), int(high) + 1, shape)
        if kind == 'distinct':
            array = random.permutation(int(np.prod(shape))).reshape(shape)
        return np.asarray(np.sort(array, -1) if kind == 'sorted' else array).astype(dtype)
    low, high = span or (-2, 2)
    array = random.uniform(low, high, shape)
    if dtype.startswith('complex'):
        array = array + 1j * random.uniform(low, high, shape)
    if kind == 'distinct':
        array = (
            random.permutation(int(np.prod(shape))).reshape(shape) - np.prod(shape) / 2 + 0.25
        ) / 4
    elif kind == 'sorted':
        array = np.sort(array, -1)
    elif kind == 'prob':
        array = np.exp(array) / np.exp(array).sum(-1, keepdims=True)
    elif kind == 'spd':
        array = array @ np.conj(np.swapaxes(array, -1, -2)) + 3 * np.eye(shape[-1])
    elif kind == 'regular':
        array = array + 4 * np.eye(*shape[-2:])
    elif kind == 'lower':
        array = np.tril(array) + 3 * np.eye(shape[-1])
    elif kind == 'sparse':
        array = array * (random.rand(*shape) < 0.6)
    elif kind == 'special' and array.size:
        flat = array.reshape(-1)
        flat[::3] = np.resize([np.nan, np.inf, -np.inf, -0.0, 0.0], flat[::3].shape)
    elif kind == 'boxes':
        array = np.concatenate(
            [
                np.minimum(array[..., :2], array[..., 2:]),
                np.maximum(array[..., :2], array[..., 2:]) + 0.5,
            ],
            -1,
        )
    array = np.asarray(array)
    return array.astype('float32' if dtype.startswith(('bf', 'float8')) else dtype)


def make_inputs(case, dtype, seed):
    random, inputs = np.random.RandomState(seed), []
    for name, shape, marks, layout in case:
        own = DTYPES[marks['@']] if '@' in marks else dtype
        array = values(random, shape, own, marks)
        inputs.append(
            Input(
                name,
                own,
                array,
                layout,
                own.startswith(('float', 'bf', 'complex')) and 'n' not in marks,
            )
        )
    return inputs


def to_torch(text):
    return text.replace('paddle.', 'torch.').replace('axis=', 'dim=')


class Table:
    """The rows of all families, in order."""

    def __init__(self):
        self.calls = []
        self.seen = set()

    def row(
        self,
        family,
        template,
        shapes='',
        dtypes='f4',
        torch=None,
        tolerance=1.0,
        forms='',
        cross=False,
        function=None,
    ):
        """Adds calls: all texts with the first shapes and dtype, the plainest of each name with
        each dtype and each shapes (`cross`: all texts with each dtype). `forms`: o with out=, m as
        a method, i in place, for templates `paddle.name(x, ...)`."""
        kinds = [DTYPES[d] for c in dtypes.split() for d in CLASSES.get(c, c).split()]
        cases = parse_shapes(shapes)
        pairs = list(
            zip(
                expand(template),
                expand(torch if isinstance(torch, str) else to_torch(template)),
                strict=True,
            )
        )
        plain = set()
        for (names, text), (_, judge) in pairs:
            first = names not in plain
            plain.add(names)
            judge = '' if torch is False else judge
            for form in ['', *forms] if first else [*forms.replace('o', ''), '']:
                shown, reference = self.form(text, form), judge if form in ('', 'm') else ''
                for dtype in kinds if first or cross else kinds[:1]:
                    self.add(family, shown, cases[0], dtype, reference, tolerance, function)
                for case in cases[1:] if first else ():
                    self.add(family, shown, case, kinds[0], reference, tolerance, function)

    @staticmethod
    def form(text, form):
        match = re.match(r'^(?:paddle|F)\.(?:\w+\.)*?(\w+)\((\w+)(?:, )?(.*)\)$', text)
        if not form or not match:
            return text
        name, first, rest = match.groups()
        if form == 'm':
            return f'{first}.{name}({rest})'
        if form == 'i':
            return f'written({first}.{name}_({rest}), {first})'
        return f"into(lambda o: {text[:-1]}, out=o))"

    def add(self, family, text, case, dtype, torch, tolerance, function):
        key = (text, dtype, str(case))
        if key in self.seen:
            return
        self.seen.add(key)
        if function is None:
            names = re.findall(r'\b((?:paddle|F|nn)(?:\.\w+)+)\(', text) or re.findall(
                r'\b\w+\.(\w+)\(', text
            )
            function = names[0] if names else text
        inputs = make_inputs(case, dtype, zlib.crc32(repr(key).encode()))
        self.calls.append(Call(family, function, text, inputs, torch, tolerance))
