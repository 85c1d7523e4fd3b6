"""`ferry tokenize`: text to ids and back, special tokens, the same from a folder and from Ferry's own file, bad input.
`ferry template`: a conversation as a model reads it, tools, variables, named templates."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import fixture
import language

TEXT = "A caf\u00e9, \u4e2d\u6587 and \U0001f600;\n\n  end" + language.SPECIALS[0] + "."
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi \u00e9"}]


class TokenizeTest(fixture.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.models = tempfile.TemporaryDirectory(prefix="ferry-tokenize-")
        cls.tiny = language.write_tiny(pathlib.Path(cls.models.name) / "tiny")

    @classmethod
    def tearDownClass(cls):
        cls.models.cleanup()

    def tokenize(self, data, *arguments, status=0):
        """Standard output of one run on `data` (bytes)."""
        done = subprocess.run([fixture.PROGRAM, "tokenize", *map(str, arguments)], input=data, env=self.environment,
                              capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr.decode()

    def test_there_and_back(self):
        listed = self.tokenize(TEXT.encode(), self.tiny)
        ids = json.loads(listed)
        self.assertEqual(listed, json.dumps(ids, separators=(",", ":")).encode() + b"\n")
        self.assertEqual(self.tokenize(listed, self.tiny, "--decode"), TEXT.encode())
        self.assertEqual(json.loads(self.tokenize(TEXT.encode(), self.tiny, "--json")), {"ids": ids})
        self.assertEqual(json.loads(self.tokenize(listed, self.tiny, "--decode", "--json")), {"text": TEXT})
        self.assertEqual(json.loads(self.tokenize(b"", self.tiny)), [])

    def test_text_file_and_lists_of_ids(self):
        ids = json.loads(self.tokenize(TEXT.encode(), self.tiny))
        self.assertEqual(json.loads(self.tokenize(b"", self.tiny, TEXT)), ids)
        file = pathlib.Path(self.models.name) / "text.txt"
        file.write_text(TEXT)
        self.assertEqual(json.loads(self.tokenize(b"", self.tiny, "--file", file)), ids)
        listed = self.tokenize(b"", self.tiny, TEXT, "--ids")
        self.assertEqual(listed, ",".join(map(str, ids)).encode() + b"\n")
        for form in (listed.decode().strip(), " ".join(map(str, ids)), json.dumps(ids)):
            self.assertEqual(self.tokenize(b"", self.tiny, "--decode", form), TEXT.encode())
        self.assertIn("item 1 is 99999", self.tokenize(b"", self.tiny, "--decode", "1,99999", status=1))
        self.assertIn("item 0 is 1x", self.tokenize(b"", self.tiny, "--decode", "1x", status=1))
        json_file = self.tiny / "tokenizer.json"
        self.assertEqual(json.loads(self.tokenize(TEXT.encode(), json_file)), ids)

    def test_special_tokens(self):
        ids = json.loads(self.tokenize(TEXT.encode(), self.tiny))
        plain = json.loads(self.tokenize(TEXT.encode(), self.tiny, "--no-special"))
        self.assertEqual(len(plain), len(ids) - 1 + len(language.SPECIALS[0]))
        self.assertEqual(self.tokenize(json.dumps(plain).encode(), self.tiny, "--decode"), TEXT.encode())
        self.assertEqual(self.tokenize(json.dumps(ids).encode(), self.tiny, "--decode", "--no-special"),
                         TEXT.replace(language.SPECIALS[0], "").encode())

    def test_a_folder_needs_no_weights_and_a_file_says_the_same(self):
        bare = pathlib.Path(self.models.name) / "bare"
        bare.mkdir()
        (bare / "tokenizer.json").write_bytes((self.tiny / "tokenizer.json").read_bytes())
        ids = self.tokenize(TEXT.encode(), self.tiny)
        self.assertEqual(self.tokenize(TEXT.encode(), bare), ids)
        file = pathlib.Path(self.models.name) / "tiny.flm"
        self.good("llm", "import", self.tiny, "-o", file)
        self.assertEqual(self.tokenize(TEXT.encode(), file), ids)

    def test_bad_input(self):
        self.assertIn("malformed: the text is no UTF-8 at byte 2", self.tokenize(b"ab\xff", self.tiny, status=1))
        self.assertIn("not_found", self.tokenize(b"", "nowhere", status=1))
        self.assertIn("has no tokenizer.json", self.tokenize(b"", self.models.name, status=1))
        self.assertIn("item 1 is 99999", self.tokenize(b"[1,99999]", self.tiny, "--decode", status=1))
        self.assertIn("wanted a JSON list", self.tokenize(b"{}", self.tiny, "--decode", status=1))
        self.assertIn("malformed", self.tokenize(b"[1,", self.tiny, "--decode", status=1))
        self.assertLess(len(self.tokenize(json.dumps([list(range(99999))]).encode(), self.tiny, "--decode", status=1)), 200)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([fixture.PROGRAM, "tokenize", self.tiny], input=b"x", env=self.environment, stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (1, b"ferry: io: standard output cannot be written\n"))

    def test_a_closed_standard_input_is_an_empty_one(self):
        done = subprocess.run(["sh", "-c", '"$0" tokenize "$1" <&-', fixture.PROGRAM, self.tiny], env=self.environment,
                              capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b"[]\n"), done.stderr)


class TemplateTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.scratch = tempfile.TemporaryDirectory(prefix="ferry-template-")
        self.addCleanup(self.scratch.cleanup)
        self.place = pathlib.Path(self.scratch.name)
        self.chat = self.write("chat.json", json.dumps(CHAT))

    def write(self, name, text):
        (self.place / name).write_text(text)
        return self.place / name

    def text(self, *arguments):
        """What `ferry template` prints, with --json as without."""
        printed = self.ferry("template", *arguments)
        self.assertEqual(printed.status, 0, printed.err)
        self.assertEqual(self.good("template", *arguments), {"text": printed.out})
        return printed.out

    def test_a_folder_and_a_model_file_say_the_same(self):
        tiny = language.write_tiny(self.place / "tiny")
        text = self.text(tiny, "--messages", self.chat, "--generation-prompt")
        self.assertIn("Be brief.", text)
        self.assertIn("Hi \u00e9", text)
        shorter = self.text(tiny, "--messages", self.chat)
        self.assertTrue(text.startswith(shorter) and text != shorter)
        file = self.place / "tiny.flm"
        self.good("llm", "import", tiny, "-o", file)
        self.assertEqual(self.text(file, "--messages", self.chat, "--generation-prompt"), text)

    def test_variables_and_tools(self):
        template = self.write("t.jinja", "{{ bos_token }}{% for t in tools %}{{ t | tojson }}{% endfor %}{{ messages | length }}")
        tools = self.write("tools.json", '[{"type": "function", "b": 1, "a": {"z": 1, "y": 2}}]')
        config = {"bos_token": {"content": "<s>"}, "chat_template": template.read_text()}
        self.write("tokenizer_config.json", json.dumps(config))
        # An object keeps the order of its members.
        wanted = '<s>{"type": "function", "b": 1, "a": {"z": 1, "y": 2}}2'
        self.assertEqual(self.text(self.place, "--messages", self.chat, "--tools", tools), wanted)
        wrapped = self.write("wrapped.json", json.dumps({"messages": CHAT}))
        self.assertEqual(self.text(self.place, "--messages", wrapped, "--tools", tools), wanted)
        more = self.write("more.json", '{"bos_token": "<b>"}')
        self.assertEqual(self.text(template, "--messages", self.chat, "--variables", more), "<b>2")

    def test_named_templates(self):
        self.write("tokenizer_config.json", json.dumps({"chat_template": [
            {"name": "default", "template": "one"}, {"name": "tool_use", "template": "two"}]}))
        self.assertEqual(self.text(self.place, "--messages", self.chat), "one")
        self.assertEqual(self.text(self.place, "--messages", self.chat, "--name", "tool_use"), "two")
        self.assertIn("no entry", self.bad("failed_precondition", "template", self.place, "--messages", self.chat, "--name", "rag"))

    def test_bad_input(self):
        empty = self.place / "empty"
        empty.mkdir()
        self.assertIn("no chat template", self.bad("failed_precondition", "template", empty, "--messages", self.chat))
        template = self.write("t.jinja", "{{ raise_exception('roles must alternate') }}")
        self.assertIn("roles must alternate", self.bad("invalid_argument", "template", template, "--messages", self.chat))
        self.assertIn("a message is an object", self.bad("malformed", "template", template, "--messages", self.write("m.json", "[1]")))
        self.assertIn("role", self.bad("malformed", "template", template, "--messages", self.write("m.json", "[{}]")))
        self.assertIn("malformed", self.bad("malformed", "template", template, "--messages", self.write("m.json", "{")))
        self.assertIn("messages", self.bad("malformed", "template", template, "--messages", self.write("m.json", "{}")))


if __name__ == "__main__":
    unittest.main()
