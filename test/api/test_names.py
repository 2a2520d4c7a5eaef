# SPDX-License-Identifier: Apache-2.0
"""Names that programs take from PaddlePaddle's inner modules. Values are those of PaddlePaddle
3.3.1.
"""

import copy
import functools
import importlib
import inspect
import io
import os
import pickle
import subprocess
import sys
import tarfile
import threading
import types
import typing
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from sanitizers import SANITIZER

import paddle
from paddle import _paths


@pytest.mark.parametrize("module", sorted(_paths.TABLE))
def test_each_listed_name_is_what_its_home_has(module):
    found = importlib.import_module(module)
    for name, (home, there) in _paths.names(module).items():
        if name != "*":
            there_is = (
                importlib.import_module(home)
                if there is None
                else getattr(importlib.import_module(home), there)
            )
            assert getattr(found, name) is there_is, name


def test_packages_find_the_modules_below_them():
    packages = [path for path, above in _paths.modules().items() if above]
    assert packages and not [
        p for p in packages if not hasattr(importlib.import_module(p), "__getattr__")
    ]


def test_paths_are_loaded_on_first_use():
    code = (
        "import sys, paddle; assert not {'paddle._paths', 'numpy', 'inspect'} & "
        "{*sys.modules}; from paddle.distribution.beta import Beta;assert Beta is "
        "paddle.distribution.Beta and paddle.distribution.beta.Beta is Beta; import "
        "paddle.tensor.logic as logic;assert 'bitwise_and' in dir(logic) and not "
        "hasattr(logic, 'nothing') and not hasattr(paddle, 'nothing')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_function_keeps_its_name_when_the_module_of_that_name_is_imported():
    code = (
        "import paddle; from paddle.nn.utils.clip_grad_norm_ import clip_grad_norm_;"
        "assert paddle.nn.utils.clip_grad_norm_ is clip_grad_norm_ and callable(clip_grad_norm_);"
        "paddle.nn.utils.other = 3; assert paddle.nn.utils.other == 3"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_listed_names_are_no_public_ones():
    for module, name in (
        (paddle, "core"),
        (paddle.static, "setitem"),
        (paddle.nn, "loss"),
        (paddle.nn.functional, "diag_embed"),
    ):
        assert getattr(module, name) is not None and name not in dir(module)


def test_a_listed_name_is_not_kept_where_code_would_see_it():
    assert paddle.tensor.math.max is paddle.max and paddle.tensor.manipulation.slice is paddle.slice
    assert paddle.diff(paddle.arange(3)).tolist() == [1, 1] and "max" not in vars(
        paddle.tensor.math
    )


@pytest.mark.parametrize(
    "name", ["paddle.nothing", "paddle.nn.nothing.more", "paddle.distribution.beta.more"]
)
def test_what_is_not_listed_is_no_module(name):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)


FILLED = [
    ("normal_", (1.0, 2.0), [0.71296, 3.80583, 2.11867, 1.43839, 4.71438, 0.59148], 25.74974),
    ("kaiming_uniform_", (), [-1.37209, 0.44656, 0.85571, -0.08754, 0.47148, 1.20312], 4.12607),
    (
        "kaiming_uniform_",
        (0.3, "fan_out", "relu"),
        [-1.18827, 0.38673, 0.74107, -0.07581, 0.40832, 1.04193],
        3.57328,
    ),
    ("kaiming_normal_", (), [-0.11718, 1.14548, 0.45669, 0.17897, 1.51639, -0.16678], 5.61331),
    ("xavier_uniform_", (), [-0.89824, 0.29234, 0.56019, -0.05731, 0.30866, 0.78763], 2.70115),
    (
        "xavier_uniform_",
        (1.0, 3, 5),
        [-0.84023, 0.27346, 0.52401, -0.05361, 0.28872, 0.73676],
        2.52669,
    ),
    ("xavier_normal_", (2.0,), [-0.15343, 1.49978, 0.59795, 0.23433, 1.98542, -0.21836], 7.34954),
    ("uniform_", (-1.0, 2.0), [-0.95532, 0.97365, 1.40762, 0.40715, 1.00008, 1.7761], 10.37636),
    (
        "trunc_normal_",
        (0.0, 1.0, -0.5, 0.5),
        [-0.48387, 0.15213, 0.2946, -0.02971, 0.16069, 0.42035],
        1.41401,
    ),
    ("constant_", (0.5,), [0.5] * 6, 6.0),
    ("ones_", (), [1.0] * 6, 12.0),
    ("zeros_", (), [0.0] * 6, 0.0),
    ("eye_", (), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0], 3.0),
]


@pytest.mark.parametrize("name,args,first,total", FILLED)
def test_initializers_as_functions(name, args, first, total):
    paddle.seed(7)
    x = paddle.zeros([3, 4])
    getattr(paddle.nn.init, name)(x, *args)
    np.testing.assert_allclose(x.numpy().ravel()[:6], first, atol=2e-5)
    np.testing.assert_allclose(float(x.sum()), total, atol=2e-4)


def test_initializers_of_shape():
    x = paddle.zeros([2, 2, 3])
    paddle.nn.init.dirac_(x)
    assert float(x.sum()) == 2.0 and x[0, 0, 1] == 1.0
    x = paddle.zeros([3, 4])
    paddle.nn.init.orthogonal_(x)
    np.testing.assert_allclose((x @ x.T).numpy(), np.eye(3), atol=1e-5)
    with pytest.raises(AssertionError, match="a tensor of 2 axes"):
        paddle.nn.init.eye_(paddle.zeros([3]))
    assert paddle.nn.init._calculate_fan_in_and_fan_out(paddle.zeros([3, 4, 5])) == (20, 15)


def test_environment_variables(monkeypatch):
    from paddle.utils import environments as E

    for name in ("NAMES_B", "NAMES_I", "NAMES_S", "NAMES_L"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    v = E.BooleanEnvironmentVariable("NAMES_B", False)
    assert (
        v.get() is False
        and v.set(True) is None
        and os.environ["NAMES_B"] == "true"
        and v.get() is True
    )
    v.delete()
    assert repr(v) == "Env(NAMES_B=False)"
    monkeypatch.setenv("NAMES_B", "maybe")
    with pytest.raises(ValueError, match=r"^\[strtobool\] .*got 'maybe'"):
        v.get()
    v = E.IntegerEnvironmentVariable("NAMES_I", 4)
    with E.EnvironmentVariableGuard(v, 9):
        assert v.get() == 9 and os.environ["NAMES_I"] == "9"
    assert v.get() == 4
    monkeypatch.setenv("NAMES_I", "x")
    assert v.get() == 4
    for bad in ("a", True):
        with pytest.raises(AssertionError):
            v.set(bad)
    v = E.StringListEnvironmentVariable("NAMES_L", ["q"])
    assert (
        v.get() == ["q"]
        and v.set(["a", "b"]) is None
        and os.environ["NAMES_L"] == "a,b"
        and v.get() == ["a", "b"]
    )
    with pytest.raises(AssertionError):
        v.set([1])
    assert E.StringEnvironmentVariable("NAMES_S", "q").get() == "q"
    assert [E.strtobool(w) for w in ("y", "1", "ON", "no", "False")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    with pytest.raises(AssertionError):
        E.BooleanEnvironmentVariable("NAMES_B", 3)


@pytest.fixture
def server():
    """A server on this machine that has one archive, and fails for everything else."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        info = tarfile.TarInfo("inside/a.txt")
        info.size = 2
        archive.addfile(info, io.BytesIO(b"ok"))
    body, asked = data.getvalue(), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            found = self.path == "/x.tar.gz"
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(body) if found else 0))
            self.end_headers()
            self.wfile.write(body if found else b"")

        def log_message(self, *args):
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield types.SimpleNamespace(
        url=f"http://127.0.0.1:{http.server_address[1]}", asked=asked, body=body
    )
    http.shutdown()
    http.server_close()


def test_files_by_url(server, tmp_path, monkeypatch):
    import hashlib

    from paddle.dataset import common
    from paddle.utils import download

    monkeypatch.setattr(download, "_WAIT", 0.0)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    url, md5 = server.url + "/x.tar.gz", hashlib.md5(server.body).hexdigest()
    found = download.get_path_from_url(url, str(tmp_path), md5)
    assert found == str(tmp_path / "inside") and (tmp_path / "inside" / "a.txt").read_text() == "ok"
    assert download.get_path_from_url(url, str(tmp_path), md5, decompress=False) == str(
        tmp_path / "x.tar.gz"
    )
    assert server.asked == ["/x.tar.gz"]
    with pytest.raises(RuntimeError, match="within 3 attempts"):
        download.get_path_from_url(server.url + "/other", str(tmp_path))
    with pytest.raises(RuntimeError, match="within 3 attempts"):
        download.get_path_from_url(url, str(tmp_path), "0" * 32)
    with pytest.raises(AssertionError, match="expected a URL"):
        download.get_path_from_url("other", str(tmp_path))
    with pytest.raises(AssertionError, match="expected method 'get', got 'wget'"):
        download.get_path_from_url(url, str(tmp_path), check_exist=False, method="wget")
    monkeypatch.setattr(download, "WEIGHTS_HOME", str(tmp_path / "weights"))
    assert download.get_weights_path_from_url(url, md5) == str(tmp_path / "weights" / "inside")
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "data"))
    assert common.download(url, "set", md5, "named") == str(tmp_path / "data" / "set" / "named")
    assert common.md5file(str(tmp_path / "data" / "set" / "named")) == md5
    assert common._check_exists_and_download(str(tmp_path), url, md5, "set") == str(tmp_path)
    with pytest.raises(ValueError, match="download=False"):
        common._check_exists_and_download(None, url, md5, "set", download=False)
    assert [download.is_url(u) for u in ("http://a", "https://a", "ftp://a", "/x")] == [
        True,
        True,
        False,
        False,
    ]
    assert len(download._get_unique_endpoints(["a:1", "a:2", "b:1"])) == 2


def _packed(folder, name, files):
    path = str(folder / name)
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            for file in files:
                archive.writestr(file, file)
    else:
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
            for file in files:
                info = tarfile.TarInfo(file)
                info.size = len(file)
                archive.addfile(info, io.BytesIO(file.encode()))
    return path


@pytest.mark.parametrize(
    "name,files,made",
    [
        ("one.tar.gz", ["a.txt"], "a.txt"),
        ("two.tar.gz", ["a.txt", "b.txt"], "two.tar"),
        ("mixed.tar", ["a.txt", "x/b.txt"], "mixed"),
        ("three.tgz", ["a.txt", "x/b.txt"], "three"),
        ("folder.tar", ["x/a", "x/b"], "x"),
        ("z.zip", ["a", "q/b"], "z"),
    ],
)
def test_archives_unpack_beside_themselves(name, files, made, tmp_path):
    from paddle.utils.download import _decompress

    path = _packed(tmp_path, name, files)
    assert _decompress(path) == str(tmp_path / made)
    beside = tmp_path / made if made not in ("a.txt", "x") else tmp_path
    assert all((beside / file).read_text() == file for file in files)


def test_archives_that_reach_outside_are_refused(tmp_path):
    from paddle.utils.download import _decompress

    for files in (["../evil", "b"], ["/evil"]):
        with pytest.raises(ValueError, match="expected (relative )?names"):
            _decompress(_packed(tmp_path, "evil.tar", files))
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with tarfile.open(tmp_path / "link.tar", "w") as archive:
        archive.addfile(link)
    with pytest.raises(ValueError, match="files and folders"):
        _decompress(str(tmp_path / "link.tar"))
    (tmp_path / "plain").write_text("x")
    with pytest.raises(TypeError, match="a tar or zip file"):
        _decompress(str(tmp_path / "plain"))


def test_files_of_samples(tmp_path, monkeypatch):
    from paddle.dataset import common

    monkeypatch.chdir(tmp_path)
    common.split(lambda: iter(range(5)), 2, suffix="part%d.pickle")
    assert sorted(os.listdir(".")) == ["part0.pickle", "part1.pickle", "part2.pickle"]
    assert list(common.cluster_files_reader("part*.pickle", 2, 0)()) == [0, 1, 4]
    assert list(common.cluster_files_reader("part*.pickle", 2, 1)()) == [2, 3]
    (tmp_path / "part0.pickle").write_bytes(b"cos\nsystem\n(S'touch run'\ntR.")
    with pytest.raises(ValueError, match="system"):
        list(common.cluster_files_reader("part*.pickle", 2, 0)())
    assert not (tmp_path / "run").exists()


def five():
    return iter(range(5))


def three():
    return iter(range(3))


def failing():
    yield 1
    raise ValueError("broken")


def test_readers():
    R = paddle.reader
    assert list(R.map_readers(lambda x, y: x + y, five, three)()) == [0, 2, 4]
    assert sorted(R.shuffle(five, 2)()) == [0, 1, 2, 3, 4]
    assert list(R.chain(five, three)()) == [0, 1, 2, 3, 4, 0, 1, 2]
    assert list(R.compose(lambda: iter([(1, 2), (3, 4)]), lambda: iter([5, 6]))()) == [
        (1, 2, 5),
        (3, 4, 6),
    ]
    with pytest.raises(R.ComposeNotAligned, match="as many samples"):
        list(R.compose(five, three)())
    assert list(R.compose(five, three, check_alignment=False)()) == [(0, 0), (1, 1), (2, 2)]
    assert list(R.firstn(five, 2)()) == [0, 1] and list(R.buffered(five, 2)()) == [0, 1, 2, 3, 4]
    calls = []
    cached = R.cache(lambda: calls.append(1) or five())
    assert list(cached()) == list(cached()) == [0, 1, 2, 3, 4] and len(calls) == 1
    assert list(R.xmap_readers(lambda x: x * 2, five, 2, 3, order=True)()) == [0, 2, 4, 6, 8]
    assert sorted(R.xmap_readers(lambda x: x * 2, five, 2, 3)()) == [0, 2, 4, 6, 8]


@pytest.mark.skipif(
    SANITIZER == "address", reason="a fork leaves locks of a sanitizer's allocator taken"
)
@pytest.mark.parametrize("use_pipe", [True, False])
def test_readers_in_processes(use_pipe):
    read = paddle.reader.multiprocess_reader([five, three], use_pipe=use_pipe)
    assert sorted(read()) == [0, 0, 1, 1, 2, 2, 3, 4]
    with pytest.raises(ValueError, match="broken"):
        list(paddle.reader.multiprocess_reader([failing], use_pipe=use_pipe)())
    with pytest.raises(AssertionError):
        paddle.reader.multiprocess_reader([])


@pytest.mark.parametrize(
    "read",
    [
        lambda: paddle.reader.buffered(failing, 2),
        lambda: paddle.reader.xmap_readers(abs, failing, 2, 3),
        lambda: paddle.reader.xmap_readers(lambda x: 1 // 0, five, 2, 3),
    ],
)
def test_what_a_thread_raises_reaches_the_reader(read):
    with pytest.raises((ValueError, ZeroDivisionError)):
        list(read()())


def test_a_reader_left_early_ends_its_threads():
    samples = paddle.reader.buffered(five, 1)()
    before = threading.active_count()
    next(samples)
    samples.close()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon:
            thread.join(1.0)
    assert threading.active_count() <= before


def test_arrays_of_tensors():
    T, zero = paddle.tensor, paddle.zeros([1], "int64")
    array = T.create_array("float32")
    assert array == [] and T.array_write(paddle.ones([2]), zero, array) is array
    T.array_write(paddle.zeros([2]), zero, array)
    assert len(array) == T.array_length(array) == 1 and T.array_read(array, zero).tolist() == [
        0.0,
        0.0,
    ]
    assert (
        len(T.create_array("float32", [paddle.ones([2])]))
        == len(T.array_write(paddle.ones([2]), zero))
        == 1
    )
    for call, error in [
        (lambda: T.array_write(paddle.ones([2]), zero + 2), AssertionError),
        (lambda: T.array_read(array, 0), AssertionError),
        (lambda: T.array_read(array, zero + 3), IndexError),
        (lambda: T.array_length(3), AssertionError),
        (lambda: T.array_read(array, paddle.zeros([2], "int64")), AssertionError),
        (lambda: T.create_array("float32", 3), TypeError),
        (lambda: T.create_array("float32", [1]), TypeError),
    ]:
        with pytest.raises(error):
            call()


def test_old_creation_functions():
    T = paddle.tensor
    assert T.fill_constant([2], "float32", "7").tolist() == [7.0, 7.0] and T.fill_constant(
        [2], "bool", True
    ).tolist() == [True, True]
    assert T.fill_constant(paddle.to_tensor([2, 1]), "int32", paddle.to_tensor(4)).tolist() == [
        [4],
        [4],
    ]
    out = paddle.zeros([2])
    T.fill_constant([2], "float32", 5, out=out)
    assert out.tolist() == [5.0, 5.0] and T.fill_constant(
        [1], "float32", float("inf")
    ).item() == float("inf")
    made = T.create_tensor("float32", name="made", persistable=True)
    assert made.name == "made" and made.persistable and made.dtype == paddle.float32
    assert T.random.uniform_random_batch_size_like(
        paddle.ones([5, 2]), [-1, 3], min=1, max=2
    ).shape == [5, 3]


@pytest.mark.parametrize(
    "name,far,near",
    [
        ("add", [7, 8, 9], [7, 8, 9]),
        ("subtract", [5, 4, 3], [5, 4, 3]),
        ("multiply", [6, 12, 18], [6, 12, 18]),
        ("divide", [6, 3, 2], [6, 3, 2]),
    ],
)
def test_binary_operations_at_an_axis(name, far, near):
    call, y = getattr(paddle.tensor.math, f"_{name}_with_axis"), paddle.to_tensor([1.0, 2.0, 3.0])
    assert call(paddle.full([2, 3, 4], 6.0), y, 1)[0, :, 0].tolist() == far
    assert call(paddle.full([2, 3], 6.0), y)[0].tolist() == near


def test_frames():
    S, x = paddle.signal, paddle.arange(8, dtype="float32")
    assert S.frame(x, 4, 2).tolist() == [[0, 2, 4], [1, 3, 5], [2, 4, 6], [3, 5, 7]]
    assert S.frame(x, 4, 2, axis=0).tolist() == [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]]
    assert S.frame(x.reshape([2, 4]), 2, 1).shape == [2, 2, 3] and S.frame(
        x.reshape([2, 4]), 2, 1, axis=0
    ).shape == [1, 2, 4]
    for axis in (-1, 0):
        assert S.overlap_add(S.frame(x, 4, 2, axis=axis), 2, axis=axis).tolist() == [
            0,
            1,
            4,
            6,
            8,
            10,
            6,
            7,
        ]
    for args in ((9, 2), (4, 2, 1), (0, 2), (4, 0), (4.0, 2)):
        with pytest.raises(ValueError):
            S.frame(x, *args)
    for call in (
        lambda: S.overlap_add(x, 2),
        lambda: S.overlap_add(S.frame(x, 4, 2), 0),
        lambda: S.overlap_add(S.frame(x, 4, 2), 2, axis=1),
    ):
        with pytest.raises(ValueError):
            call()


def test_operations_under_their_old_names():
    L, x = paddle._legacy_C_ops, paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert L.scale(x, "scale", 2.0, "bias", 1.0).tolist() == [[3, 5], [7, 9]]
    assert L.matmul_v2(x, x, "trans_x", True).tolist() == [[10, 14], [14, 20]]
    y = x.clone()
    assert L.scale_(y, "scale", 2.0) is y and y.tolist() == [[2, 4], [6, 8]]
    out, shape = L.reshape2(x, None, "shape", [4])
    assert out.tolist() == [1, 2, 3, 4] and shape is None
    assert [t.tolist() for t in L.argsort(x, "axis", -1, "descending", True)] == [
        [[2, 1], [4, 3]],
        [[1, 0], [1, 0]],
    ]
    assert [t.tolist() for t in L.split(x, "num", 2, "axis", 0)] == [[[1, 2]], [[3, 4]]]
    mean, variance = paddle.zeros([3]), paddle.ones([3])
    outs = L.batch_norm(
        paddle.ones([2, 3, 4, 4]),
        paddle.ones([3]),
        paddle.ones([3]),
        mean,
        variance,
        None,
        mean,
        variance,
        "momentum",
        0.9,
        "epsilon",
        1e-5,
        "is_test",
        False,
        "data_layout",
        "NCHW",
        "use_global_stats",
        False,
        "trainable_statistics",
        False,
    )
    assert len(outs) == 6 and outs[0].shape == [2, 3, 4, 4]
    np.testing.assert_allclose(mean.numpy(), 0.1, rtol=1e-6)
    z = paddle.to_tensor([1.0], stop_gradient=False)
    L.scale(z, "scale", 3.0).backward()
    assert z.grad.tolist() == [3.0]
    assert paddle.base.core.eager.ops.legacy is L and L.scale.__name__ == "scale"
    for args in ((x, "scale"), (), (x, "scal", 2.0)):
        with pytest.raises(ValueError):
            L.scale(*args)
    with pytest.raises(TypeError):
        L.scale(3)
    assert not hasattr(L, "nothing") and not hasattr(L, "nothing_")


def test_names_of_the_core():
    core, kinds = paddle.base.core, paddle.base.core.VarDesc.VarType
    assert (kinds.STRING, kinds.STRINGS, kinds.VOCAB) == (25, 26, 27)
    for call in (core.default_cuda_generator, core.default_xpu_generator):
        with pytest.raises(RuntimeError):
            call(0)
    with pytest.raises(ValueError):
        core.default_custom_device_generator(paddle.CPUPlace())
    assert (
        core.host_memory_stat_peak_value("Allocated", 0)
        >= core.host_memory_stat_current_value("Allocated", 0)
        >= 0
    )
    with pytest.raises(ValueError):
        core.host_memory_stat_current_value("Other", 0)
    assert not core._is_eager_prim_enabled()
    core.set_prim_eager_enabled(True)
    assert core._is_eager_prim_enabled()
    core.set_prim_eager_enabled(False)
    maker = core.op_proto_and_checker_maker
    assert {r.name: int(r) for r in maker.OpRole} == {
        "Forward": 0,
        "Backward": 1,
        "Optimize": 2,
        "RPC": 4,
        "Dist": 8,
        "LRSched": 16,
        "Loss": 256,
    }
    assert (maker.kOpRoleAttrName(), maker.kOpDeviceAttrName()) == ("op_role", "op_device")
    assert (
        paddle.core is core
        and paddle.paddle is paddle
        and paddle.__git_commit__ == paddle.version.commit
    )
    assert paddle._pir_ops.matmul is paddle._C_ops.matmul and not hasattr(
        paddle._pir_ops, "nothing"
    )


def test_the_state_of_mixed_precision():
    from paddle.amp.auto_cast import amp_state

    assert amp_state() is None
    with paddle.amp.auto_cast(dtype="bfloat16", custom_white_list={"tanh"}):
        assert amp_state() == {
            "enable": True,
            "custom_white_list": {"tanh"},
            "custom_black_list": None,
            "level": "O1",
            "dtype": "bfloat16",
            "use_promote": True,
        }
        with paddle.amp.auto_cast(enable=False):
            assert amp_state()["enable"] is False
        assert amp_state()["enable"] is True
    assert amp_state() is None


def test_helpers_of_modules():
    from paddle.device import _convert_to_place
    from paddle.framework import io as saved
    from paddle.framework import random
    from paddle.nn.layer.transformer import _convert_attention_mask, _convert_param_attr_to_list

    assert (
        _convert_to_place("cpu").is_cpu_place()
        and _convert_to_place(None) is None
        and _convert_to_place(3) == 3
    )
    for text in ("gpu:0", "xpu", "other"):
        with pytest.raises(ValueError):
            _convert_to_place(text)
    for mask in ([[True, False]], [[1, 0]]):
        assert _convert_attention_mask(paddle.to_tensor(mask), paddle.float32).tolist() == [
            [0.0, -1e9]
        ]
    assert _convert_attention_mask(None, paddle.float32) is None
    assert [a.name for a in _convert_param_attr_to_list(paddle.ParamAttr(name="w"), 3)] == [
        "w_0",
        "w_1",
        "w_2",
    ]
    assert _convert_param_attr_to_list(False, 3) == [False] * 3
    tens = saved._parse_every_object(
        {"a": [1, 2, (3,)], "b": {"c": 4}, "d": {5}}, lambda o: isinstance(o, int), lambda o: o * 10
    )
    assert tens == {"a": [10, 20, (30,)], "b": {"c": 40}, "d": {50}}
    assert np.array(saved._to_LodTensor(np.ones([2], "float32"))).tolist() == [1, 1]
    with pytest.raises(TypeError):
        saved._to_LodTensor([1])
    assert saved._transformed_from_lodtensor(np.ones(2)) and not saved._transformed_from_lodtensor(
        3
    )
    random.set_random_seed_generator("names", 3)
    assert random.get_random_seed_generator("names").initial_seed() == 3
    with pytest.raises(RuntimeError):
        random.get_random_seed_generator("never made")
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        random._manual_program_seed(5)
        assert (
            paddle.static.default_main_program().random_seed
            == paddle.static.default_startup_program().random_seed
            == 5
        )
    assert paddle.nn.functional.flash_attention._select_sdp(64) == "math"


def test_delayed_initialisation_by_hand():
    from paddle.nn.initializer.lazy_init import lazy_init_helper

    helper = lazy_init_helper()
    assert not helper.state
    helper.enable()
    try:
        assert helper.state
        weight = paddle.nn.Linear(2, 2).weight
    finally:
        helper.disable()
    assert not helper.state and not weight._is_initialized()
    weight.initialize()
    assert np.isfinite(weight.numpy()).all()


def test_iterators_of_loaders():
    from paddle.io.dataloader import dataloader_iter

    data = paddle.io.TensorDataset([paddle.ones([4, 2])])
    assert isinstance(iter(paddle.io.DataLoader(data)), dataloader_iter._DataLoaderIterBase)


def test_layer_helper_base():
    from paddle.base.layer_helper_base import LayerHelperBase

    helper = LayerHelperBase("fc_7", "fc")
    assert (helper.name, helper.layer_type) == ("fc_7", "fc") and isinstance(
        paddle.base.layer_helper.LayerHelper("fc"), LayerHelperBase
    )
    before = paddle.get_default_dtype()
    try:
        LayerHelperBase.set_default_dtype("float64")
        assert LayerHelperBase.get_default_dtype() == paddle.get_default_dtype() == "float64"
    finally:
        paddle.set_default_dtype(before)
    weight = helper.create_parameter(None, [2, 3])
    assert weight.shape == [2, 3] and weight.name.startswith("fc_7")


def test_public_functions_look_like_python_functions():
    for f in (paddle.add, paddle.Tensor.add, paddle.nn.functional.relu, paddle.linalg.norm):
        assert isinstance(f, types.FunctionType) and inspect.isfunction(f)
    assert paddle.add.__closure__ is None and paddle.nn.functional.relu.__closure__ is None
    add = paddle.add
    assert add.__code__.co_varnames[:3] == ("x", "y", "name") and add.__code__.co_name == "add"
    assert add.__defaults__ == (None,) and add.__kwdefaults__ == {"alpha": 1, "out": None}
    assert add.__globals__ is vars(paddle) and typing.get_type_hints(add) == {}
    assert list(inspect.signature(add).parameters) == ["x", "y", "name", "alpha", "out"]
    assert pickle.loads(pickle.dumps(add)) is add and copy.copy(add) is add
    assert inspect.ismethod(paddle.ones([1]).add)

    @functools.wraps(add)
    def wrapped(*args):
        return add(*args) + 1

    assert wrapped.__name__ == "add" and inspect.signature(wrapped) == inspect.signature(add)
    assert wrapped(paddle.ones([1]), paddle.ones([1])).tolist() == [3]


def test_attributes_of_public_functions_can_be_set():
    f = paddle.lgamma
    before = {name: getattr(f, name) for name in ("__name__", "__doc__", "__signature__")}
    try:
        for name, value in before.items():
            setattr(f, name, inspect.signature(len) if name == "__signature__" else value + "_")
        assert f.__name__ == "lgamma_" and f.__doc__ == before["__doc__"] + "_"
        assert list(inspect.signature(f).parameters) == ["obj"]
        assert f(paddle.ones([1])).tolist() == [0]
    finally:
        for name in before:
            delattr(f, name)
    assert {name: getattr(f, name) for name in before} == before


def test_numpy_with_an_argument():
    x = paddle.ones([1])
    assert x.numpy(False).tolist() == x.numpy(blocking=True).tolist() == [1]
    with pytest.raises(TypeError):
        x.numpy(other=3)


def test_each_function_of_the_core_answers_for_its_code():
    for home in ("paddle", "paddle.Tensor", "paddle.nn.functional", "paddle._C_ops"):
        for name, f in paddle.base.libpaddle._functions(home).items():
            code = f.__code__
            given = inspect.signature(f).parameters
            assert code.co_name == f.__name__, name
            assert len(given) == len(code.co_varnames), name


def test_patched_functions_are_seen(monkeypatch):
    twice = paddle.nn.functional.linear
    monkeypatch.setattr(
        paddle.nn.functional, "linear", lambda x, weight, bias=None, name=None: twice(x, weight) * 2
    )
    monkeypatch.setattr(paddle.Tensor, "add", lambda x, y: "patched")
    layer = paddle.nn.Linear(2, 2, bias_attr=False)
    x = paddle.ones([1, 2])
    assert layer(x).tolist() == (paddle.matmul(x, layer.weight) * 2).tolist()
    assert x.add(x) == "patched"


def test_functions_with_other_forms_show_their_parameters():
    assert inspect.getfullargspec(paddle.cumsum).args == ["x", "axis", "dtype", "name"]
    plain = inspect.unwrap(paddle.cumsum_)
    assert plain.__code__.co_varnames[:4] == ("x", "axis", "dtype", "name")
    assert plain.__defaults__ == (None, None, None) and plain.__name__ == "cumsum_"
    x = paddle.to_tensor([1.0, 2.0])
    assert plain(x, 0) is x and x.tolist() == [1.0, 3.0]
    seen = []

    @functools.wraps(paddle.cumsum_)
    def noted(*args, **kwargs):
        seen.append(args)
        return paddle.cumsum_(*args, **kwargs)

    assert noted(x).tolist() == [1.0, 4.0] and len(seen) == 1 and noted.__name__ == "cumsum_"
