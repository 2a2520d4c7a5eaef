# SPDX-License-Identifier: Apache-2.0
"""Products, attention, convolutions and training steps on the first GPU, beside torch where
it is installed: rounds of both by turns, the median of each, by the clock of the GPU. `--small`:
sizes for the double. Names that follow choose groups of rows.
"""

import argparse

import paddle
import paddle.nn.functional as F
from paddle import nn
from timings import T, by_turns, torch


def both(shape, dtype):
    """A tensor here and one there."""
    theirs = torch and torch.randn(shape, device='cuda').to(getattr(torch, dtype))
    return paddle.randn(shape).astype(dtype), theirs


def row(name, size, times, work=None):
    """`work`: floating point operations, or things counted when negative."""
    rates = []
    for t in times:
        if work is None:
            rates.append('        -')
        else:
            rates.append(f'{work / t / 1e6:9.1f}' if work > 0 else f'{-work / t * 1e6:9.0f}')
    text = ''.join(f'{t:12.1f}{r}' for t, r in zip(times, rates))
    ratio = f'{times[1] / times[0]:8.2f}' if len(times) > 1 else ''
    print(f'{name:<22}{size:<24}{text}{ratio}', flush=True)


def products(small):
    sizes = [(64, 64, 64)] if small else [(8192,) * 3, (4096,) * 3, (1024,) * 3, (8, 4096, 4096)]
    for dtype in ('bfloat16', 'float32'):
        for m, n, k in sizes:
            (a, ta), (b, tb) = both([m, k], dtype), both([k, n], dtype)
            times = by_turns(lambda: a @ b, lambda: ta @ tb, 2 if small else 20, 3)
            row('product', f'{m}x{n}x{k} {dtype[:4]}', times, 2 * m * n * k)


def attention(small):
    shapes = [(1, 32, 2, 16)] if small else [(4, 2048, 16, 128), (4, 2048, 16, 64)]
    for b, s, h, d in shapes:
        ours, theirs = zip(*(both([b, s, h, d], 'bfloat16') for _ in range(3)))
        for x in (*ours, *(theirs if torch else ())):
            x.stop_gradient = False
        if torch:
            theirs = [t.transpose(1, 2).detach().requires_grad_() for t in theirs]

        def forward():
            return F.scaled_dot_product_attention(*ours, is_causal=True)

        def forward_there():
            return T.scaled_dot_product_attention(*theirs, is_causal=True)

        def backward(out, inputs):
            out.sum().backward()
            for x in inputs:
                x.grad = None

        n, work = 2 if small else 10, 2 * b * h * s * s * d
        times = by_turns(forward, forward_there, n, 3)
        row('attention', f'{b}x{s}x{h}x{d} bflo', times, work)
        times = by_turns(
            lambda: backward(forward(), ours), lambda: backward(forward_there(), theirs), n, 3
        )
        row('attention and grads', f'{b}x{s}x{h}x{d} bflo', times, work * 7 // 2)


def convolutions(small):
    shapes = [(1, 4, 4, 8, 3, 1)] if small else [
        (64, 64, 64, 56, 3, 1), (64, 256, 512, 28, 3, 2), (64, 256, 64, 56, 1, 1)
    ]  # fmt: skip
    for dtype in ('float32', 'bfloat16'):
        for n, c, o, hw, k, stride in shapes:
            (x, tx), (w, tw) = both([n, c, hw, hw], dtype), both([o, c, k, k], dtype)
            for t in (x, w, tx, tw):
                if t is not None:
                    t.stop_gradient = False
            if torch:
                tx.requires_grad_(), tw.requires_grad_()
            work = 2 * n * o * c * k * k * (hw // stride) ** 2

            def step():
                F.conv2d(x, w, stride=stride, padding=k // 2).sum().backward()
                x.grad = w.grad = None

            def step_there():
                T.conv2d(tx, tw, stride=stride, padding=k // 2).sum().backward()
                tx.grad = tw.grad = None

            size = f'{n}x{c}x{hw} {k}x{k} {o} {dtype[:4]}'
            row('convolution and grads', size, by_turns(step, step_there, 2 if small else 5, 3),
                3 * work)  # fmt: skip


# Whole models, each written once over the words that the two packages have in common.
def block(lib, functions, width, heads):
    class Block(lib.Module if lib is not nn else lib.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.second = lib.RMSNorm(width), lib.RMSNorm(width)
            self.qkv = lib.Linear(width, 3 * width)
            self.out = lib.Linear(width, width)
            self.wide, self.narrow = lib.Linear(width, 4 * width), lib.Linear(2 * width, width)

        def forward(self, x):
            n, s, _ = x.shape
            q, k, v = self.qkv(self.first(x)).reshape([n, s, 3, heads, -1]).unbind(2)
            if lib is nn:
                seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                q, k, v = (t.transpose(1, 2) for t in (q, k, v))
                seen = T.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
            x = x + self.out(seen.reshape([n, s, width]))
            up, gate = self.wide(self.second(x)).chunk(2, -1)
            return x + self.narrow(functions.silu(gate) * up)

    return Block()


def language(lib, functions, width, heads, layers, words):
    return lib.Sequential(
        lib.Embedding(words, width),
        *(block(lib, functions, width, heads) for _ in range(layers)),
        lib.RMSNorm(width),
        lib.Linear(width, words),
    )


def steps(loss_of, opt, clear):
    def step():
        loss = loss_of()
        loss.backward()
        opt.step()
        clear()
        return loss

    return step


def captured(step):
    """The step as one graph, after some that make kernels and the state of the optimizer."""
    from paddle.device.cuda.graphs import CUDAGraph

    for _ in range(3):
        step()
    graph = CUDAGraph()
    graph.capture_begin()
    step()
    graph.capture_end()
    return graph.replay


def train(name, size, count, loss_of, parameters, loss_there, parameters_there, small):
    n = 1 if small else 5
    there = None
    if torch:
        opt = torch.optim.AdamW(parameters_there, 1e-4)
        there = steps(loss_there, opt, opt.zero_grad)
    for how in ('eager', 'compiled', 'captured'):
        try:
            loss = loss_of
            if how != 'eager':
                loss = paddle.jit.to_static(loss_of, full_graph=True)
            opt = paddle.optimizer.AdamW(1e-4, parameters=parameters)
            ours = steps(loss, opt, opt.clear_grad)
            for _ in range(3):
                ours()
            if how == 'captured':
                ours = captured(ours)
            row(f'{name} {how}', size, by_turns(ours, there, n, 3), -count)
        except Exception as error:  # the rest is still wanted
            print(f'{name} {how}: {type(error).__name__} {str(error)[:500]}', flush=True)


def llama(small):
    width, heads, layers, words, n, s = (
        (32, 2, 1, 64, 2, 16) if small else (2048, 16, 8, 32000, 8, 1024)
    )
    net = language(nn, F, width, heads, layers, words).to(dtype='bfloat16')
    ids = paddle.randint(0, words, [n, s + 1])
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].reshape([-1]).contiguous()
    other = tx = ty = None
    if torch:
        other = language(torch.nn, T, width, heads, layers, words).cuda().bfloat16()
        tids = torch.randint(0, words, [n, s + 1], device='cuda')
        tx, ty = tids[:, :-1].contiguous(), tids[:, 1:].reshape(-1)
    train(
        'llama', f'{layers}x{width} {n}x{s}', n * s,
        lambda: F.cross_entropy(net(x).reshape([-1, words]), y), net.parameters(),
        lambda: T.cross_entropy(other(tx).reshape(-1, words), ty),
        other and list(other.parameters()), small,
    )  # fmt: skip


def resnet(small):
    n, size = (2, 32) if small else (64, 224)
    net = paddle.vision.models.resnet18() if small else paddle.vision.models.resnet50()
    x, y = paddle.randn([n, 3, size, size]), paddle.randint(0, 1000, [n])
    other = tx = ty = None
    if torch:
        import torchvision

        other = torchvision.models.resnet50().cuda()
        tx = torch.randn(n, 3, size, size, device='cuda')
        ty = torch.randint(0, 1000, [n], device='cuda')

    def loss():
        with paddle.amp.auto_cast(dtype='bfloat16'):
            return F.cross_entropy(net(x), y)

    def loss_there():
        with torch.autocast('cuda', torch.bfloat16):
            return T.cross_entropy(other(tx), ty)

    train('resnet50 bf16', f'{n}x{size}', n, loss, net.parameters(), loss_there,
          other and list(other.parameters()), small)  # fmt: skip


def lenet(small):
    n = 4 if small else 128
    net = paddle.vision.models.LeNet()
    x, y = paddle.randn([n, 1, 28, 28]), paddle.randint(0, 10, [n])
    other = tx = ty = None
    if torch:
        t = torch.nn
        other = t.Sequential(
            t.Conv2d(1, 6, 3, padding=1), t.ReLU(), t.MaxPool2d(2), t.Conv2d(6, 16, 5), t.ReLU(),
            t.MaxPool2d(2), t.Flatten(), t.Linear(400, 120), t.Linear(120, 84), t.Linear(84, 10),
        ).cuda()  # fmt: skip
        tx = torch.randn(n, 1, 28, 28, device='cuda')
        ty = torch.randint(0, 10, [n], device='cuda')
    train('lenet', str(n), n, lambda: F.cross_entropy(net(x), y), net.parameters(),
          lambda: T.cross_entropy(other(tx), ty), other and list(other.parameters()),
          small)  # fmt: skip


ROWS = {f.__name__: f for f in (products, attention, convolutions, llama, resnet, lenet)}

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--small', action='store_true')
    parser.add_argument('rows', nargs='*', metavar='ROW', help=' '.join(ROWS))
    given = parser.parse_args()
    paddle.set_device('gpu')
    print(f'{"":<46}{"us":>12}{"rate":>9}' + ('    torch us     rate' if torch else ''))
    for name, rows_of in ROWS.items():
        if not given.rows or name in given.rows:
            try:
                rows_of(given.small)
            except Exception as error:  # the rest is still wanted
                print(f'{name}: {type(error).__name__} {str(error)[:500]}', flush=True)
