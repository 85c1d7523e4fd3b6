"""`ferry tokenize`: text to ids and back, special tokens, the same from a folder and from Ferry's own file, bad input."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import fixture
import language

TEXT = "A caf\u00e9, \u4e2d\u6587 and \U0001f600;\n\n  end" + language.SPECIALS[0] + "."


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


if __name__ == "__main__":
    unittest.main()
