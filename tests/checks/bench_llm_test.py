"""tools/bench/llm: a peer that is a program of yours is found, run and read."""
import pathlib
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench/llm"))
import peers  # noqa: E402

# What MNN's llm_bench prints with -kv true, for two prompts.
PROGRAM = """#!/bin/sh
echo "$@" > "$(dirname "$0")/asked"
cat <<'END'
CPU Group: [ 0  1 ]
| model | modelSize | backend | threads | llm_demo | speed(tok/s) |
| ----- | --------: | ------- | ------: | -------- | -----------: |
| 0.5b-4bit | 271.61 MiB | CPU | 2 | prompt=64<br>decode=16 | 301.25 ± 0.00 (var=0.00)<br>41.50 ± 0.00 (var=0.00) |
| 0.5b-4bit | 271.61 MiB | CPU | 2 | prompt=256<br>decode=16 | 318.00 ± 1.50 (var=2.25)<br>40.00 ± 0.10 (var=0.01) |
END
"""


class MnnTest(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.build = pathlib.Path(held.name)

    def made(self):
        program = self.build / "llm_bench"
        program.write_text(PROGRAM)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return peers.Mnn(self.build, self.build / "folders")

    def export(self):
        model = self.build / "models" / "0.5b-4bit"
        model.mkdir(parents=True)
        (model / "config.json").write_text("{}")
        return model / "config.json"

    def test_rates_are_those_of_its_table(self):
        mnn, config = self.made(), self.export()
        rows = mnn.measure(("0.5b", "4", 2), None, [64, 256], 16)
        self.assertEqual(rows[256]["prefill_tokens_per_s"], 318.0)
        self.assertEqual(rows[256]["decode_tokens_per_s"], 40.0)
        self.assertEqual(rows[64]["prefill_tokens_per_s"], 301.25)
        asked = (self.build / "asked").read_text().split()
        self.assertEqual(asked[asked.index("-m") + 1], str(config))
        self.assertEqual(asked[asked.index("-t") + 1], "2")
        self.assertEqual(asked[asked.index("-p") + 1], "64,256")

    def test_what_is_missing_is_named_with_its_remedy(self):
        with self.assertRaisesRegex(SystemExit, "MNN_BUILD_LLM"):
            peers.Mnn(self.build, self.build)
        mnn = self.made()
        with self.assertRaisesRegex(SystemExit, "llmexport.py.*--quant_bit 4"):
            mnn.measure(("0.5b", "4", 1), None, [64], 16)
        self.export()
        with self.assertRaisesRegex(SystemExit, r"no row for prompts of \[1024\]"):
            mnn.measure(("0.5b", "4", 1), None, [64, 1024], 16)


if __name__ == "__main__":
    unittest.main()
