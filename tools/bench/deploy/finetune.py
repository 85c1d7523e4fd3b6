"""Makes fine-tuned networks as f16, bf16 and int8 safetensors files.

usage: finetune.py SHARED OUT_DIR      (needs numpy: Debian's python3-numpy)

Two small networks are trained on SHARED/digits and really fine-tuned with Adam. A trained language model (SHARED/lm-pair) and weights of a
known network's shapes (SHARED/models-real-shapes) are moved as such fine-tuning moves weights, where these folders are there. OUT_DIR gets
NAME-TYPE.base and NAME-TYPE-RATE.tuned, where RATE is the learning rate of 200 steps.
"""
import json
import pathlib
import struct
import sys
import tarfile

import numpy as np

RATES = ["1e-6", "1e-5", "1e-4"]
STEPS = {"base": 150, "tuned": 200}
BATCH = 32
SIDE = 8
CLASSES = 10
MOVED_RATE = "1e-5"
REAL_SHAPES = "squeezenet1_1"
WIDTHS = [SIDE * SIDE, 1024, 1024, 256, CLASSES]
CHANNELS = [1, 24, 48, 64]


class Mlp:
    """Fully connected layers with ReLU between them."""

    def __init__(self, rng):
        self.weights = {}
        for i, (fan_in, fan_out) in enumerate(zip(WIDTHS, WIDTHS[1:])):
            self.weights[f"{i}.weight"] = rng.normal(0, (2 / fan_in) ** 0.5, (fan_out, fan_in)).astype(np.float32)
            self.weights[f"{i}.bias"] = np.zeros(fan_out, np.float32)
        self.layers = len(WIDTHS) - 1

    def gradients(self, images, slope_of):
        taken = [images.reshape(len(images), -1)]
        for i in range(self.layers):
            out = taken[-1] @ self.weights[f"{i}.weight"].T + self.weights[f"{i}.bias"]
            taken.append(np.maximum(out, 0) if i + 1 < self.layers else out)
        slope, out = slope_of(taken[-1]), {}
        for i in reversed(range(self.layers)):
            out[f"{i}.weight"], out[f"{i}.bias"] = slope.T @ taken[i], slope.sum(0)
            slope = (slope @ self.weights[f"{i}.weight"]) * (taken[i] > 0)
        return out


class Convolutions:
    """3x3 convolutions with ReLU, then a fully connected head."""

    def __init__(self, rng):
        self.weights = {}
        for i, (fan_in, fan_out) in enumerate(zip(CHANNELS, CHANNELS[1:])):
            self.weights[f"{i}.weight"] = rng.normal(0, (2 / (9 * fan_in)) ** 0.5, (fan_out, fan_in, 3, 3)).astype(np.float32)
            self.weights[f"{i}.bias"] = np.zeros(fan_out, np.float32)
        head = CHANNELS[-1] * SIDE * SIDE
        self.weights["head.weight"] = rng.normal(0, (1 / head) ** 0.5, (CLASSES, head)).astype(np.float32)
        self.weights["head.bias"] = np.zeros(CLASSES, np.float32)
        self.layers = len(CHANNELS) - 1

    @staticmethod
    def patches(planes):
        padded = np.pad(planes, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        return windows.transpose(0, 2, 3, 1, 4, 5).reshape(len(planes) * SIDE * SIDE, -1)

    def gradients(self, images, slope_of):
        count, taken, columns = len(images), [images], []
        for i in range(self.layers):
            columns.append(self.patches(taken[-1]))
            kernel = self.weights[f"{i}.weight"]
            out = columns[-1] @ kernel.reshape(len(kernel), -1).T + self.weights[f"{i}.bias"]
            taken.append(np.maximum(out, 0).reshape(count, SIDE, SIDE, -1).transpose(0, 3, 1, 2))
        flat = taken[-1].reshape(count, -1)
        slope, out = slope_of(flat @ self.weights["head.weight"].T + self.weights["head.bias"]), {}
        out["head.weight"], out["head.bias"] = slope.T @ flat, slope.sum(0)
        slope = (slope @ self.weights["head.weight"]).reshape(taken[-1].shape)
        for i in reversed(range(self.layers)):
            slope = (slope * (taken[i + 1] > 0)).transpose(0, 2, 3, 1).reshape(count * SIDE * SIDE, -1)
            kernel = self.weights[f"{i}.weight"]
            out[f"{i}.weight"], out[f"{i}.bias"] = (slope.T @ columns[i]).reshape(kernel.shape), slope.sum(0)
            turned = kernel[:, :, ::-1, ::-1].transpose(1, 0, 2, 3).reshape(kernel.shape[1], -1)
            planes = slope.reshape(count, SIDE, SIDE, -1).transpose(0, 3, 1, 2)
            slope = (self.patches(planes) @ turned.T).reshape(count, SIDE, SIDE, -1).transpose(0, 3, 1, 2)
        return out


def adam(net, images, labels, rate, steps, rng):
    first = {name: np.zeros_like(value) for name, value in net.weights.items()}
    second = {name: np.zeros_like(value) for name, value in net.weights.items()}
    for step in range(1, steps + 1):
        picked = rng.integers(0, len(images), BATCH)

        def slope_of(scores, picked=picked):
            share = np.exp(scores - scores.max(1, keepdims=True))
            share /= share.sum(1, keepdims=True)
            share[np.arange(BATCH), labels[picked]] -= 1
            return (share / BATCH).astype(np.float32)

        for name, slope in net.gradients(images[picked], slope_of).items():
            first[name] = 0.9 * first[name] + 0.1 * slope
            second[name] = 0.999 * second[name] + 0.001 * slope * slope
            mean, spread = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
            net.weights[name] = (net.weights[name] - rate * mean / (np.sqrt(spread) + 1e-8)).astype(np.float32)


def as_bf16(value):
    bits = value.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def tensors(weights, dtype, scales):
    """[(name, safetensors dtype, array)]; int8 weights keep the scales of the base, a row each."""
    out = []
    for name, value in weights.items():
        if dtype == "f16":
            out.append((name, "F16", value.astype(np.float16)))
        elif dtype == "bf16":
            out.append((name, "BF16", as_bf16(value)))
        elif value.ndim == 1:
            out.append((name, "F32", value))
        else:
            scale = scales[name]
            shaped = scale.reshape(-1, *[1] * (value.ndim - 1))
            out.append((name, "I8", np.clip(np.rint(value / shaped), -127, 127).astype(np.int8)))
            out.append((name + ".scale", "F32", scale))
    return out


def write(path, parts):
    header, at = {}, 0
    for name, dtype, value in parts:
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(value.tobytes() for _, _, value in parts))


def language_model(folder):
    """The bf16 weights of a trained model, as f32."""
    raw = (folder / "model.safetensors").read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    weights = {}
    for name, part in json.loads(raw[8:8 + length]).items():
        if part.get("dtype") != "BF16":
            continue
        begin, end = (8 + length + at for at in part["data_offsets"])
        weights[name] = (np.frombuffer(raw[begin:end], np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(part["shape"])
    return weights


def real_shapes(folder, rng):
    """Random weights of a known network's shapes and spreads."""
    with tarfile.open(folder / "graphs.tar.xz") as tar:
        shapes = json.load(tar.extractfile(REAL_SHAPES + ".weights.json"))
    return {name: rng.normal(each["mean"], each["std"], each["dims"]).astype(np.float32) for name, each in shapes.items()}


def moved(weights, rate, rng):
    """Adam's steps: of one size times the rate, adding up or not, by how much row and column are used."""
    out = {}
    for name, value in weights.items():
        size = rate * STEPS["tuned"] ** 0.5 * rng.lognormal(0, 0.7, (len(value), *[1] * (value.ndim - 1)))
        if value.ndim > 1:
            size = size * rng.lognormal(0, 0.7, (1, value.shape[1], *[1] * (value.ndim - 2)))
        out[name] = (value + size * rng.laplace(0, 1, value.shape)).astype(np.float32)
    return out


def scales_of(weights):
    return {name: np.maximum(np.abs(value).reshape(len(value), -1).max(1) / 127, 1e-8).astype(np.float32)
            for name, value in weights.items() if value.ndim > 1}


def write_types(out, name, suffix, weights, scales):
    for dtype in ["f16", "bf16", "int8"]:
        write(out / f"{name}-{dtype}{suffix}", tensors(weights, dtype, scales))


def main():
    shared, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    images = np.fromfile(shared / "digits/images.f32", np.float32).reshape(-1, 1, SIDE, SIDE)
    labels = np.fromfile(shared / "digits/labels.u8", np.uint8).astype(np.int64)
    half = len(images) * 2 // 3
    for name, make in {"mlp": Mlp, "convolutions": Convolutions}.items():
        rng = np.random.default_rng(1)
        net = make(rng)
        adam(net, images[:half], labels[:half], 1e-3, STEPS["base"], rng)
        base, scales = dict(net.weights), scales_of(net.weights)
        write_types(out, name, ".base", base, scales)
        for rate in RATES:
            net.weights = dict(base)
            adam(net, images[half:], labels[half:], float(rate), STEPS["tuned"], np.random.default_rng(2))
            write_types(out, name, f"-{rate}.tuned", net.weights, scales)
    rng = np.random.default_rng(3)
    large = {}
    if (shared / "lm-pair/draft").is_dir():
        large["language"] = language_model(shared / "lm-pair/draft")
    if (shared / "models-real-shapes/graphs.tar.xz").is_file():
        large["squeezenet"] = real_shapes(shared / "models-real-shapes", rng)
    for name, base in large.items():
        scales = scales_of(base)
        write_types(out, name, ".base", base, scales)
        write_types(out, name, f"-{MOVED_RATE}.tuned", moved(base, float(MOVED_RATE), rng), scales)


if __name__ == "__main__":
    main()
