# SPDX-License-Identifier: Apache-2.0
"""Tensors of a GPU whose memory two processes use, by messages of multiprocessing: what one writes
is seen by the other, memory lives until its last use ends, and what cannot be shared is refused.
"""

import gc
import os
import sys

import paddle
import paddle.incubate.multiprocessing as mp


def double_in_place(inbox, outbox, done):
    """Doubles what comes and sends it back; the last message is None."""
    kept = []
    while (x := inbox.get()) is not None:
        assert x.place.is_gpu_place()
        paddle.device.set_device(f'gpu:{x.place.gpu_device_id()}')
        with paddle.no_grad():
            x.multiply_(paddle.full([1], 2.0, x.dtype))
        paddle.device.synchronize()
        kept.append(x)
        outbox.put((type(x).__name__, x.stop_gradient, x.shape, x.name))
        if len(kept) > 1:
            outbox.put(kept[0])  # where it came from it is what it was
    done.wait()
    del x, kept
    gc.collect()
    outbox.put(len(gc.garbage))


def shared():
    """What a child does to tensors."""
    inbox, outbox, done = mp.Queue(), mp.Queue(), mp.Event()
    child = mp.Process(daemon=True, target=double_in_place, args=(inbox, outbox, done))
    child.start()
    base = paddle.arange(5000, dtype='float32').cuda()
    x = base[8:4008].reshape([40, 100])
    held = paddle.device.cuda.memory_allocated()
    inbox.put(x)
    assert outbox.get(timeout=100)[:3] == ('Tensor', True, [40, 100])
    expected = [float(k) * (2 if 8 <= k < 4008 else 1) for k in range(5000)]
    assert base.tolist() == expected
    on_second = paddle.full([70000], 3.0).cuda(1)
    inbox.put(on_second)
    assert outbox.get(timeout=100)[2] == [70000]
    back = outbox.get(timeout=100)
    assert back.data_ptr() == x.data_ptr() and back.shape == [40, 100]
    assert on_second.sum().item() == 6.0 * 70000
    weight = paddle.create_parameter([3, 5], 'float32')
    values = weight.numpy()
    inbox.put(weight)
    assert outbox.get(timeout=100) == ('EagerParamBase', False, [3, 5], weight.name)
    outbox.get(timeout=100)
    assert (weight.numpy() == values * 2).all()
    # The child has base's memory after this process let it go.
    del x, base, back
    gc.collect()
    paddle.device.cuda.empty_cache()
    assert paddle.device.cuda.memory_allocated() >= held - 512
    inbox.put(None)
    done.set()
    assert outbox.get(timeout=100) == 0
    child.join()
    assert child.exitcode == 0
    del on_second
    gc.collect()
    paddle.device.cuda.empty_cache()
    assert paddle.device.cuda.memory_allocated() < held - 16384


def sent_by_hand(outbox, metadata):
    """Opens what `_share_cuda` told."""
    dense = paddle.base.core.DenseTensor._new_shared_cuda(metadata)
    paddle.set_device('gpu')
    outbox.put([dense._held().tolist(), dense.lod()])
    del dense
    gc.collect()


def by_hand():
    """Tuples of PaddlePaddle's form."""
    dense = paddle.base.core.DenseTensor(paddle.to_tensor([3.0, 4.0]).cuda())
    dense.set_lod([[0, 1, 2]])
    metadata = dense._share_cuda()
    assert len(metadata) == 7 and len(metadata[0]) == 64 and metadata[2] == 8
    assert metadata[5:] == ([[0, 1, 2]], 0)
    outbox = mp.Queue()
    child = mp.Process(daemon=True, target=sent_by_hand, args=(outbox, metadata))
    child.start()
    assert outbox.get(timeout=100) == [[3.0, 4.0], [[0, 1, 2]]]
    child.join()
    same = paddle.base.core.DenseTensor._new_shared_cuda(metadata)
    assert same._held().data_ptr() == dense._held().data_ptr()
    for wrong, error in (
        (metadata[:6], RuntimeError),
        ((b'short', *metadata[1:]), ValueError),
        ((*metadata[:6], 9), ValueError),
        ((*metadata[:4], [1 << 40], *metadata[5:]), ValueError),
        ((b'x' * 64, *metadata[1:]), RuntimeError),
    ):
        try:
            paddle.base.core.DenseTensor._new_shared_cuda(wrong)
            raise AssertionError(f'{wrong} was taken')
        except error:
            pass


def sums_of(inbox, outbox):
    """Sums of what comes: tensors, or memory with an event that work here waits for, or None."""
    paddle.set_device('gpu')
    while (message := inbox.get()) is not None:
        if isinstance(message, paddle.Tensor):
            x = message
        else:
            shared, event = message
            x = paddle.base.libpaddle.open_gpu(*shared[:-1], b'')
            if event is not None:
                paddle.device.current_stream().wait_event(event)
        outbox.put(x.sum().item())
        if not isinstance(message, paddle.Tensor) and event is not None:
            event.synchronize()
            outbox.put(event.query())
        del message, x
        event = None
        gc.collect()


def ordered():
    """Work of the receiver comes after the sender's, for which no host waits."""
    inbox, outbox = mp.Queue(), mp.Queue()
    child = mp.Process(daemon=True, target=sums_of, args=(inbox, outbox))
    child.start()
    event = paddle.device.cuda.Event(interprocess=True)

    def queued():
        x = paddle.zeros([1000])
        paddle.device.synchronize()
        for _ in range(5):
            x.add_(paddle.ones([1]))
        return x

    for _ in range(2):
        x = queued()
        inbox.put(x)
        assert outbox.get(timeout=100) == 5000.0
    x.add_(paddle.ones([1]))
    inbox.put(x)  # the same memory again, by a later event
    assert outbox.get(timeout=100) == 6000.0
    for given, want in ((event, 5000.0), (None, 0.0)):
        x = queued()
        event.record()
        inbox.put((paddle.base.libpaddle.share_gpu(x, True), given))
        assert outbox.get(timeout=100) == want, want
        assert given is None or outbox.get(timeout=100)
    inbox.put(None)
    child.join()
    assert child.exitcode == 0


def wrong_events():
    """What is refused of events."""
    event = paddle.device.Event()
    second = paddle.device.Event(interprocess=True)
    for call, error in (
        (lambda: mp.reductions._reduce_event(event), ValueError),
        (lambda: paddle.device.Event(enable_timing=True, interprocess=True), ValueError),
        (lambda: second.record(paddle.device.Stream('gpu:1')), RuntimeError),
        (lambda: mp.reductions._reduce_event(second)[0](0, b'short'), ValueError),
    ):
        try:
            call()
            raise AssertionError('it was taken')
        except error as e:
            print(e)


def opened_until(done, outbox, metadata):
    dense = paddle.base.core.DenseTensor._new_shared_cuda(metadata)
    outbox.put(0)
    done.wait()
    del dense


def early():
    """Memory that is released while another process has it open, without a count, is found."""
    x = paddle.full([8 << 20], 3.0).cuda()
    metadata = paddle.base.core.DenseTensor(x)._share_cuda()
    outbox, done = mp.Queue(), mp.Event()
    child = mp.Process(daemon=True, target=opened_until, args=(done, outbox, metadata))
    child.start()
    outbox.get(timeout=100)
    del x
    gc.collect()
    try:
        paddle.device.cuda.empty_cache()
        paddle.device.synchronize()  # a release that fails is told by the next call
    except RuntimeError as e:
        print(e)
    done.set()
    child.join()


def refused():
    """What is not shared, by its message."""
    x = paddle.ones([3]).cuda()
    x.stop_gradient = False
    try:
        mp.reductions._reduce_tensor(x * 2)
    except ValueError as e:
        print(e)
    try:
        mp.reductions._reduce_tensor(x)
    except (RuntimeError, NotImplementedError) as e:
        print(e)


if __name__ == '__main__':
    mp.set_start_method('spawn')
    paddle.set_device('gpu')
    what = [shared, by_hand, refused, early, ordered, wrong_events]
    {f.__name__: f for f in what}[sys.argv[1]]()
    print(os.getpid())
