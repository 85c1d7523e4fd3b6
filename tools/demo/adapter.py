"""A random LoRA adapter as a folder of Hugging Face's PEFT, for models of separate products."""
import array
import json
import pathlib
import random
import struct


def shapes_of(description):
    """name -> (rows, columns) of what `ferry llm describe --json` says that attention and feed-forward blocks read."""
    shapes, hidden, index = {}, description["hidden"], 0
    for layer in description["layer"]:
        queries, keys = (layer[f"attention.{heads}"] * layer["attention.head_dim"] for heads in ("heads", "kv_heads"))
        width = layer["dense.width"]
        parts = {"attention.query": (queries, hidden), "attention.key": (keys, hidden), "attention.value": (keys, hidden),
                 "attention.out": (hidden, queries), "dense.gate": (width, hidden), "dense.up": (width, hidden),
                 "dense.down": (hidden, width)}
        for _ in range(layer.get("count", 1)):
            shapes |= {layer[part].replace("{i}", str(index)): shape for part, shape in parts.items()}
            index += 1
    return shapes


def write_adapter(folder, shapes, rank=4, seed=1, spread=0.5, **config):
    """adapter_config.json and adapter_model.safetensors; `spread` is the size of what it adds to a product."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    rng = random.Random(seed)
    header, data = {}, bytearray()

    def add(name, rows, columns, size):
        raw = array.array("f", (rng.gauss(0, size) for _ in range(rows * columns))).tobytes()
        header[name] = {"dtype": "F32", "shape": [rows, columns], "data_offsets": [len(data), len(data) + len(raw)]}
        data.extend(raw)

    for name, (rows, columns) in shapes.items():
        module = "base_model.model." + name.removesuffix(".weight")
        add(f"{module}.lora_A.weight", rank, columns, columns ** -0.5)
        add(f"{module}.lora_B.weight", rows, rank, spread / 2 * rank ** -0.5)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "adapter_model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (folder / "adapter_config.json").write_text(json.dumps(
        {"peft_type": "LORA", "r": rank, "lora_alpha": 2 * rank, "bias": "none", **config}))
    return folder
