# SPDX-License-Identifier: Apache-2.0
"""Small programs of third-party packages, which run with either `paddle`: `clients.py` runs each in
a process of its own with ours and with the published one and compares the numbers they give.

    python client_programs.py NAME
"""

import functools
import importlib.abc
import importlib.machinery
import json
import sys
import types

import numpy as np

PROGRAMS = {}


def program(*packages):
    """Put a function into the table under its name, with the packages it needs."""

    def enter(function):
        PROGRAMS[function.__name__] = function, packages
        return function

    return enter


def numbers(*shape):
    """Uniform numbers that depend on the shape alone."""
    return np.random.RandomState(sum(shape)).rand(*shape).astype("float32")


def summary(tensor):
    """Mean, deviation and a weighted sum, which sees the order."""
    values = np.asarray(tensor, "float64").ravel()
    return [values.mean(), values.std(), float(values @ np.cos(np.arange(values.size)))]


def fill(layer):
    """Give all parameters numbers that depend on their shapes alone; nothing is dropped."""
    for part in layer.sublayers():
        if type(part).__name__.startswith("Dropout"):
            part.p = 0.0
    for parameter in layer.parameters():
        drawn = numbers(*parameter.shape) - 0.5
        drawn = drawn / np.sqrt(max(1, np.prod(parameter.shape[1:])))
        parameter.set_value(drawn.astype("float32"))
    return layer


class _ProxyClass(type):
    """A class whose attributes are such classes."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _ProxyClass(name, (), {})


class Proxies(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules that packages import for other devices, chemistry or plots, and the programs here do
    not use.
    """

    def __init__(self, names):
        self._names = set(names.split())
        sys.meta_path.append(self)

    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in self._names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = functools.partial(getattr, _ProxyClass(spec.name, (), {}))
        return module

    def exec_module(self, module):
        pass


def steps(layer, loss, count=3, rate=0.01):
    """Losses of `count` steps of Momentum."""
    import paddle

    optimizer = paddle.optimizer.Momentum(rate, parameters=layer.parameters())
    losses = []
    for _ in range(count):
        value = loss()
        value.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(value))
    return losses


@program("paddle-msssim==0.0.2")
def msssim():
    """Similarity of images, and its gradient."""
    import paddle
    from paddle_msssim import MS_SSIM, ssim

    image = numbers(1, 3, 176, 176)
    y = paddle.to_tensor(image)
    x = paddle.to_tensor(0.8 * image + 0.2 * numbers(1, 3, 176, 177)[..., :176])
    x.stop_gradient = False
    value = MS_SSIM(data_range=1.0, channel=3)(x, y) + ssim(x, y, data_range=1.0)
    value.backward()
    return [float(value), *summary(x.grad)]


@program("ppim==1.1.0", "opencv-python-headless", "pillow")
def ppim():
    """Training of a ReXNet and evaluation of a DeiT."""
    import paddle
    from ppim.models import rexnet, vit

    net = fill(rexnet.ReXNet(class_dim=10))
    x = paddle.to_tensor(numbers(2, 3, 64, 64))
    label = paddle.to_tensor([1, 7])
    losses = steps(net, lambda: paddle.nn.functional.cross_entropy(net(x), label))
    small = vit.VisionTransformer(
        img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4, class_dim=10
    )
    fill(small).eval()
    return losses + summary(small(paddle.to_tensor(numbers(2, 3, 32, 32))))


@program("safetensors==0.8.0")
def safetensors():
    """A model's parameters in a file and back, in float32 and bfloat16."""
    import os
    import tempfile

    import paddle
    from safetensors.paddle import load_file, save_file

    net, other = fill(paddle.nn.Linear(8, 5)), paddle.nn.Linear(8, 5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        state = dict(net.state_dict(), half=net.weight.astype("bfloat16"))
        save_file(state, path)
        found = load_file(path)
    half = found.pop("half").astype("float32")
    other.set_state_dict(found)
    return summary(other(paddle.to_tensor(numbers(3, 8)))) + summary(half)


@program("paddle-nnaudio==0.0.3", "scipy")
def nnaudio():
    """Spectra of sounds by convolutions."""
    import paddle
    from ppAudio.features import MFCC, STFT, MelSpectrogram

    sound = paddle.to_tensor(np.sin(np.arange(8000, dtype="float32") ** 1.5 / 500)[None])
    out = []
    for make in (
        lambda: STFT(n_fft=256, hop_length=128, output_format="Magnitude", verbose=False),
        lambda: MelSpectrogram(sr=8000, n_fft=256, n_mels=32, hop_length=128, verbose=False),
        lambda: MFCC(sr=8000, n_mfcc=13, n_fft=256, n_mels=32, hop_length=128, verbose=False),
    ):
        out += summary(make()(sound))
    return out


@program("paddleseg==2.8.0", "opencv-python-headless", "pyyaml", "tqdm", "filelock", "scipy")
def paddleseg():
    """Training of a BiSeNet with the package's losses."""
    import paddle
    import paddle.nn.functional as F
    from paddleseg.models import BiSeNetV2
    from paddleseg.models.losses import DiceLoss

    net = fill(BiSeNetV2(num_classes=4))
    x = paddle.to_tensor(numbers(2, 3, 64, 64))
    label = paddle.to_tensor((numbers(2, 64, 64) * 4).astype("int64"))
    losses = (DiceLoss(),)

    def loss():
        outputs = net(x)
        return sum(f(o, label) for o in outputs[:2] for f in losses) + F.cross_entropy(
            outputs[0], label, axis=1
        )

    return steps(net, loss)


@program("paddleclip==1.0.0", "ftfy", "regex", "wget")
def clip():
    """Similarities of images and texts."""
    import paddle
    from clip.model import CLIP
    from clip.tokenizer import Tokenizer

    words = Tokenizer()
    net = CLIP(
        embed_dim=32,
        image_resolution=32,
        vision_layers=2,
        vision_width=64,
        vision_patch_size=8,
        context_length=16,
        vocab_size=49408,
        transformer_width=64,
        transformer_heads=2,
        transformer_layers=2,
    )
    fill(net).eval()
    ids = np.zeros([2, 16], "int64")
    for row, text in zip(ids, ("a photo of a cat", "a diagram")):
        found = [49406, *words.encode(text), 49407]
        row[: len(found)] = found
    image = paddle.to_tensor(numbers(2, 3, 32, 32))
    with paddle.no_grad():
        per_image, per_text = net(image, paddle.to_tensor(ids))
    return summary(per_image) + summary(per_text)


@program("ppma==1.1.1", "opencv-python-headless", "matplotlib")
def ppma():
    """Where a model looks for its answer."""
    import contextlib
    import io
    import os
    import tempfile

    import cv2
    import paddle
    from ppma import cam

    pooled = paddle.nn.AdaptiveAvgPool2D(1), paddle.nn.Flatten(), paddle.nn.Linear(8, 10)
    net = fill(paddle.nn.Sequential(paddle.nn.Conv2D(3, 8, 3, 4), paddle.nn.ReLU(), *pooled))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "image.png")
        cv2.imwrite(path, (numbers(64, 64, 3) * 255).astype("uint8"))
        with contextlib.redirect_stdout(io.StringIO()):
            found = [cam.GradCAM(net, net[1]).forward(path, [i]) for i in (3, 4)]
    return [v for image in found for v in summary(image)]


@program(
    "rapidocr-paddle==1.4.5",
    "opencv-python-headless",
    "pyclipper",
    "shapely",
    "pyyaml",
    "pillow",
    "six",
    "tqdm",
)
def rapidocr():
    """Reading of a drawn line by PP-OCRv4."""
    import cv2
    from rapidocr_paddle import RapidOCR

    page = np.full((160, 640, 3), 255, "uint8")
    cv2.putText(page, "Hello paddle 2026", (20, 90), cv2.FONT_HERSHEY_SIMPLEX, 1.8, (0, 0, 0), 3)
    found, _ = RapidOCR()(page)
    return [[text for _, text, _ in found], *[float(score) for _, _, score in found]]


@program("einops==0.8.2")
def einops():
    """Rearrangements of tensors, in functions and in a layer."""
    import paddle
    from einops import rearrange, reduce, repeat
    from einops.layers.paddle import Rearrange

    x = paddle.to_tensor(numbers(2, 3, 4, 6))
    x.stop_gradient = False
    parts = rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=2, q=2)
    net = paddle.nn.Sequential(Rearrange("b n d -> b d n"), paddle.nn.Flatten())
    value = (net(parts) ** 2).sum() + reduce(x, "b c h w -> b c", "max").sum()
    value.backward()
    wide = repeat(x, "b c h w -> b (r c) h w", r=2)
    return [float(value), *summary(x.grad), *summary(wide)]


@program("paddleiv==0.0.0.7", "imgvision", "opencv-python-headless", "matplotlib")
def paddleiv():
    """Training of a U-Net."""
    import paddle
    from paddleiv.models.Unet import Unet_skip

    net = fill(Unet_skip(3, 3, 8, 4, scale=3))
    x = paddle.to_tensor(numbers(1, 3, 32, 32))
    return steps(net, lambda: (net(x) ** 2).mean())


@program(
    "paddleclas==2.6.0",
    "faiss-cpu",
    "opencv-python-headless",
    "scikit-learn",
    "prettytable",
    "easydict",
)
def paddleclas():
    """Training of models of the zoo."""
    import paddle
    import paddle.nn.functional as F
    from paddleclas.ppcls.arch.backbone import PPLCNet_x0_25, ResNet18

    out = []
    x, label = paddle.to_tensor(numbers(2, 3, 64, 64)), paddle.to_tensor([1, 2])
    for make in (PPLCNet_x0_25, ResNet18):
        net = fill(make(class_num=10))
        out += steps(net, lambda: F.cross_entropy(net(x), label))  # noqa: B023
    return out


@program(
    "paddlesci==1.4.0",
    "sympy",
    "hydra-core",
    "omegaconf",
    "meshio",
    "scikit-optimize",
    "pyevtk",
    "imageio",
)
def paddlesci():
    """A physics-informed network: Laplace's equation on a square."""
    import paddle
    import ppsci

    paddle.seed(0)
    net = fill(ppsci.arch.MLP(("x", "y"), ("u",), 3, 16, "tanh"))
    equation = ppsci.equation.Laplace(dim=2)
    expression = ppsci.lambdify(equation.equations["laplace"], net)

    def points():
        drawn = {k: paddle.to_tensor(numbers(20, n)[:, :1]) for k, n in (("x", 2), ("y", 3))}
        for t in drawn.values():
            t.stop_gradient = False
        return drawn

    def loss():
        data = points()
        value = (expression(points()) ** 2).mean() + (net(data)["u"] - data["x"]).square().mean()
        ppsci.autodiff.clear()
        return value

    return steps(net, loss)


@program(
    "paddlenlp==2.8.1",
    "aistudio-sdk",
    "colorama",
    "datasets",
    "dill",
    "jieba",
    "jinja2",
    "huggingface_hub<1",
    "onnx",
    "rich",
    "safetensors",
    "sentencepiece",
    "seqeval",
    "tool_helpers",
    "uvicorn",
    "fastapi",
    "visualdl",
)
def paddlenlp():
    """Training of a BERT, and a Llama's logits and loss."""
    import paddle
    from paddlenlp.transformers import (
        BertConfig,
        BertForSequenceClassification,
        LlamaConfig,
        LlamaForCausalLM,
    )

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    bert = BertForSequenceClassification(
        BertConfig(
            vocab_size=100,
            intermediate_size=64,
            num_labels=3,
            attention_probs_dropout_prob=0.0,
            **sizes,
        )
    )
    fill(bert)
    ids = paddle.to_tensor((numbers(4, 12) * 99 + 1).astype("int64"))
    label = paddle.to_tensor([0, 1, 2, 1])
    losses = steps(bert, lambda: bert(ids, labels=label)[0])
    llama = fill(LlamaForCausalLM(LlamaConfig(vocab_size=100, intermediate_size=64, **sizes)))
    llama.eval()
    return losses + summary(llama(ids)[0])


@program(
    "paddledet==2.6.0",
    "opencv-python-headless",
    "matplotlib",
    "pycocotools",
    "pyyaml",
    "scikit-learn",
    "shapely",
    "imgaug",
    "terminaltables",
    "typeguard",
    "pyclipper",
    "motmetrics",
    "lap",
)
def paddledet():
    """Features of a ResNet with a pyramid, regions of them and their loss."""
    import paddle
    from ppdet.modeling import FPN, ResNet
    from ppdet.modeling.losses import GIoULoss

    net = fill(ResNet(depth=18, freeze_at=-1, return_idx=[1, 2, 3], freeze_norm=False))
    pyramid = fill(FPN(in_channels=[128, 256, 512], out_channel=32))
    image = paddle.to_tensor(numbers(1, 3, 96, 96))
    features = pyramid(net({"image": image}))
    boxes = numbers(20, 4) * 40
    boxes[:, 2:] += boxes[:, :2] + 1
    boxes = paddle.to_tensor(boxes)
    count = paddle.to_tensor([20], "int32")
    regions = paddle.vision.ops.roi_align(features[0], boxes, count, 7, 0.125)
    found = [v for f in features for v in summary(f)]
    return found + summary(regions) + summary(GIoULoss()(boxes, boxes + 1))


@program("deepxde==1.15.0", "scikit-learn", "scikit-optimize", "matplotlib")
def deepxde():
    """Poisson's equation on a square, by Adam."""
    import os

    os.environ["DDE_BACKEND"] = "paddle"
    import deepxde as dde

    dde.config.set_random_seed(1)

    def residual(x, y):
        return dde.grad.hessian(y, x, i=0, j=0) + dde.grad.hessian(y, x, i=1, j=1) + 1

    square = dde.geometry.Rectangle([-1, -1], [1, 1])
    edge = dde.icbc.DirichletBC(square, lambda x: 0, lambda _, on: on)
    data = dde.data.PDE(square, residual, edge, 60, 20, num_test=40, train_distribution="pseudo")
    net = fill(dde.nn.FNN([2, 16, 16, 1], "tanh", "Glorot uniform"))
    model = dde.Model(data, net)
    model.compile("adam", lr=0.001)
    history, _ = model.train(iterations=20, display_every=10)
    losses = [float(v) for step in history.loss_train for v in step]
    return losses + summary(model.predict(np.array([[0.1, 0.2], [0.3, -0.4]], "float32")))


@program("paddlefsl==1.1.0", "requests")
def paddlefsl():
    """Few samples a class: a network trained, and a copy adapted within each step (MAML)."""
    Proxies("pahelix rdkit pgl")
    import paddle
    import paddle.nn.functional as F
    from paddlefsl import backbones, utils

    x = paddle.to_tensor(numbers(10, 1, 28, 28))
    label = paddle.to_tensor(np.arange(10) % 5)
    net = fill(backbones.Conv(input_size=(1, 28, 28), output_size=5))
    out = steps(net, lambda: F.cross_entropy(net(x), label))
    flat = fill(paddle.nn.Linear(784, 5))
    x = x.reshape([10, 784])

    def loss():
        task = utils.clone_model(flat)
        for _ in range(2):
            utils.manual_gradient_descent(task, 0.05, F.cross_entropy(task(x), label))
        return F.cross_entropy(task(x), label)

    return out + steps(flat, loss) + [float(utils.classification_acc(flat(x), label))]


@program("paddle-quantum==2.4.0", "sympy", "networkx", "matplotlib", "scipy")
def quantum():
    """The lowest energy of three spins by a variational circuit, and properties of states."""
    Proxies("QCompute openfermion openfermionpyscf pyscf cvxpy fastdtw sklearn mpl_toolkits")
    import paddle
    import paddle_quantum as pq
    from paddle_quantum import qinfo
    from paddle_quantum.ansatz import Circuit
    from paddle_quantum.loss import ExpecVal

    energy = ExpecVal(pq.Hamiltonian([[1.0, "Z0,Z1"], [0.5, "X1"], [-0.7, "Z2"]]))
    circuit = Circuit(3)
    for _ in range(2):
        circuit.ry("full")
        circuit.cnot("cycle")
        circuit.rx("full")
    for k, angles in enumerate(circuit.parameters()):
        count = int(np.prod(angles.shape))
        angles.set_value(np.linspace(-1, 1, count, dtype="float32").reshape(angles.shape) * (k + 1))
    adam = paddle.optimizer.Adam(0.1, parameters=circuit.parameters())
    out = []
    for _ in range(5):
        state = circuit()
        value = energy(state)
        value.backward()
        adam.step()
        adam.clear_grad()
        out.append(value.item())
    out += summary(np.abs(state.numpy())) + summary(np.abs(circuit.unitary_matrix().numpy()))
    mixed = np.diag([0.5, 0.3, 0.1, 0.1]).astype("complex64")
    mixed = pq.state.to_state(mixed, backend=pq.Backend.DensityMatrix)
    return out + [qinfo.purity(mixed).item(), qinfo.von_neumann_entropy(mixed).item()]


@program("paddleaudio==1.0.2", "resampy", "soundfile", "scipy", "colorlog")
def paddleaudio():
    """Features of a sound as Kaldi and librosa have them."""
    Proxies("pathos sklearn")
    import paddle
    from paddleaudio.compliance import kaldi, librosa
    from paddleaudio.features import LogMelSpectrogram

    sound = np.sin(np.arange(16000) * 0.05).astype("float32") + 0.1 * numbers(16000)
    whole = paddle.to_tensor(sound[None])
    out = []
    for feature in (kaldi.spectrogram, kaldi.fbank, kaldi.mfcc):
        out += summary(feature(whole, sr=16000))
    for feature in (librosa.melspectrogram, librosa.mfcc):
        out += summary(feature(sound, sr=16000))
    return out + summary(LogMelSpectrogram(sr=16000, n_fft=256, n_mels=32)(whole))


@program("ppdiffusers==0.29.0", "paddlenlp==2.8.1", "huggingface_hub<0.25", "pydantic<2", "jieba")
def ppdiffusers():
    """Denoising: training, sampling by several solvers, and an autoencoder."""
    Proxies("aistudio_sdk datasets fastapi uvicorn starlette sklearn pynvml")
    import paddle
    import ppdiffusers as pp

    def square(part):
        return f"{part}Block2D"

    parts = {
        "down_block_types": (square("Down"), square("AttnDown")),
        "up_block_types": (square("AttnUp"), square("Up")),
    }
    net = pp.UNet2DModel(16, 3, 3, layers_per_block=1, block_out_channels=(32, 64), **parts)
    x, noise = (
        paddle.to_tensor(numbers(2, 3, 16, 16)),
        paddle.to_tensor(numbers(2, 3, 16, 16) + 0.1),
    )
    when = paddle.to_tensor([3, 50])
    fill(net)
    noisy = pp.DDPMScheduler(num_train_timesteps=100).add_noise(x, noise, when)
    out = steps(net, lambda: ((net(noisy, when).sample - noise) ** 2).mean())
    net.eval()
    with paddle.no_grad():
        for name in "DDIM PNDM LMSDiscrete EulerDiscrete DPMSolverMultistep".split():
            solver = getattr(pp, name + "Scheduler")(num_train_timesteps=100)
            solver.set_timesteps(4)
            state = noise[:1] * getattr(solver, "init_noise_sigma", 1.0)
            for moment in solver.timesteps:
                given = solver.scale_model_input(state, moment)
                state = solver.step(net(given, moment).sample, moment, state).prev_sample
            out += summary(state)
        folded = (square("DownEncoder"),), (square("UpDecoder"),), (32,)
        names = "down_block_types", "up_block_types", "block_out_channels"
        auto = fill(pp.AutoencoderKL(norm_num_groups=8, **dict(zip(names, folded))))
        code = auto.encode(x).latent_dist.mode()
    return out + summary(code) + summary(auto.decode(code).sample.detach())


def main(name):
    function, _ = PROGRAMS[name]
    found = [v if isinstance(v, list) else float(v) for v in function()]
    print("NUMBERS " + json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
