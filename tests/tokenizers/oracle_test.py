"""`ferry tokenize` and `ferry template` beside Hugging Face's own tokenizers and Jinja for JavaScript.

Needs node and the packages of package.json: `npm ci --ignore-scripts` or `npm install` in any folder, which
FERRY_NODE_MODULES names (its node_modules). Skips loudly without them.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = pathlib.Path(os.environ.get("FERRY_BIN", "build/release/bin")).resolve() / "ferry"
DATA = pathlib.Path(os.environ.get("FERRY_TESTDATA", ROOT.parent / "shared" / "testdata")) / "tokenizers.tar.xz"
MODULES = pathlib.Path(os.environ.get("FERRY_NODE_MODULES", ROOT / "build" / "tokenizers" / "node_modules"))
TEXTS = [json.loads(line) for line in (HERE / "texts.txt").read_text().splitlines()]
MARK = "\u2581"


def why_not():
    if shutil.which("node") is None:
        return "node is not installed"
    if not (MODULES / "@huggingface").is_dir():
        return f"{MODULES} lacks @huggingface/tokenizers and @huggingface/jinja (FERRY_NODE_MODULES)"
    return None


def oracle(request):
    done = subprocess.run(["node", HERE / "oracle.mjs", MODULES.parent], input=json.dumps(request).encode(),
                          capture_output=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode(errors="replace"))
    return json.loads(done.stdout)


def ferry(*arguments, data=b""):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=data, capture_output=True, timeout=120)


def words(seed, count):
    """Random texts of a few letters, with spaces in all places."""
    source = random.Random(seed)
    return ["".join(source.choice("aabbccde  .\u00e9") for _ in range(source.randrange(40))) for _ in range(count)]


def pieces(seed, count, before=""):
    source = random.Random(seed)
    found = dict.fromkeys("abcde.")
    while len(found) < count:
        found[(before if source.random() < 0.4 else "") + "".join(source.choice("abcde") for _ in range(source.randrange(1, 5)))] = None
    return list(found)


def bpe(normalizer, pre_tokenizer, seed=1):
    """SentencePiece's BPE as tokenizer.json, with merges that can happen."""
    source = random.Random(seed)
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), MARK, *"abcde."]
    merges = []
    parts = tokens[257:]
    while len(merges) < 60:
        left, right = source.choice(parts), source.choice(parts)
        if len(left + right) > 8 or [left, right] in merges:
            continue
        merges.append([left, right])
        if left + right not in tokens:
            tokens.append(left + right)
            parts.append(left + right)
    return {"version": "1.0", "added_tokens": [], "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
            "post_processor": None, "decoder": {"type": "ByteFallback"},
            "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
                      "vocab": {token: place for place, token in enumerate(tokens)}, "merges": merges}}


SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
OWN = {
    "llama": lambda: bpe({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": MARK}, SPACES]}, None),
    "gemma": lambda: bpe(SPACES, {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}),
    "mistral": lambda: bpe(None, {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": False}),
    "unigram": lambda: {
        "version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
        "pre_tokenizer": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True},
        "decoder": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": False,
                  "vocab": [["<unk>", 0.0], [MARK, -4.0], *([piece, -2.0 - place * 0.07] for place, piece in enumerate(pieces(2, 60, MARK)))]}},
    "bert": lambda: {
        "version": "1.0", "added_tokens": [], "post_processor": None,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                  "vocab": {piece: place for place, piece in enumerate(["[UNK]", *pieces(3, 50, "##")])}}},
}


@unittest.skipIf(why_not(), f"SKIPPED: {why_not()}")
class OracleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="ferry-oracle-")
        cls.folder = pathlib.Path(cls.scratch.name)
        if DATA.exists():
            with tarfile.open(DATA) as archive:
                archive.extractall(cls.folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def compare(self, file, texts):
        """All texts in one file each, ids as the oracle has them."""
        for text, wanted in zip(texts, oracle({"tokenizer": str(file), "texts": texts})):
            done = ferry("tokenize", file, data=text.encode())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout), wanted, f"{file.name}: {text!r}")

    def test_own_tokenizers(self):
        for name, make in OWN.items():
            file = self.folder / f"{name}.json"
            file.write_text(json.dumps(make()))
            with self.subTest(name):
                self.compare(file, words(7, 25))

    def test_published_tokenizers(self):
        if not DATA.exists():
            self.skipTest(f"SKIPPED: {DATA} is absent")
        files = sorted((self.folder / "tokenizers" / "hf").glob("*.tokenizer.json"))
        self.assertEqual(len(files), 4)
        for file in files:
            with self.subTest(file.name):
                self.compare(file, TEXTS)

    def test_published_templates(self):
        if not DATA.exists():
            self.skipTest(f"SKIPPED: {DATA} is absent")
        conversations = json.loads((HERE / "conversations.json").read_text())
        files = sorted((self.folder / "tokenizers" / "chat-templates").glob("*.jinja"))
        self.assertEqual(len(files), 10)
        rendered = 0
        for file in files:
            for generation in (False, True):
                variables = [{"bos_token": "<s>", "eos_token": "</s>", **one, "add_generation_prompt": generation} for one in conversations]
                for one, wanted in zip(conversations, oracle({"template": str(file), "variables": variables})):
                    with self.subTest(file.name, messages=one["messages"], generation=generation):
                        rendered += self.compare_rendering(file, one, generation, wanted)
        self.assertGreater(rendered, 70)

    def compare_rendering(self, file, conversation, generation, wanted):
        chat, more = self.folder / "chat.json", self.folder / "more.json"
        chat.write_text(json.dumps(conversation))
        more.write_text(json.dumps({"bos_token": "<s>", "eos_token": "</s>"}))
        done = ferry("template", file, "--messages", chat, "--variables", more, *(["--generation-prompt"] if generation else []))
        # Where the oracle is no Jinja: loops over nothing, tuples in a loop's target, an object behind a text.
        if any(word in str(wanted) for word in ("UndefinedValue", "NullValue", "TupleValue", "[object Object]")):
            return 0
        if isinstance(wanted, dict):  # the template refuses these messages
            self.assertEqual(done.returncode, 1, f"{wanted['error']}: {done.stdout!r}")
            return 0
        if b"a string + a dict" in done.stderr:
            return 0  # Python refuses it, JavaScript does not
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.decode(), wanted)
        return 1


if __name__ == "__main__":
    unittest.main()
