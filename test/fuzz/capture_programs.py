# SPDX-License-Identifier: Apache-2.0
"""The state that programs of capture.py start with: modules of classes, functions and values."""

SETUP = """
import collections, contextlib, copy, dataclasses, enum, functools, itertools, logging, math, random
import paddle
Pair = collections.namedtuple('Pair', 'a b')
G = 1.5
FLAG = True
D = {'a': 1.25, 'b': 0.5, 'name_1': 2.0}
OD = collections.OrderedDict(p=0.5, q=1.5)
L = [0.5, 1.0, 1.5]
NEST = {'x': [1.0, {'y': (2.0, [0.75])}]}
S = {'on', 'off'}
P = Pair(0.5, [1.25])
COUNT = [0]
IT = itertools.count(1)
ENV = {'scale': '1.5'}

class Base:
    c = 0.75
    rates = [0.5, {'k': 1.25}]
    hits = 0
    def method(self, v):
        return v * self.k
    @property
    def prop(self):
        return self.inner.k + self.c
    @classmethod
    def of_class(cls):
        return cls.c
    @staticmethod
    def static(v):
        return v + G

class K(Base):
    __slots__ = ('slot',)
    def __init__(self, k=1.0, depth=1):
        self.k, self.n, self.flag, self.name = k, 2, True, 'name_1'
        self.slot = 0.25
        self.inner = K(0.5, depth - 1) if depth else None
        self.items = [k, k + 1]
        self.w = paddle.to_tensor([0.5, 2.0])
    def method(self, v):
        return super().method(v) + self.slot

class Other(Base):
    def __init__(self):
        self.k, self.n, self.flag, self.name, self.slot = 3.0, 1, False, 'a', 0.5
        self.inner, self.items = K(0.25, 0), [1.0]
        self.w = paddle.to_tensor([1.5, 1.0])

class Dynamic:
    def __init__(self):
        self.table = {'v': 1.5}
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self.__dict__['table'][name]

class Scale:
    def __init__(self):
        self.k = 1.5
    def __enter__(self):
        return self.k
    def __exit__(self, *error):
        return False
    def __len__(self):
        return int(self.k)
    def __iter__(self):
        return iter([self.k, self.k + 1])
    def __call__(self, v):
        return v * self.k
    def __getitem__(self, i):
        return self.k + i
    def __add__(self, other):
        return self.k + other
    def __float__(self):
        return self.k
    def __eq__(self, other):
        return self.k == other.v

class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(2, 2)
        self.parts = paddle.nn.LayerList([paddle.nn.Tanh(), paddle.nn.Sigmoid()])
        self.scale, self.box = 1.5, Base()
        self.box.k = 0.5
        self.register_buffer('mean', paddle.zeros([2]))
    def forward(self, v):
        v = self.fc(v) * self.scale
        for part in self.parts:
            v = part(v) + self.box.k
        return v
    def running(self, v):
        with paddle.no_grad():
            self.mean = self.mean * 0.5 + v.detach()
        return v + self.mean

class Broken(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.calls, self.last = paddle.nn.Linear(2, 2), 0, None
    def forward(self, v):
        h = self.fc(v) * O.k
        self.calls += 1
        h = paddle.tanh(h) + self.calls % 2
        if float(h.detach().sum()) > 1:
            h = h * 0.5
            self.last = h.detach()
        return h + v

class Pure(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, v, k):
        ctx.save_for_backward(v)
        ctx.k = k
        return v * v * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensor()[0] * ctx.k * 3

class Reading(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, v):
        return v * G
    @staticmethod
    def backward(ctx, g):
        return g * G * O.k

O, DYN, SC = K(), Dynamic(), Scale()
WT = paddle.to_tensor([0.5, 0.25], stop_gradient=False)
BIAS = paddle.to_tensor([0.1, 0.2], stop_gradient=False)
OPT = paddle.optimizer.Momentum(0.01, parameters=[WT, BIAS])
def loss(v):
    return ((v.detach() * 0.1 * WT + BIAS - D['b']) ** 2).sum()
def trained(v):
    u = loss(v)
    u.backward()
    OPT.step()
    OPT.clear_grad()
    return v + u.detach()
def cleared_first(v):
    OPT.clear_grad(set_to_zero=FLAG)
    loss(v * G).backward()
    OPT.step()
    return v * 0.5
def gathered(v):
    loss(v).backward()
    if FLAG:
        OPT.step()
        OPT.clear_grad(set_to_zero=False)
    return v + WT.detach()
SCALER = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=2)
def rescaled(v):
    u = SCALER.scale(loss(v) * (float('inf') if Base.hits > 2 else 1.0))
    u.backward()
    SCALER.step(OPT)
    SCALER.update()
    OPT.clear_grad()
    return v * 0.5
def minimized(v):
    u = SCALER.scale(loss(v))
    u.backward()
    SCALER.minimize(OPT, u)
    OPT.clear_grad()
    return SCALER.scale(v) * 0.125
def counted_by_class(v):
    Base.hits += 1
    v = v * Base.hits
    Base.hits -= 1
    return v + K.rates[0]
def set_and_deleted(v):
    K.extra = v * 0.5
    v = v + O.extra if isinstance(O, K) else v
    del K.extra
    return v * O.c
def hooked(v):
    h = v * 0.5
    h.register_hook(lambda g: g * 2)
    return h * G
def hooked_inside(v):
    h = v.detach() * 0.1 * WT
    h.register_hook(lambda g: g * O.k)
    h.sum().backward()
    WT.grad = WT.grad * 0.5
    OPT.step()
    OPT.clear_grad()
    return v
W = paddle.to_tensor([0.5, 1.5], stop_gradient=False)
paddle.seed(7)
NET, BRK = Net(), Broken()
LOG = logging.getLogger('capture')
T = {'f': lambda v: v * 2}
PART = functools.partial(lambda k, v: v * k, 1.5)
def linear(weight, bias):
    constant = paddle.nn.initializer.Constant
    return paddle.nn.Linear(2, 2, constant(weight), constant(bias))
def helper(v):
    return inner_helper(v) + G
def inner_helper(v):
    return v * D['a']
def numbers(n):
    for i in range(n):
        yield i * G
def steps(v):
    for i in range(2):
        v = v * 0.5 + G
        yield v
        print(end='')
        v = v * D['a'] + i
def make():
    k = 1.5
    def get(v):
        return v * k
    def put(value):
        nonlocal k
        k = value
    return get, put
GET, PUT = make()
def logged(v):
    v = v * G
    LOG.debug('%s', v)
    return inner_helper(v) * 0.5
def counted(v):
    v = v * 2
    n = int(v.detach().numpy().sum()) % 3
    for _ in range(n):
        v = v * 0.5 + D['b']
    return v
def default(v, k=[1.25], *, m=0.5):
    return v * k[0] + m
@contextlib.contextmanager
def scaled():
    yield O.k
@dataclasses.dataclass
class Record:
    k: float = 0.5
    parts: list = dataclasses.field(default_factory=lambda: [1.5])
class Way(enum.Enum):
    UP = 1
    DOWN = -1
RECORD, WAY = Record(), Way.UP
def recursive(v, n):
    return v if n <= 0 else recursive(v * 0.5 + G, n - 1)
def variadic(v, *rest, k=0.5, **more):
    return v * k + sum(rest) + len(more)
def added_up(v):
    total = 0
    def add(k):
        nonlocal total
        total += k
    for k in L:
        add(k)
    return v + total
def first_above(v, limit):
    for k, part in enumerate(L):
        if part > limit:
            break
        v = v + part
    else:
        return v * 0.5
    return v + k
def sent():
    got = yield 0.5
    while True:
        got = yield got * G
def talked_to(v):
    talk = sent()
    return v + next(talk) + talk.send(O.k)
def finished(v):
    try:
        return v * D['q']
    except KeyError as error:
        return v + len(str(error))
    finally:
        D['b'] = 0.5
def set_global(v):
    global FLAG
    if not FLAG:
        FLAG = True
    return v + FLAG
def coalesced(v):
    v = paddle.sparse.sparse_coo_tensor([[0, 1]], v, [2])
    return paddle.sparse.coalesce(v).to_dense()
def nested(v):
    class Local(Base):
        k = G
    return v * Local.k
@functools.lru_cache(None)
def cached(n):
    return n + G
@paddle.no_grad()
def without(v):
    return v * O.k
import abc, operator, string, sys, types, typing, weakref
class Kind(abc.ABC):
    pass
class Slotted:
    __slots__ = ('a', 'b')
SLOTTED = Slotted()
SLOTTED.a = 0.5
def ordered_table(v, table, **more):
    for name, k in table.items():
        v = v * 0.5 + k * len(name)
    for name, k in more.items():
        v = v * 0.75 + k * len(name)
    return v
def tagged(v):
    v = v * 1
    v.tag = O.k
    return v
def named_frame(v):
    return v + len(sys._getframe().f_code.co_name) + len(sys._getframe(1).f_code.co_name) * 0.25
def watched_value(v):
    held = Base()
    reference = weakref.ref(held)
    del held
    return v * (0.5 if reference() is None else 2.0)
def two_heads(v):
    return v * W, v + WT
class Descriptor:
    def __init__(self, k):
        self.k = k
    def __get__(self, home, kind):
        return self.k + (home.extra if home is not None else 0)
    def __set__(self, home, value):
        home.extra = value
class Meta(type):
    @property
    def rate(cls):
        return cls.base_rate * G
    def __contains__(cls, k):
        return k in cls.keys
class Registry:
    kinds = []
    def __init_subclass__(cls, k=0.5, **more):
        super().__init_subclass__(**more)
        cls.k = k
        Registry.kinds.append(cls)
class First(Registry, k=1.5):
    pass
class Rich(metaclass=Meta):
    base_rate, keys = 0.75, ['a']
    d = Descriptor(0.5)
    def __init__(self, v=1.25):
        self.v, self.extra, self.parts = v, 0.25, {'a': 0.5}
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
    def __bool__(self):
        return self.v > 1
    def __contains__(self, k):
        return k in self.parts
    def __lt__(self, other):
        return self.v < other.v
    def __hash__(self):
        return hash(self.v)
    def __eq__(self, other):
        return isinstance(other, Rich) and self.v == other.v
    def __index__(self):
        return int(self.v)
    def __neg__(self):
        return -self.v
    def __mul__(self, other):
        return other * self.v
    def __rmul__(self, other):
        return other * self.v
    def __radd__(self, other):
        return other + self.v
    def __matmul__(self, other):
        return other * 0.5 + self.v
    def __iadd__(self, other):
        return Rich(self.v + other)
    def __str__(self):
        return 'r' * int(self.v + 2)
    __repr__ = __str__
    def __format__(self, text):
        return text or str(self.v)
    def __missing__(self, key):
        return 0.5
    @property
    def half(self):
        return self.v * 0.5
    @half.setter
    def half(self, value):
        self.v = value * 2
    @functools.cached_property
    def slow(self):
        return self.v * G
    def __copy__(self):
        return Rich(self.v + 0.5)
    twice = functools.partialmethod(lambda self, k, v: v * k * self.v, 0.5)
class Calling(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.tag = G
        return made
class Tagged(metaclass=Calling):
    pass
class Odd(Rich):
    def __getattribute__(self, name):
        return 2.0 if name == 'double' and O.flag else object.__getattribute__(self, name)
class Missing(dict):
    def __missing__(self, key):
        return G * len(key)
class Suppress:
    def __init__(self, kind):
        self.kind = kind
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        return kind is not None and issubclass(kind, self.kind)
class Fields(typing.NamedTuple):
    p: float = 0.5
    q: list = [1.25]
@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
    k: float
    n: int = 1
@functools.singledispatch
def by_kind(value, v):
    return v * 0.5
@by_kind.register(int)
def _(value, v):
    return v + value
@by_kind.register(list)
def _(value, v):
    return v * len(value)
def doubling(function):
    @functools.wraps(function)
    def around(*args, **kwargs):
        return function(*args, **kwargs) * G
    return around
def scaled_by(k):
    def decorate(function):
        def around(v):
            return function(v) * k
        return around
    return decorate
@doubling
@scaled_by(0.5)
def decorated(v):
    return v + D['a']
RICH, ODD, MISS, SUP = Rich(), Odd(), Missing(a=0.5), Suppress(KeyError)
FIELDS, FROZEN = Fields(), Frozen(1.5)
DEQUE, COUNTER = collections.deque([0.5, 1.0], 4), collections.Counter('aab')
CHAIN = collections.ChainMap({'x': 0.5}, D)
DEFAULT = collections.defaultdict(lambda: 0.75, a=1.5)
SPACE = types.SimpleNamespace(k=0.5, inner=types.SimpleNamespace(v=[1.0]))
MODULE = types.ModuleType('made'); MODULE.k = 1.5
REF = weakref.ref(RICH)
ITEMS = {'layers': [{'k': 0.5, 'on': True}, {'k': 1.5, 'on': False}], 'size': (2, 3)}
MODES, WORDS = ['fast', 'slow'], 'a b c'
LAYERS = paddle.nn.LayerDict({'a': linear(0.5, 0.25), 'b': paddle.nn.Tanh()})
HALVES = paddle.nn.initializer.Constant(0.5)
PARAMS = paddle.nn.ParameterList(
    [paddle.create_parameter([2], 'float32', default_initializer=HALVES)]
)
SEQ = paddle.nn.Sequential(linear(0.25, 0.5), paddle.nn.Tanh(), paddle.nn.Dropout(0.0))
def raised(v, k):
    try:
        if k > 2:
            raise ValueError('large', k)
        v = v * D['q']
    except (KeyError, IndexError) as error:
        v = v + len(error.args)
    except ValueError as error:
        v = v * error.args[1]
    else:
        v = v * 0.25
    finally:
        v = v + 0.125
    return v
def chained(v):
    try:
        try:
            v = v * D['q']
        except KeyError as error:
            raise RuntimeError('none') from error
    except RuntimeError as error:
        return v + len(error.__cause__.args) * G
    return v
def finally_returns(v):
    for k in L:
        try:
            if k > O.k:
                continue
            if k < 0:
                break
            v = v + k
        finally:
            v = v * 0.5
    try:
        return v * 2
    finally:
        if FLAG:
            return v + 1
def nested_loops(v):
    for i, a in enumerate(L):
        for b in OD.values():
            if a > b:
                continue
            if a + b > O.k + 2:
                break
            v = v + a * b
        else:
            v = v * 0.75
            continue
        if i > O.n:
            return v
    while True:
        v = v * 0.5 + 1
        i += 1
        if i > 4:
            break
    return v
def delegating(v):
    def inner(n):
        for i in range(n):
            yield i * G
        return 0.5
    def outer():
        got = yield from inner(O.n)
        yield got
    return v + sum(outer())
def thrown(v):
    def gen():
        try:
            yield D['a']
        except ValueError:
            yield 0.25
        finally:
            pass
    g = gen()
    first = next(g)
    second = g.throw(ValueError('x'))
    g.close()
    return v * first + second
def closed_over(v):
    fs = [lambda t, k=k: t * k for k in L[:2]]
    late = [lambda t: t + k for k in L[:2]]
    for f in (*fs, *late):
        v = f(v)
    return v
def counter():
    n = 0
    def count(step=1):
        nonlocal n
        n += step
        return n
    return count
def counting(v):
    c = counter()
    c(); c(O.n)
    return v * c()
def unpacked(v):
    (a, *b), c, *_ = [L, O.n, *OD.values()]
    {**D}.get('a'); d, = [G]
    return v * a + sum(b) + c * d
def ordered(v, /, a, *, b=0.5):
    return v * a + b
def state_written(v):
    old = SPACE.k
    SPACE.k = 2.5
    v = v * SPACE.k
    SPACE.k = old
    SPACE.inner.v.append(0.5)
    v = v + sum(SPACE.inner.v)
    SPACE.inner.v.pop()
    ITEMS['layers'][0]['k'] += 1; v = v * ITEMS['layers'][0]['k']; ITEMS['layers'][0]['k'] -= 1
    return v
def many_exits(v, limit):
    if limit > 2:
        return v
    if v.shape[0] > 3:
        return v * 2
    with SUP:
        return v * D['q']
    for k in MODES:
        if k == 'slow':
            return v + 1
    return v - 1
def configured(v):
    for layer in ITEMS['layers']:
        if not layer['on']:
            continue
        v = v * layer['k'] + len(ITEMS['size'])
    return v
def dynamic_class(v):
    kind = type('Made', (Base,), {'k': G})
    return v * kind.k + isinstance(O, Base)
def stacked(v):
    with contextlib.ExitStack() as stack:
        k = stack.enter_context(SC)
        stack.callback(lambda: None)
        v = v * k
    with contextlib.nullcontext(G) as k, SC as t:
        v = v + k * t
    return v
def typed(v: 'a tensor', k: float = 0.5) -> 'a tensor':
    n: int = O.n
    t: float
    t = k * n
    return v * t
def sum_rows(v):
    total = 0
    for row in v.reshape([2, -1]):
        total = total + row.sum()
    for i, part in enumerate(paddle.unbind(v)):
        total = total + part * i
    for a, b in zip(v, L):
        total = total + a * b
    return v + total
def growing(v):
    kept, names = [v], {}
    for i in range(O.n):
        kept.append(kept[-1] * 0.5)
        names[f'k{i}'] = kept[i]
    kept[0] = kept[0] + 1
    del kept[-1:]
    kept[1:1] = [v]
    names.update(last=kept[-1]); names.pop('k0', None)
    return paddle.stack(kept).sum(axis=0) + sum(names.values())
def sliced_writes(v):
    y = paddle.zeros([3, 2]) + v
    y[1:] = y[1:] + G
    y[0, :] += v
    y[..., -1] = O.k
    y[y > 2] = 0.5
    y[paddle.to_tensor([0, 2])] = y[1]
    z = y[::2].flatten()
    z[-1:] += 2
    return y.mean(axis=0) + z[:2]
def modes_of_calls(v):
    with paddle.amp.auto_cast(enable=FLAG, level='O1', dtype='bfloat16'):
        v = (v.unsqueeze(0) @ paddle.ones([2, 2]) * 0.5).squeeze(0)
    with paddle.set_grad_enabled(O.flag):
        v = v.astype('float32') * 0.5
    return v
def layer_walk(v):
    for name, p in NET.named_parameters():
        v = v + p.sum() * len(name) * 0.01
    for part in SEQ[:2]:
        v = part(v)
    for key in LAYERS:
        v = LAYERS[key](v)
    return v * PARAMS[0] + len(NET.state_dict()) + NET.training
"""

# From CPython 3.10 on.
MATCH_SETUP = """
def matched(v, subject):
    match subject:
        case 0 | 1:
            return v
        case int(n) | float(n) if n > G:
            v = v * n
        case [first, *rest] if rest:
            v = v + first * len(rest)
        case [only] | (only,):
            v = v + only
        case {'a': k, **more}:
            v = v * k + len(more)
        case K(k=k, inner=K(k=inner)) | Other(k=k, inner=K(k=inner)):
            v = v * k + inner
        case Record(k, [part, *_]):
            v = v * k + part
        case Way.UP:
            v = v + 3
        case Pair(a, [b]) if b > a:
            v = v + a
        case str() as text:
            v = v + len(text)
        case None:
            pass
        case _:
            v = v * 0.5
    return v
def matched_loop(v):
    for subject in (L, D, RECORD, O, WAY, P):
        match subject:
            case [float(a), float(b), *_] if a > b:
                continue
            case {'z': _}:
                break
            case Base(flag=True, items=[i, _]):
                v = v * i
            case Record(k=k):
                v = v + k
                if k > 2:
                    return v
    return v + 1
def matched_tensors(v):
    match v:
        case paddle.Tensor(shape=[n, *_], ndim=d):
            v = v * n + d
    match (v.shape, O.flag):
        case ([2], True):
            v = v + 1
        case ([*_], _):
            v = v - 1
    match {'t': v, 'k': O.k}:
        case {'t': t, 'k': 1.0}:
            return t * 2
        case {'t': t}:
            return t * 3
def matched_breaks(v):
    match O.name:
        case 'name_1':
            v = v * 0.5 + 1
            print(end='')
            v = paddle.tanh(v) * G
        case 'b' if float(v.detach().sum()) > 1:
            v = v * 2 + O.k
        case name:
            v = v + len(name)
    return v * 0.75
"""
