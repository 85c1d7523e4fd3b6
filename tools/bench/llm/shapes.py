"""Random models in the shapes of Qwen2.5: a bfloat16 folder for Ferry and GGUF files for llama.cpp.

Speed depends on shapes and types, not on what the numbers are; these are small and finite.
"""
import json
import os
import pathlib
import struct

SHAPES = {
    "0.5b": dict(hidden=896, ffn=4864, layers=24, heads=14, kv_heads=2, vocabulary=151936),
    "1.5b": dict(hidden=1536, ffn=8960, layers=28, heads=12, kv_heads=2, vocabulary=151936),
}
CONTEXT = 8192
# The upper bytes of bfloat16 numbers between 2^-8 and 2^-6, of both signs.
UPPER = bytes((0x3B, 0xBB, 0x3C, 0xBC)[b & 3] for b in range(256))
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8


def head_dim(shape):
    return shape["hidden"] // shape["heads"]


def layer_tensors(shape):
    """(Hugging Face's name, GGUF's name, extents) of a layer, matrices as [rows, columns]."""
    h, f, kv = shape["hidden"], shape["ffn"], shape["kv_heads"] * head_dim(shape)
    return [
        ("input_layernorm.weight", "attn_norm.weight", [h]),
        ("self_attn.q_proj.weight", "attn_q.weight", [h, h]),
        ("self_attn.q_proj.bias", "attn_q.bias", [h]),
        ("self_attn.k_proj.weight", "attn_k.weight", [kv, h]),
        ("self_attn.k_proj.bias", "attn_k.bias", [kv]),
        ("self_attn.v_proj.weight", "attn_v.weight", [kv, h]),
        ("self_attn.v_proj.bias", "attn_v.bias", [kv]),
        ("self_attn.o_proj.weight", "attn_output.weight", [h, h]),
        ("post_attention_layernorm.weight", "ffn_norm.weight", [h]),
        ("mlp.gate_proj.weight", "ffn_gate.weight", [f, h]),
        ("mlp.up_proj.weight", "ffn_up.weight", [f, h]),
        ("mlp.down_proj.weight", "ffn_down.weight", [h, f]),
    ]


def tensors(shape):
    yield "model.embed_tokens.weight", "token_embd.weight", [shape["vocabulary"], shape["hidden"]]
    for i in range(shape["layers"]):
        for hf, gguf, extents in layer_tensors(shape):
            yield f"model.layers.{i}.{hf}", f"blk.{i}.{gguf}", extents
    yield "model.norm.weight", "output_norm.weight", [shape["hidden"]]


def count(extents):
    total = 1
    for extent in extents:
        total *= extent
    return total


def bfloat16(n):
    out = bytearray(2 * n)
    out[0::2] = os.urandom(n)
    out[1::2] = os.urandom(n).translate(UPPER)
    return bytes(out)


def write_safetensors(path, entries):
    """(name, extents) of bfloat16 tensors, random."""
    header, offset = {}, 0
    for name, extents in entries:
        size = 2 * count(extents)
        header[name] = {"dtype": "BF16", "shape": extents, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, extents in entries:
            out.write(bfloat16(count(extents)))


def write_adapter(folder, shape, rank):
    """A PEFT folder of an adapter of all matrices of all layers."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(
        {"peft_type": "LORA", "r": rank, "lora_alpha": rank, "bias": "none"}))
    entries = []
    for i in range(shape["layers"]):
        for name, _, extents in layer_tensors(shape):
            if len(extents) == 2:
                stem = f"base_model.model.model.layers.{i}.{name.removesuffix('.weight')}"
                entries.append((f"{stem}.lora_A.weight", [rank, extents[1]]))
                entries.append((f"{stem}.lora_B.weight", [extents[0], rank]))
    write_safetensors(folder / "adapter_model.safetensors", entries)


def write_folder(folder, shape):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": "qwen2", "hidden_size": shape["hidden"], "intermediate_size": shape["ffn"],
        "num_hidden_layers": shape["layers"], "num_attention_heads": shape["heads"],
        "num_key_value_heads": shape["kv_heads"], "vocab_size": shape["vocabulary"],
        "max_position_embeddings": CONTEXT, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0,
        "tie_word_embeddings": True, "hidden_act": "silu", "eos_token_id": 151643,
    }
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors",
                      [(name, extents) for name, _, extents in tensors(shape)])


def blocks(n, kind):
    """n numbers as blocks of 32: a half-precision scale, then codes."""
    size = {Q4_0: 18, Q8_0: 34}[kind]
    many = n // 32
    out = bytearray(size * many)
    scale = struct.pack("<e", 0.001 if kind == Q4_0 else 0.0001)
    out[0::size] = scale[:1] * many
    out[1::size] = scale[1:] * many
    for k in range(2, size):
        out[k::size] = os.urandom(many)
    return bytes(out)


def gguf_string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def metadata(shape):
    u32, f32, text, array = 4, 6, 8, 9
    rows = [
        ("general.architecture", text, "qwen2"),
        ("general.file_type", u32, 2),
        ("qwen2.block_count", u32, shape["layers"]),
        ("qwen2.context_length", u32, CONTEXT),
        ("qwen2.embedding_length", u32, shape["hidden"]),
        ("qwen2.feed_forward_length", u32, shape["ffn"]),
        ("qwen2.attention.head_count", u32, shape["heads"]),
        ("qwen2.attention.head_count_kv", u32, shape["kv_heads"]),
        ("qwen2.attention.layer_norm_rms_epsilon", f32, 1e-6),
        ("qwen2.rope.freq_base", f32, 1000000.0),
        ("tokenizer.ggml.model", text, "gpt2"),
        ("tokenizer.ggml.pre", text, "qwen2"),
        ("tokenizer.ggml.eos_token_id", u32, 151643),
        ("tokenizer.ggml.tokens", array, [f"t{i}" for i in range(shape["vocabulary"])]),
        ("tokenizer.ggml.merges", array, ["t 0", "t 1"]),
    ]
    out = b""
    for name, kind, value in rows:
        out += gguf_string(name) + struct.pack("<I", kind)
        if kind == u32:
            out += struct.pack("<I", value)
        elif kind == f32:
            out += struct.pack("<f", value)
        elif kind == text:
            out += gguf_string(value)
        else:
            out += struct.pack("<IQ", text, len(value)) + b"".join(map(gguf_string, value))
    return len(rows), out


def write_gguf(path, shape, kind):
    """Matrices as `kind`, the embedding (and head) as Q8_0, the rest as float32."""
    rows, infos, offset = [], b"", 0
    for _, name, extents in tensors(shape):
        own = F32 if len(extents) == 1 else Q8_0 if name == "token_embd.weight" else kind
        n = count(extents)
        size = {F32: 4 * n, Q4_0: n // 32 * 18, Q8_0: n // 32 * 34}[own]
        infos += gguf_string(name) + struct.pack("<I", len(extents))
        infos += b"".join(struct.pack("<Q", e) for e in reversed(extents))
        infos += struct.pack("<IQ", own, offset)
        rows.append((n, own, size))
        offset += size + -size % 32
    many, meta = metadata(shape)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(rows), many) + meta + infos
    with open(path, "wb") as out:
        out.write(head + b"\0" * (-len(head) % 32))
        for n, own, size in rows:
            out.write(struct.pack("<f", 0.01) * n if own == F32 else blocks(n, own))
            out.write(b"\0" * (-size % 32))
