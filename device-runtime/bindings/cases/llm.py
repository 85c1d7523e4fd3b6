from ferry import llm


def fails(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
        return
    assert False, "no " + text


m = llm.load("tiny")
assert repr(m) == "LanguageModel(tiny)"
assert m.vocabulary > 256
assert m.context == 512
assert len(m.end_tokens) >= 1

# Text to ids and back.
ids = m.encode("once upon a time")
assert len(ids) > 3
assert m.decode(ids) == "once upon a time"
assert m.encode("") == []
assert m.decode([]) == ""
special = m.encode("<|im_end|>")
assert len(special) == 1
assert len(m.encode("<|im_end|>", specials=False)) > 1
assert m.decode(special) == "<|im_end|>"
assert m.decode(special, skip_specials=True) == ""

# The same question gives the same answer; other seeds give others.
greedy = m.generate("once", max_new=12)
assert greedy == m.generate(m.encode("once"), max_new=12, temperature=0)
texts = [m.generate("once", max_new=12, temperature=1.0, seed=k) for k in range(4)]
assert texts[0] == m.generate("once", max_new=12, temperature=1.0, seed=0)
assert len(set(texts)) > 1
assert m.generate("once", max_new=0) == ""
m.generate("once", max_new=4, temperature=0.7, seed=-1, top_k=5, top_p=0.9, repetition_penalty=1.1)

# A stop text ends the answer and is not part of it.
long = m.generate("once", max_new=40, temperature=1.0, seed=2)
assert len(long) > 4
stop = long[3:5]
assert m.generate("once", max_new=40, temperature=1.0, seed=2, stop=[stop]) == long[: long.find(stop)]

# A session keeps what it read, and forgets by truncating.
s = m.session(context=64)
assert len(s) == 0 and s.context == 64
s.append("once")
n = len(s)
assert s.tokens == m.encode("once")
first = s.argmax()
assert 0 <= first < m.vocabulary
assert s.generate(max_new=12) == greedy
s.truncate(n)
assert len(s) == n
assert s.argmax() == first
s.append([first])
assert s.tokens == m.encode("once") + [first]
s.generate(max_new=1000)  # up to the context
assert len(s) <= 64

# What a task may pass in by mistake or on purpose.
fails(LookupError, "no language model", lambda: llm.load("nothing"))
fails(TypeError, "", lambda: llm.load(3))
fails(TypeError, "", lambda: m.encode(3))
fails(TypeError, "", lambda: m.decode("text"))
fails(TypeError, "a token id", lambda: m.decode(["x"]))
fails(ValueError, "vocabulary", lambda: m.decode([m.vocabulary]))
fails(ValueError, "vocabulary", lambda: m.decode([-1]))
fails(TypeError, "", lambda: m.decode([1 << 80]))
fails(ValueError, "no tokens", lambda: m.generate(""))
fails(ValueError, "no tokens", lambda: m.generate([]))
fails(TypeError, "", lambda: m.generate(None))
fails(TypeError, "", lambda: m.generate("x", 5))
fails(TypeError, "unexpected keyword", lambda: m.generate("x", colour="red"))
fails(RuntimeError, "context", lambda: m.generate([1] * 600))
fails(ValueError, "max_new", lambda: m.generate("x", max_new=-1))
fails(ValueError, "temperature", lambda: m.generate("x", temperature=-1))
fails(ValueError, "temperature", lambda: m.generate("x", temperature=float("nan")))
fails(ValueError, "top_p", lambda: m.generate("x", top_p=0))
fails(ValueError, "top_k", lambda: m.generate("x", top_k=-2))
fails(ValueError, "penalty", lambda: m.generate("x", repetition_penalty=0))
fails(TypeError, "seed", lambda: m.generate("x", seed=0.5))
fails(ValueError, "stop", lambda: m.generate("x", stop=[""]))
fails(ValueError, "stop", lambda: m.generate("x", stop=["a"] * 17))
fails(TypeError, "stop", lambda: m.generate("x", stop=[1]))
fails(ValueError, "a sequence of", lambda: m.session(context=0))
fails(ValueError, "a sequence of", lambda: m.session(context=513))
fails(ValueError, "truncate", lambda: s.truncate(-1))
fails(ValueError, "truncate", lambda: s.truncate(len(s) + 1))
fails(ValueError, "append a prompt", lambda: m.session(context=4).generate())
fails(ValueError, "append a prompt", lambda: m.session(context=4).argmax())
fails(RuntimeError, "pass the sequence", lambda: m.session(context=4).append([1] * 5))
fails(TypeError, "LanguageModel", lambda: type(m).encode(5, "x"))
fails(TypeError, "LanguageSession", lambda: llm.LanguageSession.argmax(m))
