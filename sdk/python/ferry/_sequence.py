"""Sequences of tokens, for apps that choose them themselves."""
from ferry._native import native


class TokenSequence:
    """Tokens on this device with what a model keeps of them: read, cut back, gone on with. One thread at a time."""

    def __init__(self, model, context=0):
        self._vocabulary = model.info["vocabulary"]
        self._handle = native.sequence_create(model._handle, context)

    def append(self, ids):
        native.sequence_append(self._handle, ids)

    def truncate(self, length):
        """Forgets tokens from `length` on."""
        native.sequence_truncate(self._handle, length)

    @property
    def tokens(self):
        return native.sequence_tokens(self._handle)

    @property
    def logits(self):
        """What follows the last token, a float each of the vocabulary, as a memoryview."""
        return memoryview(native.sequence_logits(self._handle, self._vocabulary)).cast("f")

    def generate(self, *, max_new=128, temperature=0.0, seed=0, top_k=0, top_p=1.0, repetition_penalty=1.0,
                 ignore_end=False, on_tokens=None):
        """The text behind what is there, and why it ended: "stop", "length", "context" or "cancelled".

        on_tokens(text, ids) is called with what is new, and ends the generation by a false answer. All tokens but the
        last are in the sequence then.
        """
        return native.sequence_generate(self._handle, (ignore_end, seed, temperature, top_k, top_p, repetition_penalty,
                                                       max_new), on_tokens)

    def __len__(self):
        return len(self.tokens)

    def close(self):
        self._handle.close()
