"""Goes on from a prompt with the small language model of this package.

An event {"id": "ask", "data": {"prompt": text}} gives {"text", "tokens"}; max_new, temperature, seed, top_k, top_p,
repetition_penalty and stop may stand beside the prompt. Only lengths go up the tunnel, never a text.
"""
from ferry import events, llm

MAX_PROMPT_TOKENS = 448
MAX_NEW = 128

model = llm.load("draft")


def on_trigger(matched):
    data = matched[-1]["data"]
    ids = model.encode(data["prompt"], specials=False)
    if not ids:
        raise ValueError("the prompt is empty")
    # A long prompt keeps its end: that is what the answer follows.
    ids = ids[-MAX_PROMPT_TOKENS:]
    text = model.generate(
        ids,
        max_new=min(data.get("max_new", 32), MAX_NEW),
        temperature=data.get("temperature", 0),
        seed=data.get("seed", 0),
        top_k=data.get("top_k", 0),
        top_p=data.get("top_p", 1),
        repetition_penalty=data.get("repetition_penalty", 1),
        stop=data.get("stop", []),
    )
    tokens = len(model.encode(text, specials=False))
    events.emit("pair.answer", {"prompt_tokens": len(ids), "tokens": tokens})
    return {"text": text, "tokens": tokens}
