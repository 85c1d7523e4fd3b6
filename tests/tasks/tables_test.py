"""ferry.tables under CPython answers as in Ferry's VM: the cases of device-runtime/bindings run through both. And what
`ferry pack` says of files that fill tables."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sdk/python"))
from ferry import tables  # noqa: E402

ITEMS = {"name": "items", "key": ["shop", "item"],
         "columns": {"shop": "text", "item": "int", "price": "float", "more": "json"}}
SEEN = {"name": "seen", "key": ["at"], "columns": {"at": "int"}}


class Mirror(unittest.TestCase):
    def test_cases(self):
        tables.declare([ITEMS, SEEN], ".")
        path = ROOT / "device-runtime/bindings/cases/tables.py"
        exec(compile(path.read_text(), path, "exec"), {"__name__": "case"})

    def test_a_failed_run_leaves_nothing(self):
        tables.declare([SEEN], ".")
        tables.put("seen", {"at": 1})
        tables.keep()
        tables.put("seen", {"at": 2})
        tables.delete("seen", 1)
        tables.forget()
        self.assertEqual(tables.range("seen"), [{"at": 1}])

    def test_rows_of_the_package(self):
        with tempfile.TemporaryDirectory() as scratch:
            (pathlib.Path(scratch) / "seen.jsonl").write_text('{"at": 3}\n\n{"at": 1}\n')
            (pathlib.Path(scratch) / "items.csv").write_text('shop,item,price,more\nnorth,1,2.5,"{""a"": 1}"\n"a, b",2,,\n')
            tables.declare([{**SEEN, "rows": "seen.jsonl"}, {**ITEMS, "rows": "items.csv"}], scratch)
        self.assertEqual(tables.range("seen"), [{"at": 1}, {"at": 3}])
        self.assertEqual(tables.get("items", "a, b", 2), {"shop": "a, b", "item": 2, "price": None, "more": None})
        self.assertEqual(tables.get("items", "north", 1)["more"], {"a": 1})


class Packing(unittest.TestCase):
    def pack(self, folder, rows):
        program = pathlib.Path(os.environ.get("FERRY_BIN", "build/release/bin")).resolve() / "ferry"
        task = {"name": "shop", "version": "1.0.0", "script": "task.py", "trigger": {"sequence": [{"event": "go"}]},
                "tables": [{**ITEMS, "rows": "items.csv"}]}
        (folder / "task.json").write_text(json.dumps(task))
        (folder / "task.py").write_text("from ferry import tables\n\ndef on_trigger(matched):\n    return None\n")
        if rows is not None:
            (folder / "items.csv").write_text(rows)
        return subprocess.run([program, "pack", folder, "-o", folder / "shop.fpk", "--json"], capture_output=True,
                              text=True, env={**os.environ, "FERRY_LOG": "warn"})

    def test_rows_go_into_the_package(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = self.pack(pathlib.Path(scratch), "shop,item\nnorth,1\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("items.csv", [file["path"] for file in json.loads(done.stdout)["files"]])

    def test_errors_name_file_and_line(self):
        for rows, says in [("shop,item\nnorth,1\nnorth,one\n", ["items.csv, line 3", "item"]),
                           ("shop,item\nnorth,1\nnorth,1\n", ["items.csv, line 3", "line 2"]),
                           (None, ["rows of table items", "items.csv"])]:
            with self.subTest(rows), tempfile.TemporaryDirectory() as scratch:
                done = self.pack(pathlib.Path(scratch), rows)
                self.assertNotEqual(done.returncode, 0)
                for word in says:
                    self.assertIn(word, done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
