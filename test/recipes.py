# SPDX-License-Identifier: Apache-2.0
"""One sensible call of every public callable: arguments by the parameter's name, and recipes where
names do not tell.

A recipe is the text of an argument list: `t(2, 3), axis=1`. What follows ` -> ` are the arguments
of a call of the result (a layer's input, a decorator's function). `arguments` evaluates one;
`cases` lists every public callable with its recipe.
"""

import contextlib
import functools
import gzip
import importlib
import inspect
import io
import os
import pickle
import re
import shutil
import tarfile
import zipfile

import numpy
import recipe_table

import paddle

# The public namespaces, in the order in which an object with several names gets its one.
NAMESPACES = '''
    paddle nn nn.functional nn.functional.flash_attention nn.initializer nn.utils linalg fft signal
    distribution optimizer optimizer.lr vision vision.ops vision.transforms vision.models
    vision.datasets incubate incubate.nn incubate.nn.functional incubate.autograd incubate.optimizer
    geometric amp amp.debugging autograd io metric jit device device.cuda audio audio.functional
    audio.features text utils utils.unique_name utils.dlpack regularizer profiler hapi hub inference
    version sysconfig static static.nn base framework callbacks flags Tensor
'''.split()
IN_PROGRAMS = ("static", "static.nn")  # recipes of these run while a program is recorded


_HELPERS = (  # modules use what is in them
    "paddle.base.arguments",
    "paddle.base.documentation",
    "paddle.base.known_keywords",
)
_CALLS = re.compile(r"(?:^| )-> ?")  # what separates the calls of a recipe


def t(*shape, low=0.1, high=0.9, dtype="float32"):
    """A tensor of numbers inside most functions' domains, the same ones in each call."""
    rng = numpy.random.default_rng(7)
    return paddle.to_tensor(rng.uniform(low, high, shape).astype(dtype))


def p(*shape):
    """A tensor that wants a gradient."""
    x = t(*shape)
    x.stop_gradient = False
    return x


def i(*shape, high=2, dtype="int64"):
    """Integers from 0 up to, not including, `high`."""
    return paddle.to_tensor(numpy.random.default_rng(7).integers(0, high, shape).astype(dtype))


def b(*shape):
    return paddle.to_tensor(numpy.random.default_rng(7).integers(0, 2, shape).astype("bool"))


def c(*shape):
    return paddle.complex(t(*shape), t(*shape))


def of(value, dtype=None):
    return paddle.to_tensor(value, dtype=dtype)


def e(*shape):
    """Numbers of eight bits."""
    return t(*shape).astype("float8_e4m3fn")


def coo():
    """A sparse matrix."""
    return paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])


def words():
    """A tensor with a vocabulary."""
    tensor = t(2)
    tensor.set_vocab({"a": 0})
    return tensor


def logged():
    """A folder with the numbers of a run."""
    debugging = paddle.amp.debugging
    debugging.enable_tensor_checker(
        debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_ALL, output_dir="logged")
    )
    t(2) * t(2)
    debugging.disable_tensor_checker()
    return "logged"


def table_rows():
    """The gradient of a table that two rows were looked up in."""
    table = paddle.create_parameter([4, 2], "float32")
    looked = paddle.nn.functional.embedding(paddle.to_tensor([3, 1]), table, sparse=True)
    return paddle.grad(looked.sum(), table)[0]


def spd(n):
    """A symmetric positive definite matrix."""
    a = t(n, n)
    return paddle.matmul(a, a, transpose_y=True) + n * paddle.eye(n)


def img(height=8, width=8):
    """An image as transforms read one: bytes, channels last."""
    return numpy.random.default_rng(7).integers(0, 255, (height, width, 3)).astype("uint8")


def data(name, shape, dtype="float32"):
    return paddle.static.data(name, shape, dtype)


def sequences(width):
    """An input whose rows are sequences of different lengths."""
    return paddle.static.data(f"rows{width}", [-1, width], "float32", lod_level=1)


def profile():
    """The path of a profile that the published package wrote."""
    return os.path.join(os.path.dirname(__file__), "api", "data", "profile_3.3.1.pb")


def linear():
    return paddle.nn.Linear(3, 3)


def saved(net=None):
    """The path of a saved program of one linear layer."""
    net = net or linear()
    paddle.jit.save(net, "net", input_spec=[paddle.static.InputSpec([None, 3], "float32")])
    return "net"


def picture():
    """The path of a small JPEG."""
    from PIL import Image

    Image.fromarray(img()).save("picture.jpg")
    return "picture.jpg"


def sound():
    """The path of a short sound."""
    paddle.audio.save("sound.wav", t(1, 16), 8000)
    return "sound.wav"


def folder():
    """A folder of one class with one picture."""
    os.makedirs("classes/one", exist_ok=True)
    shutil.copy(picture(), "classes/one")
    return "classes"


def tar(files, name="files.tar"):
    """The path of an archive of name -> bytes."""
    with tarfile.open(name, "w") as archive:
        for inside, data in files.items():
            info = tarfile.TarInfo(inside)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return name


def roles():
    """The paths of a sentence with its roles, and of its dictionaries."""
    words, props = (gzip.compress(text) for text in (b"He\nran\n\n", b"- (A0*)\nrun (V*)\n\n"))
    inside = "conll05st-release/test.wsj/{0}/test.wsj.{0}.gz"
    path = tar({inside.format("words"): words, inside.format("props"): props})
    for name, text in ("words", "He"), ("verbs", "run"), ("tags", "B-V\nB-A0"), ("vectors", ""):
        with open(name, "w") as file:
            file.write(text + "\n")
    return path, "words", "verbs", "tags", "vectors"


def photo(kind="jpeg"):
    """The bytes of a picture."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(img()).save(stream, kind)
    return stream.getvalue()


def batch(labels):
    """The bytes of two samples of CIFAR."""
    return pickle.dumps({"data": numpy.zeros((2, 3072), "uint8"), labels: [1, 2]}, 2)


def digits():
    """The paths of two images and their labels in MNIST's format."""
    for name, head, data in (
        ("images", [2051, 2, 28, 28], bytes(2 * 784)),
        ("labels", [2049, 2], b"\1\2"),
    ):
        with open(name, "wb") as file:
            file.write(numpy.array(head, ">u4").tobytes() + data)
    return "images", "labels"


def flowers():
    """The paths of an archive of one flower and its Matlab files."""
    import scipy.io

    scipy.io.savemat("labels.mat", {"labels": [[3]]})
    scipy.io.savemat("split.mat", {"tstid": [[1]]})
    return tar({"jpg/image_00001.jpg": photo()}), "labels.mat", "split.mat"


def films():
    """The path of an archive of one film and its ratings."""
    with zipfile.ZipFile("films.zip", "w") as archive:
        for name, line in (
            ("movies", "1::Toy Story (1995)::Animation"),
            ("users", "1::F::1::10::48067"),
            ("ratings", "1::1::5::978300760"),
        ):
            archive.writestr(f"ml-1m/{name}.dat", (line + "\n") * (8 if name == "ratings" else 1))
    return "films.zip"


def houses():
    """The path of five houses."""
    numpy.savetxt("houses", numpy.arange(70.0).reshape(5, 14))
    return "houses"


def repository():
    """A folder that hub reads."""
    with open("hubconf.py", "w", encoding="utf-8") as file:
        file.write("def tiny():\n    'A number.'\n    return 3\n")
    return "."


def predictor():
    """The configuration of a predictor."""
    path = saved()
    return paddle.inference.Config(path + ".json", path + ".pdiparams")


def program():
    """(inputs, results) of a small program, recorded and initialised; its executor runs in the
    current scope.
    """
    x = data("x", [2, 3])
    out = paddle.static.nn.fc(x, 2)
    paddle.static.Executor().run(paddle.static.default_startup_program())
    return [x], [out]


def stored():
    """The path under which the current program is saved."""
    feeds, fetches = program()
    paddle.static.save_inference_model("prog", feeds, fetches, paddle.static.Executor())
    paddle.static.save(paddle.static.default_main_program(), "prog")
    return "prog"


class Numbers(paddle.io.Dataset):
    """Six samples, for what reads data sets."""

    def __getitem__(self, index):
        return numpy.full([3], index, "float32")

    def __len__(self):
        return 6


class Stream(paddle.io.IterableDataset):
    def __iter__(self):
        return iter([numpy.zeros([3], "float32")])


MAKERS = dict(
    t=t,
    p=p,
    i=i,
    b=b,
    c=c,
    of=of,
    spd=spd,
    e=e,
    coo=coo,
    table_rows=table_rows,
    roles=roles,
    img=img,
    data=data,
    sequences=sequences,
    profile=profile,
    linear=linear,
    saved=saved,
    picture=picture,
    words=words,
    logged=logged,
    folder=folder,
    repository=repository,
    tar=tar,
    photo=photo,
    batch=batch,
    digits=digits,
    flowers=flowers,
    films=films,
    houses=houses,
    predictor=predictor,
    program=program,
    stored=stored,
    sound=sound,
    Numbers=Numbers,
    Stream=Stream,
    paddle=paddle,
    np=numpy,
    static=paddle.static,
    nn=paddle.nn,
    F=paddle.nn.functional,
    D=paddle.distribution,
)


def public(namespace):
    """(name, object) of the callables of a namespace; a name of a table that raises is an error of
    the caller's test.
    """
    if namespace == "Tensor":
        for name in sorted(dir(paddle.Tensor)):
            value = getattr(paddle.Tensor, name, None)
            if not name.startswith("_") and callable(value):
                yield name, value
        return
    module = importlib.import_module("paddle" if namespace == "paddle" else "paddle." + namespace)
    for name in sorted(dir(module)):
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or "paddle"
        if home in _HELPERS or value is paddle.base.libpaddle.expect_tensors:
            continue  # imported for the module's own use
        if callable(value) and not inspect.ismodule(value) and home.partition(".")[0] == "paddle":
            yield name, value


def guess(value):
    """The recipe that the names of the required parameters make; None where one is unknown."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        return None
    texts = []
    for one in parameters:
        if (
            one.default is not one.empty
            or one.kind is one.VAR_KEYWORD
            or (one.kind is one.VAR_POSITIONAL and texts)
        ):
            continue
        if one.name not in recipe_table.BY_NAME:
            return None
        texts.append(recipe_table.BY_NAME[one.name])
    return ", ".join(texts)


@functools.cache
def _table(namespace):
    """Rows of the table by each of their names."""
    return {
        name: text
        for names, text in recipe_table.RECIPES.get(namespace, {}).items()
        for name in names.split()
    }


def recipe(namespace, name, value):
    """The text of one sensible call, or None; an in-place form takes its plain form's."""
    table = _table(namespace)
    for key in (name, name[:-1] if name.endswith("_") else name):
        if key in table:
            return table[key]
    text = guess(value)
    if (
        inspect.isclass(value)
        and issubclass(value, paddle.nn.Layer)
        and text is not None
        and not _CALLS.search(text)
    ):
        text += " -> " + recipe_table.LAYER_INPUT
    return text


def _take(*args, **kwargs):
    return args, kwargs


def arguments(text):
    """(args, kwargs) of each call of a recipe: of the callable itself, then of what it returns."""
    for part in _CALLS.split(text):
        yield eval(f"_take({part})", {"_take": _take, **MAKERS})  # noqa: S307


@functools.cache
def cases():
    """(namespace, name, callable, recipe or None) of every public callable, each object once."""
    rows, seen = [], set()
    for namespace in NAMESPACES:
        for name, value in public(namespace):
            if id(value) not in seen:
                seen.add(id(value))
                rows.append((namespace, name, value, recipe(namespace, name, value)))
    return rows


def call(namespace, value, text):
    """Makes the call of a recipe and gives its result. Files it writes go to the current
    directory.
    """
    import paddle.static as static

    if namespace in IN_PROGRAMS:
        paddle.enable_static()
    programs = (
        static.program_guard(static.Program(), static.Program())
        if namespace in IN_PROGRAMS
        else contextlib.nullcontext()
    )
    try:
        with programs:
            for args, kwargs in arguments(text):
                value = value(*args, **kwargs)
    finally:
        paddle.disable_static()
    return value
