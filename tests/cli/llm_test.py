"""`ferry llm`, `ferry chat`: import, logits, generation, perplexity, speed; conversations from a pipe; bad input."""
import json
import math
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import fixture
import language

TEXT = "The old man looked out upon the sea, and the ship went on. " * 40


class LlmTest(fixture.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.models = tempfile.TemporaryDirectory(prefix="ferry-llm-")
        cls.tiny = language.write_tiny(pathlib.Path(cls.models.name) / "tiny")

    @classmethod
    def tearDownClass(cls):
        cls.models.cleanup()

    def logits(self, model, ids, *more):
        out = self.folder / "logits.npy"
        shown = self.good("llm", "logits", model, "--ids", ",".join(map(str, ids)), "--out", out, *more)
        shape, values = language.read_npy(out)
        self.assertEqual(shown["shape"], shape)
        self.assertEqual(shape, [len(ids), len(values) // len(ids)])
        return [values[i * shape[1]:(i + 1) * shape[1]] for i in range(len(ids))]


class CommandsTest(LlmTest):
    def test_every_command_has_help_with_an_example(self):
        for command in ("llm describe", "llm import", "llm logits", "llm generate", "llm ppl", "llm bench", "chat", "serve"):
            done = self.ferry(*command.split(), "--help")
            self.assertEqual(done.status, 0, command)
            self.assertIn(f"Example:\n  ferry {command}", done.out)

    def test_logits_do_not_depend_on_threads_or_on_what_follows(self):
        ids = [(7 * i) % 250 for i in range(70)]
        whole = self.logits(self.tiny, ids, "--threads", 1)
        self.assertEqual(whole, self.logits(self.tiny, ids, "--threads", 2))
        self.assertEqual(whole[:9], self.logits(self.tiny, ids[:9]))
        self.assertEqual(len(whole[0]), language.VOCABULARY)
        self.assertTrue(all(math.isfinite(value) for row in whole for value in row))

    def test_what_sees_or_hears_is_refused_by_name(self):
        for option, what in (("--image-npy", "images"), ("--mel-npy", "sound")):
            said = self.bad("unsupported", "llm", "logits", self.tiny, "--ids", "1,2", "--out", self.folder / "x.npy",
                            option, self.folder / "x")
            self.assertRegex(said, f"{option}: .*tiny takes text alone.*no {what}")

    def test_chunks_change_no_bit(self):
        ids = [(5 * i) % 250 for i in range(40)]
        self.assertEqual(self.logits(self.tiny, ids, "--chunk", 1), self.logits(self.tiny, ids, "--chunk", 33))

    def test_few_bits_by_name_and_what_they_cost(self):
        rules = self.folder / "layers.json"
        rules.write_text(json.dumps([{"match": "*.mlp.down_proj.weight", "type": "i8", "group": 0}]))
        sizes = {}
        for kind in ("i8", "i4", "i2"):
            out = self.folder / f"{kind}.flm"
            shown = self.good("llm", "import", self.tiny, "-o", out, "--type", kind, "--embedding", kind, "--layers", rules)
            self.assertEqual(shown["type"], f"{kind}/32")
            sizes[kind] = shown["weight_bytes"]
            exact, fast = (self.logits(out, [1, 2, 3], *more) for more in ([["--exact"], []]))
            self.assertNotEqual(exact, fast)
        self.assertLess(sizes["i4"], 0.7 * sizes["i8"])
        self.assertLess(sizes["i2"], sizes["i4"])
        done = self.ferry("llm", "import", self.tiny, "-o", self.folder / "x.flm", "--type", "i5")
        self.assertNotEqual(done.status, 0)
        self.assertIn("there are i8, i4, i3, i2", done.err)
        done = self.ferry("llm", "import", self.tiny, "-o", self.folder / "x.flm", "--type", "i4", "--method", "awful")
        self.assertIn("rtn", done.err)
        self.assertFalse((self.folder / "x.flm").exists())

    def test_an_import_is_compared_with_its_source(self):
        text = self.folder / "text.txt"
        text.write_text(TEXT)
        shown = self.good("llm", "import", self.tiny, "-o", self.folder / "c.flm", "--type", "i8", "--compare", text)["compare"]
        self.assertGreaterEqual(shown["tokens"], 512)
        self.assertLess(abs(shown["perplexity"] / shown["source_perplexity"] - 1), 0.05)
        self.assertGreater(shown["kl"], 0)
        worse = self.good("llm", "import", self.tiny, "-o", self.folder / "c.flm", "--type", "i2", "--compare", text)["compare"]
        self.assertGreater(worse["kl"], 10 * shown["kl"])
        self.assertLess(worse["same_top"], shown["same_top"])
        self.assertEqual(worse["source_perplexity"], shown["source_perplexity"])

    def test_what_is_quantised_is_kept_and_scaled_columns_want_a_text(self):
        first, second = self.folder / "first.flm", self.folder / "second.flm"
        made = self.good("llm", "import", self.tiny, "-o", first, "--type", "i4")
        kept = self.good("llm", "import", first, "-o", second)
        self.assertEqual((kept["weight_bytes"], kept["digest"]), (made["weight_bytes"], made["digest"]))
        done = self.ferry("llm", "import", first, "-o", second, "--embedding", "i8")
        self.assertIn("want --type", done.err)
        self.assertEqual(self.good("llm", "import", self.tiny, "-o", second)["type"], "int8")
        self.assertEqual(self.good("llm", "import", self.tiny, "-o", second, "--type", "f16")["weights"], "f16")
        done = self.ferry("llm", "import", self.tiny, "-o", second, "--type", "i4", "--method", "awq")
        self.assertIn("wants --calibration", done.err)
        text = self.folder / "calibration.txt"
        text.write_text(TEXT)
        scaled = self.good("llm", "import", self.tiny, "-o", second, "--type", "i4", "--method", "awq", "--calibration", text)
        self.assertNotEqual(scaled["digest"], made["digest"])

    def test_a_description_runs_a_model_type_that_nobody_knows(self):
        described = self.good("llm", "describe", self.tiny)
        self.assertEqual(described["family"], "qwen3")
        self.assertEqual(sum(layer["count"] for layer in described["layer"]), 2)
        tomorrow = self.folder / "tomorrow"
        shutil.copytree(self.tiny, tomorrow)
        config = json.loads((tomorrow / "config.json").read_text())
        (tomorrow / "config.json").write_text(json.dumps({**config, "model_type": "qwen9"}))
        done = self.ferry("llm", "logits", tomorrow, "--ids", "1,2", "--out", self.folder / "no.npy")
        self.assertIn('the nearest is "qwen2"', done.err)
        for text in (json.dumps(described), "base: qwen3\n"):
            arch = self.folder / "arch.txt"
            arch.write_text(text)
            self.assertEqual(self.logits(tomorrow, [1, 2, 3], "--arch", arch), self.logits(self.tiny, [1, 2, 3]))
            model = self.folder / "tomorrow.flm"
            self.good("llm", "import", tomorrow, "--arch", arch, "-o", model, "--type", "f32")
            self.assertEqual(self.logits(model, [1, 2, 3], "--exact"), self.logits(self.tiny, [1, 2, 3]))
        self.assertIn("has a description of its own", self.ferry("llm", "describe", model, "--arch", arch).err)
        arch.write_text("base: qwen3\nhiden = 3\n")
        done = self.ferry("llm", "describe", tomorrow, "--arch", arch)
        self.assertIn('given:2: no member "hiden" is known; did you mean "hidden"?', done.err)
        self.assertIn("layers 0 to 1:", self.ferry("llm", "describe", self.tiny).out)

    def test_greedy_text_is_the_argmax_of_the_logits(self):
        prompt = [10, 20, 30]
        shown = self.good("llm", "generate", self.tiny, "--ids", "10, 20,30", "--max-new", 12, "--greedy")
        ids = shown["ids"]
        self.assertEqual(len(ids), 12)
        rows = self.logits(self.tiny, prompt + ids)
        for i, token in enumerate(ids):
            row = rows[len(prompt) - 1 + i]
            self.assertEqual(token, max(range(len(row)), key=row.__getitem__))
        self.assertEqual((shown["reason"], shown["prompt_tokens"]), ("length", 3))
        self.assertGreater(shown["tokens_per_s"], 0)
        self.assertIsInstance(shown["text"], str)

    def test_the_seed_decides_the_text(self):
        def ids(*options):
            return self.good("llm", "generate", self.tiny, "--prompt", "the man", "--max-new", 24, *options)["ids"]
        greedy = ids()
        self.assertEqual(greedy, ids("--greedy"))
        self.assertEqual(greedy, ids("--temperature", 0, "--seed", 5))
        self.assertEqual(greedy, ids("--temperature", 1, "--seed", 5, "--top-k", 1))
        sampled = ids("--seed", 5, "--temperature", 1)
        self.assertEqual(sampled, ids("--seed", 5, "--temperature", 1, "--threads", 1))
        self.assertEqual(sampled, ids("--seed", 5))
        self.assertNotEqual(sampled, ids("--seed", 6))
        self.assertNotEqual(sampled, greedy)
        random = [self.good("llm", "generate", self.tiny, "--ids", 1, "--max-new", 1, "--temperature", 1)["seed"] for _ in range(2)]
        self.assertNotEqual(*random)

    def test_text_comes_as_it_is_made(self):
        as_json = self.good("llm", "generate", self.tiny, "--prompt", "the", "--max-new", 9)
        done = self.ferry("llm", "generate", self.tiny, "--prompt", "the", "--max-new", 9)
        self.assertEqual(done.out, as_json["text"] + "\n")
        self.assertIn("9 tokens after 1", done.err)
        file = self.folder / "prompt.txt"
        file.write_text("the")
        self.assertEqual(self.good("llm", "generate", self.tiny, "--prompt-file", file, "--max-new", 9)["ids"], as_json["ids"])

    def test_ids_need_no_tokenizer(self):
        bare = language.write_tiny(self.folder / "bare", with_tokenizer=False)
        shown = self.good("llm", "generate", bare, "--ids", "1,2", "--max-new", 4)
        self.assertEqual((len(shown["ids"]), shown["text"]), (4, None))
        done = self.ferry("llm", "generate", bare, "--ids", "1,2", "--max-new", 4)
        self.assertEqual(done.out, ",".join(map(str, shown["ids"])) + "\n")
        self.bad("failed_precondition", "llm", "generate", bare, "--prompt", "x")
        self.bad("failed_precondition", "llm", "ppl", bare, "--text", __file__)

    def test_end_tokens_end_unless_they_are_ignored(self):
        folder = language.write_tiny(self.folder / "ending")
        greedy = self.good("llm", "generate", folder, "--ids", "5,6", "--max-new", 8)["ids"]
        config = json.loads((folder / "config.json").read_text())
        stop = next(i for i in range(8) if greedy[i] not in greedy[:i] and i > 0)
        (folder / "config.json").write_text(json.dumps({**config, "eos_token_id": [greedy[stop]]}))
        shown = self.good("llm", "generate", folder, "--ids", "5,6", "--max-new", 8)
        self.assertEqual((shown["ids"], shown["reason"]), (greedy[:stop + 1], "stop"))
        self.assertEqual(self.good("llm", "generate", folder, "--ids", "5,6", "--max-new", 8, "--ignore-eos")["ids"], greedy)

    def test_import_keeps_what_the_folder_says(self):
        exact = self.folder / "exact.flm"
        shown = self.good("llm", "import", self.tiny, "-o", exact, "--type", "f32")
        self.assertEqual((shown["bytes"], shown["weights"], shown["source_weights"]), (exact.stat().st_size, "f32", "f32"))
        self.assertTrue(shown["tokenizer"] and shown["chat_template"])
        ids = [1, 2, 3, 4]
        self.assertEqual(self.logits(exact, ids, "--exact"), self.logits(self.tiny, ids))
        # Keys and values in half precision, as model files have them unless told.
        self.assertEqual(self.logits(exact, ids), self.logits(self.tiny, ids, "--kv", "f16"))
        small = self.folder / "small.flm"
        self.assertEqual(self.good("llm", "import", self.tiny, "-o", small)["weights"], "int8")
        self.assertLess(small.stat().st_size, exact.stat().st_size)
        apart = max(abs(a - b) for left, right in zip(self.logits(small, ids), self.logits(exact, ids)) for a, b in zip(left, right))
        self.assertTrue(0 < apart < 0.3, apart)
        again = self.folder / "again.flm"
        self.assertEqual(self.good("llm", "import", self.tiny, "-o", again)["digest"], self.good("llm", "import", self.tiny, "-o", small)["digest"])
        self.assertEqual(again.read_bytes(), small.read_bytes())
        self.assertEqual(self.good("llm", "generate", exact, "--prompt", "the", "--max-new", 5)["ids"],
                         self.good("llm", "generate", self.tiny, "--prompt", "the", "--max-new", 5)["ids"])

    def test_perplexity_is_that_of_the_logits(self):
        text = self.folder / "text.txt"
        text.write_text(TEXT)
        shown = self.good("llm", "ppl", self.tiny, "--text", text, "--window", 40, "--windows", 2)
        ids = json.loads(subprocess.run([fixture.PROGRAM, "tokenize", self.tiny], input=TEXT, capture_output=True, text=True,
                                        check=True, timeout=60).stdout)
        self.assertEqual(shown["text_tokens"], len(ids))
        total = 0.0
        for window in range(2):
            part = ids[40 * window:40 * window + 41]
            for row, token in zip(self.logits(self.tiny, part), part[1:]):
                top = max(row)
                total += top + math.log(sum(math.exp(value - top) for value in row)) - row[token]
        self.assertAlmostEqual(shown["perplexity"], math.exp(total / 80), places=4)
        self.assertEqual((shown["tokens"], shown["windows"]), (80, 2))
        all_windows = self.good("llm", "ppl", self.tiny, "--text", text, "--window", 100)
        self.assertEqual(all_windows["windows"], (len(ids) - 1) // 100)
        self.assertIn("windows of 100", self.bad("invalid_argument", "llm", "ppl", self.tiny, "--text", text, "--window", 100,
                                                 "--windows", 999))

    def test_bench(self):
        shown = self.good("llm", "bench", self.tiny, "--threads", 1, "--prompt", 16, "--gen", 8)
        self.assertEqual((shown["threads"], shown["prompt"], shown["gen"]), (1, 16, 8))
        for key in ("prefill_tokens_per_s", "decode_tokens_per_s", "tokens_per_s", "weights_gb_per_s", "peak_bytes", "weight_bytes"):
            self.assertGreater(shown[key], 0, key)
        self.assertEqual(set(shown["pass_ms"]), {"1", "2", "4", "8", "16", "32"})
        self.assertIn("tokens/s", self.ferry("llm", "bench", self.tiny, "--prompt", 16, "--gen", 8).out)


class BadInputTest(LlmTest):
    def test_prompts(self):
        out = self.folder / "x.npy"
        self.assertIn("999", self.bad("invalid_argument", "llm", "generate", self.tiny, "--ids", "1,999"))
        self.assertIn("-1", self.bad("invalid_argument", "llm", "logits", self.tiny, "--ids=-1", "--out", out))
        for ids in ("1,,2", "1,a", " ", "99999999999"):
            self.assertIn("no token id", self.bad("invalid_argument", "llm", "logits", self.tiny, f"--ids={ids}", "--out", out))
        self.assertFalse(out.exists())
        self.bad("invalid_argument", "llm", "generate", self.tiny, "--prompt", "")
        broken = self.folder / "broken.txt"
        broken.write_bytes(b"abc\xffdef")
        self.bad("malformed", "llm", "generate", self.tiny, "--prompt-file", broken)
        self.bad("malformed", "llm", "ppl", self.tiny, "--text", broken)
        self.bad("not_found", "llm", "ppl", self.tiny, "--text", self.folder / "none.txt")
        long = ",".join(["1"] * (language.CONTEXT + 1))
        self.assertIn(str(language.CONTEXT), self.bad("limit_exceeded", "llm", "generate", self.tiny, "--ids", long))
        self.assertEqual(self.ferry("llm", "generate", self.tiny, "--ids", "1", "--prompt", "x").status, 2)
        self.assertEqual(self.ferry("llm", "generate", self.tiny).status, 2)

    def test_the_context_ends_a_text(self):
        ids = ",".join(["1"] * (language.CONTEXT - 3))
        shown = self.good("llm", "generate", self.tiny, "--ids", ids, "--max-new", 50)
        self.assertEqual((shown["reason"], len(shown["ids"])), ("context", 3))

    def test_samplers_and_machines(self):
        for options in (["--temperature", "-1"], ["--temperature", "nan"], ["--seed", "1", "--top-p", "0"], ["--seed", "1", "--top-k", "-1"],
                        ["--seed", "1", "--repetition-penalty", "0"], ["--greedy", "--temperature", "1"]):
            self.bad("invalid_argument", "llm", "generate", self.tiny, "--ids", "1", *options)
        for seed in ("-1", "18446744073709551616", "x"):
            self.assertEqual(self.ferry("llm", "generate", self.tiny, "--ids", "1", "--seed", seed).status, 2)
        self.bad("invalid_argument", "llm", "generate", self.tiny, "--ids", "1", "--isa", "mmx")
        self.assertEqual(self.ferry("llm", "generate", self.tiny, "--ids", "1", "--threads", "0").status, 2)

    def test_models(self):
        self.bad("not_found", "llm", "generate", self.folder / "none", "--ids", "1")
        file = self.folder / "tiny.flm"
        self.good("llm", "import", self.tiny, "-o", file)
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        self.assertIn("tiny.flm", self.bad("bad_model", "llm", "generate", file, "--ids", "1"))
        folder = language.write_tiny(self.folder / "odd")
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "model_type": "odd_net"}))
        line = self.bad("unsupported", "llm", "generate", folder, "--ids", "1")
        self.assertIn("odd_net", line)
        self.assertIn("qwen3", line)

    def test_logits_that_are_no_numbers_have_no_perplexity(self):
        folder = language.write_tiny(self.folder / "wild")
        made = language.tensors(1, 2)
        shape, values = made["model.layers.0.self_attn.q_proj.weight"]
        made["model.layers.0.self_attn.q_proj.weight"] = shape, type(values)("f", [3e38] * len(values))
        (folder / "model.safetensors").write_bytes(language.safetensors(made))
        text = self.folder / "text.txt"
        text.write_text("the man and the end " * 20)
        line = self.bad("bad_model", "llm", "ppl", folder, "--text", text, "--window", 16, "--windows", 1)
        self.assertIn("window 1", line)

    def test_memory_for_keys_and_values(self):
        # 1 MiB holds 2048 positions of 2 layers, 2 heads, 16 numbers: the tiny model never needs more, so it runs.
        self.good("llm", "generate", self.tiny, "--ids", "1", "--max-new", 4, "--kv-mb", 1)

    def test_keys_and_values_beyond_their_memory_lie_in_a_file(self):
        # 24 layers of 2 heads x 16 numbers: 6 KiB a position, so 1 MiB holds about 170 of 300 positions.
        deep = language.write_tiny(self.folder / "deep", layers=24)
        asked = "llm", "generate", deep, "--ids", ",".join(str(3 + i * 7 % 200) for i in range(300)), "--max-new", 8, "--greedy"
        wanted = self.good(*asked)["ids"]
        self.assertIn("KV cache", self.bad("out_of_memory", *asked, "--kv-mb", 1))
        spilled = self.ferry(*asked, "--kv-mb", 1, "--spill", self.folder, "--json")
        if "lie in memory" in spilled.err:
            self.skipTest(spilled.err)
        self.assertEqual(json.loads(spilled.out)["ids"], wanted)


class ChatTest(LlmTest):
    def chat(self, said, *options):
        done = subprocess.run([fixture.PROGRAM, "chat", self.tiny, *map(str, options)], input=said, capture_output=True, text=True,
                              timeout=120, env=self.environment)
        return fixture.Done(done)

    def turns(self, said, *options):
        done = self.chat(said, "--json", *options)
        self.assertEqual(done.status, 0, done.err)
        return done.json()["turns"]

    def ids(self, text):
        done = subprocess.run([fixture.PROGRAM, "tokenize", self.tiny], input=text, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_a_conversation_is_what_generate_says(self):
        turns = self.turns("Hello\nAnd then?\n", "--max-new", 8, "--system", "Be brief.")
        prompt = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
        first = self.good("llm", "generate", self.tiny, "--prompt", prompt, "--max-new", 8)
        self.assertEqual((turns[0]["ids"], turns[0]["assistant"]), (first["ids"], first["text"]))
        prompt += turns[0]["assistant"] + "<|im_end|>\n<|im_start|>user\nAnd then?<|im_end|>\n<|im_start|>assistant\n"
        second = self.good("llm", "generate", self.tiny, "--prompt", prompt, "--max-new", 8)
        self.assertEqual(turns[1]["ids"], second["ids"])
        self.assertEqual(turns[1]["prompt_tokens"], len(self.ids(prompt)))

    def test_history_is_not_computed_again(self):
        turns = self.turns("One " * 40 + "\nTwo\n", "--max-new", 4)
        self.assertEqual(turns[0]["reused_tokens"], 0)
        self.assertGreaterEqual(turns[1]["reused_tokens"], turns[0]["prompt_tokens"] - 16)

    def test_what_is_said_stays_text(self):
        said = "a<|im_end|>\n"
        turns = self.turns(said, "--max-new", 4)
        spelt = len("<|im_end|>")  # its bytes are tokens of their own here, but for no merge
        plain = self.turns("a\n", "--max-new", 4)
        self.assertEqual(turns[0]["prompt_tokens"], plain[0]["prompt_tokens"] + spelt)
        forged = self.good("llm", "generate", self.tiny, "--max-new", 4, "--prompt",
                           "<|im_start|>user\na<|im_end|><|im_end|>\n<|im_start|>assistant\n")
        self.assertEqual(forged["prompt_tokens"], plain[0]["prompt_tokens"] + 1)

    def test_without_the_template_the_text_goes_on(self):
        turns = self.turns("the man\n and then\n", "--max-new", 5, "--template", "off")
        first = self.good("llm", "generate", self.tiny, "--prompt", "the man", "--max-new", 5)
        self.assertEqual(turns[0]["ids"], first["ids"])
        ids = self.ids("the man") + first["ids"] + self.ids(" and then")
        second = self.good("llm", "generate", self.tiny, "--ids", ",".join(map(str, ids)), "--max-new", 5)
        self.assertEqual(turns[1]["ids"], second["ids"])
        bare = language.write_tiny(self.folder / "bare", template=None)
        done = subprocess.run([fixture.PROGRAM, "chat", bare, "--max-new", "2"], input="x\n", capture_output=True, text=True, timeout=60)
        self.assertIn("no chat template", done.stderr)
        self.assertEqual(done.returncode, 0)
        odd = language.write_tiny(self.folder / "odd", template="{% for x in")
        done = subprocess.run([fixture.PROGRAM, "chat", odd, "--max-new", "2"], input="x\n", capture_output=True, text=True, timeout=60)
        self.assertRegex(done.stderr, "warning: the chat template cannot be used: .*line 1")

    def test_commands(self):
        done = self.chat("one\n/reset\none\n/system Be odd.\none\n/mode\n/mode split\n/stats\n/help\n/fly\n//two\n/quit\nnever\n",
                         "--max-new", 3, "--json")
        turns = done.json()["turns"]
        self.assertEqual([turn["user"] for turn in turns], ["one", "one", "one", "/two"])
        self.assertEqual(turns[0]["ids"], turns[1]["ids"])
        self.assertGreater(turns[2]["prompt_tokens"], turns[1]["prompt_tokens"])
        for remark in ("local", "unsupported", "passes", "/reset", "/fly is no command"):
            self.assertIn(remark, done.err)

    def test_a_turn_too_long_fails_alone(self):
        done = self.chat("x" * 3 * language.CONTEXT + "\nshort\n", "--max-new", 3, "--json")
        turns = json.loads(done.out)["turns"]
        self.assertEqual(turns[0]["error"]["name"], "limit_exceeded")
        self.assertEqual(len(turns[1]["ids"]), 3)
        self.assertEqual(done.status, 1)

    def talk(self, *options):
        process = subprocess.Popen([fixture.PROGRAM, "chat", *map(str, options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment)
        self.addCleanup(process.kill)
        return process

    def test_text_streams_and_an_interrupt_stops_the_answer(self):
        slow = language.write_tiny(self.folder / "slow", layers=24)
        process = self.talk(slow, "--max-new", 450, "--template", "off", "--threads", 1)
        process.stdin.write(b"the\n")
        process.stdin.flush()
        self.assertTrue(process.stdout.read(1))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(b"/stats\n", timeout=60)
        self.assertEqual(process.returncode, 0, err)
        stats = next(json.loads(line) for line in err.decode().splitlines() if line.startswith("{"))
        self.assertEqual(stats["finished"], 1)
        self.assertTrue(1 <= stats["passes"] < 400, stats)
        self.assertTrue(out)

    def test_a_second_interrupt_leaves(self):
        process = self.talk(self.tiny, "--max-new", 1)
        process.stdin.write(b"the\n")
        process.stdin.flush()
        self.assertTrue(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        while b"Ctrl-C again" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 0)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


@unittest.skipIf(language.trained() is None, "the trained pair is not at hand (FERRY_LM_PAIR)")
class PairTest(LlmTest):
    def test_greedy_texts_and_logits_are_the_golden_ones(self):
        for side in ("draft", "target"):
            folder = language.trained() / side
            golden = language.read_safetensors(folder / "golden.safetensors")
            prompt, greedy = list(golden["ids_0"][1]), list(golden["greedy_0"][1])
            shown = self.good("llm", "generate", folder, "--ids", ",".join(map(str, prompt)), "--max-new", 48, "--greedy")
            self.assertEqual(prompt + shown["ids"], greedy, side)
            text = json.loads((language.trained() / "stats.json").read_text())["prompts"][1]
            shown = self.good("llm", "generate", folder, "--prompt", text, "--max-new", 48)
            self.assertEqual(list(golden["ids_1"][1]) + shown["ids"], list(golden["greedy_1"][1]), side)
            shape, wanted = golden["logits_0"]
            rows = self.logits(folder, prompt)
            got = [value for row in rows for value in row]
            self.assertEqual(len(got), len(wanted))
            largest = max(map(abs, wanted))
            self.assertLessEqual(max(abs(a - b) for a, b in zip(got, wanted)), 2e-5 * largest, side)

    def test_perplexity_of_the_first_windows(self):
        shared = language.trained()
        shown = self.good("llm", "ppl", shared / "draft", "--text", shared / "valid_head.txt", "--window", 512, "--windows", 2)
        self.assertEqual((shown["tokens"], shown["text_tokens"]), (1024, 10241))
        self.assertTrue(30 < shown["perplexity"] < 80, shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
