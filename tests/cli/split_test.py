"""`ferry llm split`: draft and target in one process over a simulated link; the text is the target's own."""
import pathlib
import tempfile
import unittest

import fixture
import language


class SplitTest(fixture.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.models = tempfile.TemporaryDirectory(prefix="ferry-split-")
        folder = pathlib.Path(cls.models.name)
        cls.target = language.write_tiny(folder / "target")
        cls.other = language.write_tiny(folder / "other", seed=9)

    @classmethod
    def tearDownClass(cls):
        cls.models.cleanup()

    def split(self, draft, target, *options):
        return self.good("llm", "split", draft, target, *options)

    def generated(self, *options):
        return self.good("llm", "generate", self.target, *options)["ids"]

    def check(self, shown):
        self.assertEqual(shown["ids"], shown["cloud_ids"])
        for key in ("acceptance", "rounds", "target_passes", "bytes_up", "bytes_down", "tokens_per_s",
                    "setup_bytes_up", "setup_bytes_down", "round_trip_ms"):
            self.assertGreaterEqual(shown[key], 0, key)
        self.assertIsInstance(shown["text"], str)

    def test_text_is_that_of_generate_whatever_draft_mode_and_link(self):
        for sampling in (("--temperature", 0), ("--seed", 3, "--temperature", 1), ("--seed", 4, "--temperature", 0.7, "--top-k", 20),
                         ("--seed", 5, "--temperature", 1, "--top-p", 0.9, "--repetition-penalty", 1.2)):
            want = ("--ids", "1,2,3", "--max-new", 40, *sampling)
            ids = self.generated(*want)
            for draft in (self.target, self.other):
                for link in ((), ("--delay-ms", 30, "--mode", "pipelined"), ("--delay-ms", 100, "--loss", 0.2, "--jitter-ms", 20),
                             ("--delay-ms", 7, "--loss", 0.1, "--duplicate", 0.3, "--mode", "pipelined")):
                    shown = self.split(draft, self.target, *want, *link)
                    self.check(shown)
                    self.assertEqual(shown["ids"], ids, (sampling, link))

    def test_a_draft_that_is_the_target_saves_passes(self):
        shown = self.split(self.target, self.target, "--ids", "7", "--max-new", 60, "--seed", 1, "--draft-tokens", 5)
        self.check(shown)
        self.assertEqual(shown["acceptance"], 1)
        self.assertEqual(len(shown["ids"]), 60)
        self.assertLessEqual(shown["target_passes"], 12)
        self.assertEqual(shown["rounds"], 10)

    def test_time_is_virtual(self):
        slow = self.split(self.other, self.target, "--ids", "7", "--max-new", 20, "--seed", 1, "--delay-ms", 10000)
        self.check(slow)
        self.assertGreater(slow["virtual_seconds"], 100)
        self.assertGreater(slow["round_trip_ms"], 9999)
        costs = self.split(self.other, self.target, "--ids", "7", "--max-new", 20, "--seed", 1, "--target-cost-ms", 500)
        self.assertGreater(costs["target_ms"], 500)

    def test_bad_input_names_the_thing(self):
        for options, word in ((("--delay-ms", -1), "--delay-ms"), (("--loss", 2), "--loss"), (("--mode", "fast"), "--mode"),
                              (("--ids", "1,900"), "900")):
            ids = () if options[0] == "--ids" else ("--ids", "1")
            done = self.ferry("llm", "split", self.other, self.target, *ids, *options, "--json")
            self.assertNotEqual(done.status, 0)
            self.assertIn(word, done.err + done.out)
        done = self.ferry("llm", "split", "/nowhere", self.target, "--ids", "1")
        self.assertNotEqual(done.status, 0)
        self.assertIn("/nowhere", done.err)
        for option, value in (("--loss", "nan"), ("--target-cost-ms", "nan"), ("--link-seed", "-1"), ("--seed", "-1")):
            done = self.ferry("llm", "split", self.other, self.target, "--ids", "1", option, value)
            self.assertEqual(done.status, 2)
            self.assertIn(option, done.err)

    def test_a_refusal_by_the_cloud_is_one_line(self):
        bare = language.write_tiny(self.folder / "bare", with_tokenizer=False)
        done = self.ferry("llm", "split", self.other, bare, "--ids", "1,2", "--json")
        self.assertEqual(done.status, 1)
        self.assertEqual(done.json()["error"]["name"], "failed_precondition")
        self.assertIn("tokenizer", done.err)
        self.assertEqual(done.err.count("\n"), 1, done.err)


if __name__ == "__main__":
    unittest.main()
