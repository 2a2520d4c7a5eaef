# SPDX-License-Identifier: Apache-2.0
"""Statements of the programs of capture.py, and changes of their state between calls."""

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
x = x * (0.5 if isinstance(O, Kind) else 0.75) + issubclass(Base, (int, Kind))
x = x + getattr(SLOTTED, 'a', 1.5) - getattr(SLOTTED, 'b', 0.25)
x = ordered_table(x, OD, **D)
x = ordered_table(x, {'aa': G, 'b': O.k} if FLAG else {'b': O.k, 'aa': G})
x = tagged(x); x = x + x.tag
x = named_frame(x)
x = watched_value(x)
x = two_heads(x)[0 if FLAG else 1] * 0.5
D.setdefault('s', 0.5); x = x + D['s']
x = x + sum(itertools.islice(numbers(5), 2)) + sum(itertools.chain(L, [G]))
x = x * paddle.to_tensor(L[0]) + paddle.full([1], G)[0]
x = x * 1; x.add_(paddle.ones([2])); x.scale_(O.k)
x = x + paddle.histogramdd(x.detach().reshape([-1, 1]), [2])[0].sum()
x = x + coalesced(x.detach())
x = x * RICH
x = RICH @ x
x = x + RICH.d * RICH.half
x = x + Tagged().tag
x = x * (2 if RICH else 3)
x = x + ('a' in RICH) + ('a' in Rich)
x = x + Rich.rate
x = x * max(RICH, Rich(1.5)).v
x = x[RICH - RICH.v:] if False else x * -RICH
x = x + L[RICH] if len(L) > int(RICH.v) else x
x = x + len(str(RICH)) + len(f'{RICH:>4}{RICH!r}{O.k:.2f}{G=}')
x = x + {RICH: G}.get(Rich(RICH.v), 0.5)
x = RICH.twice(x)
x = x + RICH.slow
x = x + copy.copy(RICH).v
RICH.half = RICH.half; x = x * RICH.v
RICH.d = RICH.extra; x = x + RICH.d
r = RICH; r += G; x = x * r.v
x = x + ODD.double if O.flag else x + ODD.v
x = x + MISS['name'] + MISS['a']
x = x + FIELDS.q[0] * FIELDS._replace(p=G).p + FIELDS._asdict()['p']
x = x * (2 if FROZEN < Frozen(G) else 3) + len({FROZEN, Frozen(1.5)})
x = by_kind(O.n, x)
x = by_kind(L, x) + by_kind('s', x)
x = decorated(x)
x = x + sum(DEQUE) + DEQUE[0] + len(DEQUE)
x = x + COUNTER['a'] + COUNTER.most_common(1)[0][1] + COUNTER['none']
x = x + CHAIN['x'] + CHAIN['a']
x = x + DEFAULT['a']
x = x * SPACE.k + SPACE.inner.v[0]
x = x * MODULE.k
x = x + (REF() is RICH) * 0.5
x = raised(x, O.k)
x = chained(x)
x = finally_returns(x)
x = nested_loops(x)
x = delegating(x)
x = thrown(x)
x = closed_over(x)
x = counting(x)
x = unpacked(x)
x = ordered(x, G) + ordered(x, a=O.k, b=L[0])
x = state_written(x)
x = many_exits(x, O.k)
x = configured(x)
x = dynamic_class(x)
x = stacked(x)
x = typed(x)
x = sum_rows(x)
x = growing(x)
x = sliced_writes(x)
x = modes_of_calls(x)
x = layer_walk(x)
x = x + sum(k.k for k in Registry.kinds)
x = x + sum((i + 1) * v for i, row in enumerate([L, [G]]) for v in row if v < O.k)
x = x + len({v // 1 for v in L}) + len({**D, 'n': 1}) + len([*D, *L])
x = x + sum(a if a > (t := b) else t for a, b in zip(L, reversed(L)))
x = x + operator.itemgetter('a')(D) + operator.attrgetter('inner.k')(O) + operator.mul(G, O.k)
x = x + len(WORDS.split()) + WORDS.count('b') + len('-'.join(MODES)) + (WORDS[0] == 'a')
x = x + (MODES[0].startswith('f') and 'slow' in MODES)
x = x * (O.n & 3 | 1) + (O.n << 1) + (O.n ^ 5) + ~O.n
x = x + divmod(O.n + 5, 3)[1] + round(G * 1.26, 1) + abs(-O.k) + pow(2, O.n, 5)
x = x + int(str(O.n)) + float('0.5') + complex(O.k, 1).real + bool(L)
x = x + sum(range(O.n, 0, -1)) + len(range(10)[::O.n or 1]) + list(reversed(L))[0]
x = x + list(itertools.accumulate(L))[-1] + list(itertools.product(L, [1]))[0][0]
x = x + sum(v for k, g in itertools.groupby(sorted(L), key=lambda v: v > 1) for v in g)
x = x + sum(itertools.takewhile(lambda v: v < O.k, L)) + next((v for v in L if v > 9), 0.5)
x = x + list(filter(None, L))[0] + list(zip(*[L, L]))[0][1] if L else x
x = x + (S - {'on'} != set()) + (S | {'z'} >= S) + len(S & {'on', 'off'})
x = x + (tuple(L) < (1, 2)) + ([1] + L > L) + (None is O.inner) + (L == [0.5, 1.0, 1.5])
x = x + string.Template('$a').substitute(a=O.n).isdigit()
x = x + eval('G') if False else x * 2
x = -x + +x * 2 - (2 - x) / 2 + (x // 1) % 2 + 2 ** paddle.tanh(x) * 0.125
x = x * (x > 0).astype('float32') + (x != x).sum()
x = paddle.where(x > G, x, x * O.k)
x = x.T + x.mT if x.ndim > 1 else x.abs().sqrt() + x.size
a, b = x; x = x * a + b
a, *b = paddle.split(x, 2); x = x + a + b[0]
x = paddle.stack([v * O.k for v in x.unbind()])
x = x + {'t': x * 2, 'n': G}['t'] + (x, x + 1)[O.n % 2]
x = x[:, None].squeeze(-1) + x[paddle.to_tensor([1, 0])] + x[[0, 0]] + x[-1]
x = x + paddle.to_tensor(L).sum() + paddle.to_tensor([O.k, G])
x = x + x.detach().clone() * 0.5; x.stop_gradient or None
x = x + (x.dtype == paddle.float32) + (x.shape == [2]) + len(x) + x.dim()
x = x + paddle.arange(O.n + 3).astype('float32')[-1] if O.n >= 0 else x
x = paddle.nn.functional.dropout(x, 0.5, training=NET.training) if O.flag else x
x = x * paddle.no_grad()(lambda: W * 2)()
x = (lambda *a, k=G, **m: a[0] * k + len(m))(x, n=1)
x = (lambda f: f(f, 3))(lambda f, n: x if n == 0 else f(f, n - 1) * 0.5 + G)
x = x + (lambda: (yield))().__next__() if False else x + 1
if not (0 <= O.n < 5) or (FLAG is True and L): x = x * 0.5
if (n := len(L)) > 3: x = x + n
if x.shape[0] == 2 and x.ndim == 1: x = x + x.shape[-1]
if any(k == 'z' for k in D) or all(isinstance(v, float) for v in L): x = x * 0.75
if FLAG: pass
else: x = x + 3
for a in L:
    if a > O.k: break
    x = x + a
else: x = x * 2
for a, (b, c) in zip(L, [(1, 2), (3, 4)]): x = x + a * b - c
for k in sorted(D, key=lambda k:-D[k]): x = x * 0.5 + D[k]
for k in set(MODES): x = x + len(k)
for v in list(L): x = x * 1.5 if v > 1 else x + v
for O.n in range(2): x = x + O.n; O.n = 2
for _ in range(3): x = x * G if x.ndim > 9 else x + 0.5
a = 0
while L and a: x = x * 3
else: x = x + 0.5
with SUP: x = x * D['q']; x = x + 1
with SC as k, scaled() as t: x = x * k + t
with paddle.no_grad(): u = x * 2; x = x + u
try: raise KeyError('k') if O.k > 2 else IndexError(1)
except KeyError: x = x + 1
except IndexError as e: x = x + e.args[0]
try: x = x * int(O.name)
except ValueError: x = x * 0.5
else: x = x * 4
finally: x = x + 1
try: x = x + paddle.ones([3])
except ValueError: x = x - 1
del (y := [x])[0]; x = x * 1.5
L2 = [*L]; L2[1:2] = [5.0, 6.0]; L2.sort(reverse=FLAG); x = x + L2[0]
q = {}; q.setdefault('k', []).append(x * 2); q['k'] += [x]; x = q['k'][0] + q['k'][-1]
q = collections.OrderedDict(a=x); q['b'] = x + 1; q.move_to_end('a'); x = next(iter(q.values()))
q = collections.deque([x], 2); q.append(x + 1); q.append(x * 2); x = q.popleft() + len(q)
q = Rich(O.k); q.v += 1; x = x * q.v
q = Base(); q.new = x; q.k = 1; q.k += 1; x = q.new * q.k
q = SPACE; q.k = q.k; x = x * q.k
assert isinstance(x, paddle.Tensor) and len(L) < 9, f'{len(L)}'
global_name = x * 2; x = global_name + 1
import math as m, functools; x = x + m.floor(G) + functools.partial(max, 1)(O.n)
from math import pi as p; x = x + p * 0.125
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

MATCHES = """
x = matched(x, O.n)
x = matched(x, L)
x = matched(x, D)
x = matched(x, O)
x = matched(x, RECORD)
x = matched(x, WAY)
x = matched(x, P)
x = matched(x, O.name)
x = matched(x, O.k)
x = matched_loop(x)
x = matched_tensors(x)
x = matched_breaks(x)
"""

# Of programs in which `z` has another number of rows in each call, and `n` is another int.
VARYING = """
x = x + z.mean(axis=0)
x = x * z.shape[0]
x = x + z[-1] * n
x = x + z[:n].sum(axis=0)
x = x + z.reshape([-1]).sum() / z.shape[0]
x = x + paddle.concat([x.unsqueeze(0), z]).sum(axis=0)
x = x + paddle.zeros([z.shape[0], 2]).sum(axis=0) + paddle.ones([n, 2]).sum(axis=0)
x = x + paddle.arange(z.shape[0]).astype('float32').mean()
x = x + (z * paddle.ones(z.shape)).sum(axis=0) * 0.5
x = x + z.reshape([z.shape[0] * z.shape[1]])[0]
x = x + z.reshape([2, z.shape[0]]).mean()
x = x * n + n * 0.5
x = x + L[n % len(L)] if L else x
x = x + (n if n > 3 else G) * 0.25
x = x * (2 if z.shape[0] > n else 3)
x = x + len(z) + z.size * 0.125 + (z.shape[0] + n) // 2
x = x + n ** 2 - n % 3 + (n == 4) + n / 2
x = x + sum([i * G for i in range(n)])
x = x + {2: G, 3: O.k}.get(n, 0.5)
x = x + len(f'{n}{z.shape}')
x = x + paddle.nn.functional.softmax(z, axis=0)[0]
x = x + paddle.matmul(z, z, transpose_x=True).sum(axis=0) * 0.125
x = x + NET.fc(z).sum(axis=0)
x = x + paddle.topk(z[:, 0], 1)[0]
x = x + z.cumsum(axis=0)[-1] + z.max(axis=0) - z.min()
x = x + z.expand([z.shape[0], 2]).flatten()[0] + paddle.tile(z, [n, 1]).mean()
x = x + z.split(2, axis=1)[0].sum() + paddle.flip(z, [0])[0]
x = x + math.sqrt(z.shape[0]) * min(n, 3) + max(z.shape)
x = x + (z > 0.5).astype('float32').sum(axis=0)
for row in z: x = x + row * 0.5
for i in range(z.shape[0]): x = x + z[i] * i
for i in range(n): x = x * 0.5 + i
if z.shape[0] > 3: x = x * 0.5
if z.shape[0] % 2: x = x + z.sum()
if n > 2 and z.shape[0] != n: x = x + G
if z.sum() > 3: x = x * 0.25
i = n
while i > 2: x = x + i; i -= 1
y = z * 1; y[0] = O.k; x = x + y.sum(axis=0)
y = z.clone(); y[1:] = y[:-1] * 1; x = x + y.mean(axis=0)
y = paddle.zeros([z.shape[0]]); y[n % 2] = G; x = x + y.sum()
print(end=''); x = x + z.mean(axis=0) * n; x = x * 0.75
u = z * n; print(end=''); x = x + u.sum(axis=0) * 0.25 + u.shape[0]
"""

MUTATIONS = """
G += 0.5
FLAG = not FLAG
Kind.register(K)
Kind.register(Base)
SLOTTED.b = G
SLOTTED.__class__.a.__delete__(SLOTTED)
SLOTTED.a = 0.75
SLOTTED = Slotted()
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
RICH.v += 0.5
RICH = Rich(0.5)
RICH.extra += 0.5
RICH.parts.pop('a', None)
ODD.v += 0.5
Rich.base_rate += 0.25
Rich.keys.append('b')
Rich.keys = []
Rich.d = Descriptor(1.5)
vars(Rich)['d'].k += 0.5
Rich.__bool__ = lambda self: False
Rich.__mul__ = Rich.__rmul__ = lambda self, other: other + self.v
Rich.__contains__ = lambda self, k: k == 'b'
Rich.__lt__ = lambda self, other: self.v > other.v
Rich.__hash__ = lambda self: 3
Rich.__index__ = lambda self: 0
Rich.__str__ = lambda self: 'long text'
Rich.__iadd__ = lambda self, other: self
Rich.half = property(lambda self: self.v * 4)
Rich.twice = lambda self, v: v * 3
Rich.__copy__ = lambda self: self
Meta.rate = property(lambda cls: 0.5)
Calling.__call__ = lambda cls, *args: RICH
Meta.__contains__ = lambda cls, k: True
RICH.__dict__.pop('slow', None)
RICH.__dict__['slow'] = 3.0
First.k += 0.5
class Second(Registry): pass
Registry.kinds.clear()
MISS['name'] = 2.5
Missing.__missing__ = lambda self, key: 1.5
FIELDS.q[0] += 0.5
FIELDS = Fields(2.0)
FROZEN = Frozen(0.5)
by_kind.register(str, lambda value, v: v - 1)
by_kind.register(int, lambda value, v: v - 2)
DEQUE.append(2.0)
DEQUE.rotate(1)
COUNTER['a'] += 3
COUNTER.clear()
CHAIN['x'] = 1.5
CHAIN.maps.reverse()
DEFAULT['a'] += 0.5
DEFAULT.pop('a', None)
SPACE.k += 0.5
SPACE.inner = types.SimpleNamespace(v=[3.0])
SPACE.inner.v.insert(0, 0.25)
MODULE.k += 0.5
MODULE = types.ModuleType('other'); MODULE.k = 0.5
ITEMS['layers'][0]['k'] += 0.5
ITEMS['layers'][1]['on'] = True
ITEMS['layers'].append({'k': 2.0, 'on': True})
ITEMS['size'] = (1,)
MODES.reverse()
MODES = ['slow']
WORDS += ' b'
SUP.kind = ValueError
SUP = Suppress(Exception)
LAYERS['a'] = linear(0.125, 0.5)
LAYERS.pop('b') if 'b' in LAYERS else None
PARAMS.append(paddle.create_parameter([2], 'float32'))
PARAMS[0].set_value(paddle.to_tensor([2.0, 1.0]))
SEQ[0] = linear(0.5, 0.5)
SEQ.eval()
NET.train()
decorated.__wrapped__.__closure__[0].cell_contents = lambda v: v * 3
decorated = lambda v: v
SC.__class__ = type('Scale2', (Scale,), {'__call__': lambda self, v: v - self.k})
len = lambda v: 3
max = min
O.__class__ = Base if type(O).__name__ == 'Dynamic' else type(O)
Base.__eq__ = lambda self, other: True
inner_helper.__defaults__ = (2.0,) if inner_helper.__code__.co_argcount == 1 else None
helper.__globals__['G'] = 2.25
counter.__code__ = (lambda: (lambda step=1: step)).__code__
D = {'a': 0.5, 'b': 2.0, 'name_1': 1.0}
D = collections.OrderedDict(D)
L.sort(reverse=True)
L[:] = [1.0]
L *= 2
OD.clear()
S = frozenset(S)
O.k = int(O.k) + 1
O.k = True
O.n = 0
O.n += 4
G = 1
G = -G
"""

MATCH_MUTATIONS = """
Record.__match_args__ = ('parts', 'k')
Record.__match_args__ = ('k', 'parts')
Pair.__match_args__ = ('b',)
Way = enum.Enum('Way', 'UP DOWN')
Record = Pair
"""
