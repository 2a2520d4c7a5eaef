# SPDX-License-Identifier: Apache-2.0
"""What the programs of capture.py are made of: the state they start with, statements, changes."""

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
"""

STATEMENTS = """
x = x * O.k
x = x + D['a']
x = x + D.get('z', 1.5)
x = x * L[0] + L[-1]
x = x + NEST['x'][1]['y'][1][0]
x = x * P.b[0] + P.a
x = helper(x)
x = O.method(x)
x = x + O.prop
x = x + O.inner.k * O.slot
x = x + getattr(O, 'late', 0.5)
x = x + Base.c + O.of_class()
x = Base.static(x)
x = x * sum([v * 2 for v in L if v > 0])
x = x + max(L) - min(D.values())
x = x + len(L) * len(OD)
x = x + sum(numbers(O.n))
x = GET(x)
x = default(x)
x = T['f'](x)
x = PART(x)
x = x * DYN.v
x = SC(x) + SC[1]
x = x * float(SC)
x = x * (SC + 1)
x = x + len([*L] + L * 2) - (SC == DYN)
x = NET(x)
x = NET.running(x)
x = x + NET.fc.bias
x = x * W + O.w
x = x + D[f'{O.name}']
x = x * float(ENV['scale'])
x = x + sorted(L, key=lambda v: -v * G)[0]
x = x + sum(map(lambda v: v * O.k, L))
x = x + (O.k if O.flag else G)
x = x + (O.k > 1 and FLAG) * 0.5
x = x + [i for i, v in enumerate(OD.values()) if v > 0.6][0] if OD else x
x = x + {k: v for k, v in D.items()}['b']
x = x * math.sqrt(abs(G)) + int(O.k)
x = x + functools.reduce(lambda a, b: a + b, L)
x = paddle.concat([x, x]).reshape([2, -1]).sum(axis=0)
x = x * x.shape[0]
y = x * 1; y[0] = O.k; x = x + y
for v in L: x = x + v
for k, v in D.items(): x = x * 0.5 + v + len(k)
for i, (k, v) in enumerate(OD.items()): x = x + i * v
for v in SC: x = x + v
if 'z' in D: x = x * 2
if 'on' in S and not O.flag: x = x - 1
if FLAG: x = x + 0.5
if isinstance(O, K): x = x * 1.25
if hasattr(O, 'late'): x = x * 0.75
if len(SC) > 1: x = x + 2
if SC: x = x + 0.25
if O.k > 4: raise ValueError('too large')
n = O.n
while n > 0: x = x + n; n -= 1
try: x = x * D['q']
except KeyError: x = x + 0.125
try: x = x * O.late
except AttributeError: x = x + 0.25
O.n = 2
D['a'] = 1.25
x = counted_by_class(x)
x = set_and_deleted(x)
x = x + K.rates[1]['k'] * type(O).c
x = x * vars(Base).get('late', 0.75)
x = x + getattr(type(O), 'late', 1.5)
Base.c = 0.75
K.rates = Base.rates
setattr(K, 'hits', Base.hits); x = x * (1 + O.hits if isinstance(O, K) else 1)
with SC as k: x = x * k
with scaled() as k: x = x + k
a, (b, *c) = L[0], [G, *L]; x = x + a * b + len(c)
x = x + max([t for t in [O.k, G]], key=lambda t: t * L[0])
if (q := O.k * G) > 2: x = x + q
x = x + sum(a * b for a, b in zip(L, OD.values()))
x = default(x, *[[O.k]], **{'m': G})
x = x * (0.5 if all(v > 0.4 for v in L) and any(L) else 2.0)
x = x * (0.5 if 0 < O.k <= G < 3 else 2.0)
for v in L: x = x + v; break
for v in L: x = x + v; continue
for v in L: x = x + v
else: x = x * 0.5
try: x = x * D['q']
finally: x = x + 0.5
assert O.k < 4, 'too large'
x = recursive(x, O.n)
x = variadic(x, *L, k=G, **D)
x = variadic(x, O.k)
x = added_up(x)
x = first_above(x, O.k)
x = talked_to(x)
x = finished(x)
x = set_global(x)
x = nested(x)
x = x + cached(2)
x = x + without(x)
y = x; del y; x = x * 2
x = x[::-1] * 1
x = x * 2 if x.shape[0] > O.n else x
x = x + copy.copy(RECORD).k + RECORD.parts[0]
x = x + dataclasses.replace(RECORD, k=G).k
x = x + WAY.value * (1 if WAY is Way.UP else 2)
x = x + (L + [O.k])[-1] + sum(L[1:])
x = x + L[O.n % len(L)] if L else x
x = x + D['a'] ** 2 // 0.5
x = x + len(str(O.name)) + ('%.2f' % G == '1.50') + (f'{O.k:.1f}' > '1.2')
x = x + next(iter(L)) + dict(OD, p=1.0)['p'] + (D | {'b': G})['b']
x = x + L.index(max(L))
D.setdefault('s', 0.5); x = x + D['s']
x = x + sum(itertools.islice(numbers(5), 2)) + sum(itertools.chain(L, [G]))
x = x * paddle.to_tensor(L[0]) + paddle.full([1], G)[0]
x = x * 1; x.add_(paddle.ones([2])); x.scale_(O.k)
x = x + paddle.histogramdd(x.detach().reshape([-1, 1]), [2])[0].sum()
x = x + coalesced(x.detach())
"""

DECISIONS = """
if x.sum() > 1: x = x * 0.5
if not (x > O.k).all() or FLAG: x = x + G
i = 0
while x.max() < 3 and i < 4: x = x + 1; i += 1
x = x * (2 if x.mean() > D['a'] else 3)
x = x + int(paddle.argmax(x)) * L[0]
"""

# Backward, steps of an optimizer, and code that gradients run.
STEPS = """
x = trained(x)
x = cleared_first(x)
x = gathered(x)
x = hooked(x)
x = hooked_inside(x)
x = Pure.apply(x, 0.5)
x = Pure.apply(x, O.k) * 0.5
x = Reading.apply(x) * 0.5
x = x + WT
x = rescaled(x)
x = minimized(x)
"""

# Decisions that `full_graph` refuses.
NUMBERS = """
x = x + (x > G).sum().item()
"""

# What no recording can stand for.
REFUSED = """
x = x * random.random()
x = x * next(IT)
COUNT[0] += 1; x = x + COUNT[0]
Base.hits += 1; x = x + Base.hits
type(O).seen = x; x = x * 0.5
O.last = x
print('', end='')
x = x * float(x.detach().sum() > 0) + x
"""

# Breaks: what stands around and beside them is compiled.
BREAKS = """
x = x * float(x.detach().mean() * 0.5 + 1)
a = x.detach().numpy(); x = x + float(a[0]) * 0.5; x = x * 0.75
print(end=''); x = x * 0.75
LOG.debug('%s', x); x = x + W * 0.5
if float(x.detach().sum()) > G: x = x * 0.5; x = x + O.k
if x.detach().sum().item() > 2: return x * 2
x = logged(x)
x = BRK(x)
x = x + counted(x) * 0.5
for v in L: x = x + v; print(end=''); x = x * 0.75
for v in L: x = x * 0.5 + v; a = float(x.detach()[0]); a > 1.5 and LOG.debug('%s', a)
for i in range(3): x = x * 0.75 + i; t = float(x.detach()[1]); x = x * (1.5 if t > 1 else 0.5)
n = 0
while n < 2 and float(x.detach().sum()) < 9: x = x + 1; n += 1; print(end=''); x = x * 1.25
with scaled() as k: x = x + k; print(end=''); x = x * 0.75
with paddle.no_grad(): u = x * 2; print(end=''); u = u + 1
u = x * 2; u.add_(paddle.ones([2])); print(end=''); t = u.reshape([1, 2]); u = u + 1; x = t[0] + u
t = x.detach(); print(end=''); t = t * 2; x = x + t
r = []; r.append(x * 2); print(end=''); r.append(x + 1); x = r[0] * r[1] * 0.5
g = lambda v: v * G; print(end=''); x = g(x)
y = x * 1; print(end=''); y[0] = O.k; x = x + y
O.n = O.n % 3 + 1; x = x * 0.5 + O.n
COUNT[0] += 1; x = x + COUNT[0] % 3
Base.hits = Base.hits % 3 + 1; x = x * 0.5 + O.k; x = x + Base.hits
try: x = x * float(x.detach()[0]) * D['q']
except KeyError: x = x * 0.75; print(end=''); x = x + 0.125
x = x * paddle.rand([2]) + random.random()
x, y = x * 2, [x + 1, {'k': x * 3}]; print(end=''); x = x + y[0] * 0.25 + y[1]['k'] * 0.25
u = (x * 2, x); print(end=''); x = u[1] * 0.5 + u[0].sum() * 0.25
x = x + (lambda t: float(t.sum()))(x.detach()) * 0.25
x = (x * G + O.k).detach().sum().item() * 0.125 + helper(x) * O.k
x = x * [float((x * 2).detach().sum()), inner_helper(x), L[0]][2] + int(x.mean().item() > G)
x = O.method(x) * (0.5 if float(helper(x).detach().sum()) > O.k else G) + GET(x)
x += helper(x).detach().numpy().sum() * 0.125 + NET(x)
print(str(helper(x * O.k).detach().sum().item())[:0], end=''); x = x * 0.75
x = SC(x) + float((x * L[0] + G).detach().max()) * 0.25
if float((helper(x) * O.k).detach().sum()) > G and O.flag: x = x * 0.5 + helper(x)
try: a = helper(x); x = a * float(a.detach()[0]) + D['q']; a = x * 2; print(end=''); x = a + 1
except KeyError: x = a * 0.75; print(end=''); x = x + a
with contextlib.suppress(KeyError): a = x * 2; x = a + 1; print(end=''); x = x * D['q']; x = x + 1
for v in steps(x): x = x * 0.5 + v * float(v.detach().mean() > G)
"""

MUTATIONS = """
G += 0.5
FLAG = not FLAG
D['a'] += 0.25
D['z'] = 2.5
D.pop('z', None)
D['q'] = 0.5
D.pop('q', None)
D['a'] = D.pop('a')
OD.move_to_end('p')
OD['r'] = 0.75
L[0] += 0.5
L.append(0.25)
L.reverse()
L = [0.75, 2.0]
NEST['x'][1]['y'][1][0] += 0.5
NEST['x'][1] = {'y': (1.0, [3.0])}
P.b[0] += 1
P = Pair(0.25, [0.5])
S.discard('on')
S.add('on')
O.k += 0.75
O.inner.k += 0.5
O.inner = K(2.0, 0)
O.flag = not O.flag
O.n = 3
O.late = 1.5
O.__dict__.pop('late', None)
O.slot += 0.5
O.name = 'b'
O.w = paddle.to_tensor([3.0, 0.5])
O.w[0] = 4.0
O = Other()
O = K(1.25)
Base.c += 0.5
K.c = 2.25
Other.c = 1.75
Base.late = 2.5
K.__dict__.get('c') and delattr(K, 'c')
Base.rates[0] += 0.5
Base.rates[1]['k'] += 0.5
K.rates = [1.5, {'k': 0.5}]
Base.hits += 1
Base.c = property(lambda self: self.k * 0.5)
K.slots = 0.5
Base.static = staticmethod(lambda v: v - G)
Base.__getattr__ = lambda self, name: {'late': 1.25}[name]
SCALER.set_init_loss_scaling(16.0)
SCALER = paddle.amp.GradScaler(init_loss_scaling=4.0, incr_every_n_steps=1)
Base.method = lambda self, v: v * 3
K.method = lambda self, v: v * self.k
Base.prop = property(lambda self: self.k)
Base.of_class = classmethod(lambda cls: 3.0)
DYN.table['v'] += 0.5
DYN.v = 4.0
SC.k += 0.75
SC = Scale()
ENV['scale'] = str(float(ENV['scale']) + 1)
NET.scale += 0.25
NET.box.k += 0.5
NET.parts.append(paddle.nn.ReLU())
NET.parts[0] = paddle.nn.Sigmoid()
NET.fc = linear(0.25, 0.5)
NET.fc.bias.set_value(paddle.to_tensor([1.0, 2.0]))
NET.mean = paddle.ones([2])
NET.eval()
W.set_value(paddle.to_tensor([2.0, 3.0]))
W = paddle.to_tensor([1.0, 0.5], stop_gradient=False)
W.stop_gradient = not W.stop_gradient
T['f'] = lambda v: v - 1
PART = functools.partial(lambda k, v: v + k, 2.5)
PUT(G + 1)
default.__defaults__[0][0] += 0.5
default.__defaults__ = ([2.5],)
default.__kwdefaults__['m'] += 0.5
inner_helper.__code__ = (lambda v: v * 2 + D['b']).__code__
inner_helper = lambda v: v + 1
def helper(v): return v * L[0]
def numbers(n): yield from [n, G]
COUNT[0] = 5
OPT.set_lr(OPT.get_lr() * 0.5)
OPT = paddle.optimizer.Adam(0.01, parameters=[WT, BIAS])
OPT._grad_clip = paddle.nn.ClipGradByGlobalNorm(0.05)
WT.set_value(paddle.to_tensor([0.75, 0.5]))
WT.stop_gradient = not WT.stop_gradient
WT.grad = None
WT.clear_grad()
BIAS.grad = paddle.to_tensor([0.5, 0.25])
BIAS.stop_gradient = not BIAS.stop_gradient
Pure.backward = staticmethod(lambda ctx, g: g * 5)
abs = lambda v: 4.0
RECORD.k += 0.5
RECORD.parts[0] += 0.5
RECORD = Record(2.5)
Record.k = 1.25
WAY = Way.DOWN
variadic = lambda v, *rest, **more: v * 2
variadic.__kwdefaults__ and variadic.__kwdefaults__.update(k=1.5)
recursive = lambda v, n: v + n
cached.cache_clear()
L.insert(0, 0.25)
del L[0]
D.update(a=0.5, s=1.5)
S.clear()
O.n = -1
"""
