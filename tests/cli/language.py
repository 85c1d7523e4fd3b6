"""Language models for the tests: a tiny random one written here, and the trained pair when it is at hand."""
import array
import json
import os
import pathlib
import random
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = [("t", "h"), ("th", "e"), ("\u0120", "the"), ("i", "n"), ("a", "n"), ("an", "d"), ("e", "r"), ("o", "u")]
TEMPLATE = ("{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>'"
            " + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|\s?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
           r"|\s+(?!\S)|\s+")
HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FFN, CONTEXT = 32, 4, 2, 16, 48, 512


def alphabet():
    """The characters that stand for bytes, in the order of GPT-2's vocabulary."""
    shown = [*range(ord("!"), ord("~") + 1), *range(0xa1, 0xad), *range(0xae, 0x100)]
    return [chr(byte) for byte in shown] + [chr(256 + i) for i in range(256 - len(shown))]


def tokenizer():
    symbols = alphabet() + ["".join(pair) for pair in MERGES]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False}
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": len(symbols) + i, "content": text, **flags} for i, text in enumerate(SPECIALS)],
            "normalizer": {"type": "NFC"}, "post_processor": None, "decoder": byte_level,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
            "model": {"type": "BPE", "vocab": {symbol: i for i, symbol in enumerate(symbols)},
                      "merges": [list(pair) for pair in MERGES]}}


VOCABULARY = 256 + len(MERGES) + len(SPECIALS)
END, TURN_END = VOCABULARY - 3, VOCABULARY - 1


def tensors(seed, layers):
    """name -> (shape, float32 values) of a qwen3 model."""
    rng = random.Random(seed)

    def matrix(*shape):
        size = 1
        for side in shape:
            size *= side
        return shape, array.array("f", (rng.gauss(0, 1) / shape[-1] ** 0.5 for _ in range(size)))

    def norm(size):
        return (size,), array.array("f", (1 + rng.gauss(0, 0.1) for _ in range(size)))

    made = {"model.embed_tokens.weight": matrix(VOCABULARY, HIDDEN), "model.norm.weight": norm(HIDDEN),
            "lm_head.weight": matrix(VOCABULARY, HIDDEN)}
    for layer in range(layers):
        part = f"model.layers.{layer}."
        for name, rows, columns in (("self_attn.q_proj", HEADS * HEAD_DIM, HIDDEN), ("self_attn.k_proj", KV_HEADS * HEAD_DIM, HIDDEN),
                                    ("self_attn.v_proj", KV_HEADS * HEAD_DIM, HIDDEN), ("self_attn.o_proj", HIDDEN, HEADS * HEAD_DIM),
                                    ("mlp.gate_proj", FFN, HIDDEN), ("mlp.up_proj", FFN, HIDDEN), ("mlp.down_proj", HIDDEN, FFN)):
            made[f"{part}{name}.weight"] = matrix(rows, columns)
        for name, size in (("input_layernorm", HIDDEN), ("post_attention_layernorm", HIDDEN),
                           ("self_attn.q_norm", HEAD_DIM), ("self_attn.k_norm", HEAD_DIM)):
            made[f"{part}{name}.weight"] = norm(size)
    # Ending at once would make dull tests: the end tokens are never the best.
    shape, head = made["lm_head.weight"]
    for token in range(END, VOCABULARY):
        head[token * HIDDEN:(token + 1) * HIDDEN] = array.array("f", [0] * HIDDEN)
    return made


def safetensors(made):
    """A file of the safetensors format: length of the header, header, bytes."""
    header, data = {}, bytearray()
    for name, (shape, values) in sorted(made.items()):
        raw = values.tobytes()
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(data)


def write_tiny(folder, seed=1, template=TEMPLATE, with_tokenizer=True, layers=2):
    """A Hugging Face folder of a small random model."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    config = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
              "num_hidden_layers": layers, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM,
              "intermediate_size": FFN, "max_position_embeddings": CONTEXT, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
              "tie_word_embeddings": False, "hidden_act": "silu", "attention_bias": False, "eos_token_id": END,
              "torch_dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").write_bytes(safetensors(tensors(seed, layers)))
    if with_tokenizer:
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
        settings = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": SPECIALS[0]}
        (folder / "tokenizer_config.json").write_text(json.dumps({**settings, **({"chat_template": template} if template else {})}))
    return folder


def read_safetensors(path):
    """name -> (shape, values) of a file with F32, I32 and I64 tensors."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": "f", "I32": "i", "I64": "q"}
    found = {}
    for name, about in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = about["data_offsets"]
        values = array.array(kinds[about["dtype"]])
        values.frombytes(data[8 + size + begin:8 + size + end])
        found[name] = about["shape"], values
    return found


def read_npy(path):
    """(shape, float32 values) of a NumPy file of version 1.0."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    assert "'descr': '<f4'" in header and "'fortran_order': False" in header, header
    shape = [int(side) for side in header.split("'shape': (")[1].split(")")[0].split(",") if side.strip()]
    values = array.array("f")
    values.frombytes(data[10 + size:])
    assert (10 + size) % 64 == 0
    return shape, values


def trained():
    """The folder of the trained pair as Hugging Face folders with golden values, or None."""
    folder = pathlib.Path(os.environ.get("FERRY_LM_PAIR", ROOT.parent / "shared/lm-pair"))
    return folder if (folder / "target/golden.safetensors").exists() else None
