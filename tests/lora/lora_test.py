"""Adapters on the command line: --lora wherever a model runs, import of PEFT folders, description, packages, bad input."""
import concurrent.futures
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tools/demo")]
import fixture  # noqa: E402
import language  # noqa: E402
from serve_test import Served  # noqa: E402
from adapter import shapes_of, write_adapter  # noqa: E402

IDS = "1,2,3,4,5,6,7,8"


class LoraTest(fixture.CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ferry-lora-")
        cls.addClassCleanup(folder.cleanup)
        cls.models = pathlib.Path(folder.name)
        cls.tiny = language.write_tiny(cls.models / "tiny")

    def setUp(self):
        super().setUp()
        shapes = shapes_of(self.good("llm", "describe", self.tiny))
        self.one = write_adapter(self.folder / "one", shapes)
        self.two = write_adapter(self.folder / "two", shapes, rank=3, seed=2)

    def logits(self, *lora, model=None):
        out = self.folder / "logits.npy"
        # Exactly, so that a file keeps its keys and values as a folder does.
        self.good("llm", "logits", model or self.tiny, "--exact", "--ids", IDS, "--out", out, *(part for one in lora for part in ("--lora", one)))
        return language.read_npy(out)[1]

    def refused(self, *command):
        done = self.ferry(*command)
        self.assertNotEqual(done.status, 0)
        return done.err

    def test_names_and_scales(self):
        plain, one = self.logits(), self.logits(self.one)
        self.assertNotEqual(plain, one)
        self.assertEqual(one, self.logits(f"style={self.one}"))
        self.assertEqual(one, self.logits(f"style={self.one}:1"))
        self.assertEqual(plain, self.logits(f"{self.one}:0"))
        half = self.logits(f"{self.one}:0.5")
        self.assertNotIn(half, (plain, one))
        both = self.logits(self.one, f"second={self.two}:0.25")
        self.assertNotIn(both, (plain, one, half))
        self.assertIn("the name is empty", self.refused("llm", "logits", self.tiny, "--ids", IDS, "--out", "x.npy", "--lora", f"={self.one}"))
        self.assertIn("there is no path", self.refused("llm", "logits", self.tiny, "--ids", IDS, "--out", "x.npy", "--lora", "a=:0.5"))

    def test_generate_ppl_and_bench_take_them(self):
        ids = [self.good("llm", "generate", self.tiny, "--ids", IDS, "--max-new", 24, "--greedy", *more)["ids"]
               for more in ([], ["--lora", self.one])]
        self.assertNotEqual(*ids)
        text = self.folder / "text.txt"
        text.write_text("The old man looked out upon the sea, and the ship went on. " * 40)
        values = [self.good("llm", "ppl", self.tiny, "--text", text, "--window", 64, "--windows", 2, *more)["perplexity"]
                  for more in ([], ["--lora", self.one])]
        self.assertNotEqual(*values)
        shown = self.good("llm", "bench", self.tiny, "--prompt", 8, "--gen", 4, "--rounds", 1, "--lora", self.one)
        self.assertEqual(shown["adapters"][0]["rank"], 4)
        self.assertGreater(shown["adapter_step"]["without_ms"], 0)

    def test_import_gives_the_same_bits(self):
        file = self.folder / "one.fla"
        shown = self.good("llm", "import", self.tiny, "--adapter", self.one, "-o", file)
        self.assertEqual(shown["base"], self.good("llm", "import", self.tiny, "-o", self.folder / "t.flm", "--type", "f32")["digest"])
        self.assertEqual(self.logits(file), self.logits(self.one))
        again = self.folder / "again.fla"
        self.good("llm", "import", "--adapter", self.one, "--base", self.tiny, "-o", again)
        self.assertEqual(again.read_bytes(), file.read_bytes())
        # The same model as a file of its own type is the same base; of fewer bits it is another.
        self.assertEqual(self.logits(file, model=self.folder / "t.flm"), self.logits(file))
        small = self.folder / "small.flm"
        digest = self.good("llm", "import", self.tiny, "-o", small, "--type", "i8")["digest"]
        said = self.refused("llm", "logits", small, "--ids", IDS, "--out", self.folder / "x.npy", "--lora", file)
        self.assertIn(digest, said)
        self.assertIn(shown["base"], said)
        self.assertFalse((self.folder / "x.npy").exists())

    def test_describe(self):
        shown = self.good("llm", "describe", self.one)
        self.assertEqual((shown["kind"], shown["base"], len(shown["tensors"])), ("adapter", None, 14))
        self.assertEqual(shown["tensors"][0]["rank"], 4)
        self.assertEqual(shown["tensors"][0]["scale"], 2)
        file = self.folder / "one.fla"
        made = self.good("llm", "import", self.tiny, "--adapter", self.one, "-o", file)
        shown = self.good("llm", "describe", file)
        self.assertEqual((shown["base"], shown["base_name"]), (made["base"], "qwen3"))
        self.assertIn("self_attn.q_proj.weight: rank 4", self.ferry("llm", "describe", file).out)
        self.assertIn("an adapter, not a model", self.refused("llm", "generate", file, "--ids", IDS))

    def test_serve_gives_each_call_its_own(self):
        served = Served(self.tiny, self.environment, "--name", "base", "--lora", f"one={self.one}", "--lora", f"two={self.two}:0.5")
        try:
            names = [card["id"] for card in served.call("GET", "/v1/models")[1]["data"]]
            self.assertEqual(names, ["base", "one", "two"])
            self.assertEqual(served.call("GET", "/v1/models/two")[1]["id"], "two")
            prompt = "The old man looked out"
            body = {"prompt": prompt, "max_tokens": 24, "temperature": 0, "seed": 1}
            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                answers = list(pool.map(lambda name: served.post("/v1/completions", {**body, "model": name}), names * 2))
            for name, (status, answer) in zip(names * 2, answers):
                lora = {"base": [], "one": ["--lora", self.one], "two": ["--lora", f"{self.two}:0.5"]}[name]
                wanted = self.good("llm", "generate", self.tiny, "--prompt", prompt, "--max-new", 24, "--greedy", *lora)["text"]
                self.assertEqual((status, answer["model"], answer["choices"][0]["text"]), (200, name, wanted))
            self.assertEqual(served.post("/v1/completions", {**body, "model": "three"})[0], 404)
        finally:
            served.stop()
        self.assertIn("the name is there twice", self.refused("serve", self.tiny, "--lora", f"a={self.one}", "--lora", f"a={self.two}"))
        self.assertIn("--name", self.refused("serve", self.tiny, "--port", 0, "--lora", f"tiny={self.one}"))

    def test_a_package_of_an_adapter(self):
        file, package = self.folder / "one.fla", self.folder / "style.fpk"
        made = self.good("llm", "import", self.tiny, "--adapter", self.one, "-o", file)
        shown = self.good("pack", file, "--name", "style", "--package-version", "1.0.0", "-o", package)
        self.assertEqual(shown["models"]["style"]["adapter_of"], made["base"])
        self.assertEqual([one["path"] for one in shown["files"]], ["style.fla"])

    def test_what_does_not_fit_is_named(self):
        other = write_adapter(self.folder / "dora", {"model.layers.0.self_attn.q_proj.weight": (64, 32)}, use_dora=True)
        self.assertIn("use_dora", self.refused("llm", "generate", self.tiny, "--ids", IDS, "--lora", other))
        wide = write_adapter(self.folder / "wide", {"model.layers.0.self_attn.q_proj.weight": (64, 33)})
        self.assertIn("q_proj.weight", self.refused("llm", "generate", self.tiny, "--ids", IDS, "--lora", wide))
        self.assertIn("--base", self.refused("llm", "import", self.tiny, "--base", self.tiny, "-o", self.folder / "x.flm"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
