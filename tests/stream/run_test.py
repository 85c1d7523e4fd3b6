"""ferry stream run and outbox: small runs with known output, bad input, going on after a clean end and after kills."""
import json
import os
import random
import shutil
import subprocess
import time
import unittest

from fixture import Folder, PROGRAM



def can_trace():
    return shutil.which("strace") is not None and subprocess.run(
        ["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


RULES = {"rules": [
    {"name": "cart", "per": ["user"], "steps": [{"name": "seen", "event": "view", "times": [1, 3]},
                                                {"name": "add", "event": "add", "where": "price >= seen.price"}],
     "within_ms": 600_000},
    {"name": "left", "per": ["user"], "steps": [{"name": "seen", "event": "view"},
                                                {"name": "gone", "event": "add", "not": True}], "within_ms": 40_000}]}
STREAMS = {
    "streams": [
        {"name": "views", "source": "view", "upload": True, "operators": [
            {"op": "window", "kind": "tumbling", "size_ms": 60_000, "key": ["user"], "allowed_lateness_ms": 5_000,
             "aggregates": [{"op": "count", "as": "n"}, {"op": "mean", "field": "price", "as": "mean"}]}]},
        {"name": "last_price", "source": "view", "into": "prices", "operators": [
            {"op": "map", "fields": {"user": "user", "price": "price"}}]},
        {"name": "carts", "source": "cart", "upload": True, "operators": [
            {"op": "lookup", "table": "prices", "key": ["user"], "as": "now"},
            {"op": "map", "fields": {"user": "user", "seen": "seen.price", "now": "now"}}]}],
    "tables": [{"name": "prices", "key": ["user"], "columns": {"user": "text", "price": "int"}}]}


def shopping(seed, count):
    """Events of a few users, a tenth of them late, with lines that are no events among them."""
    rng, time_ms, lines = random.Random(seed), 1_700_000_000_000, []
    for _ in range(count):
        time_ms += rng.randint(0, 8_000)
        event = {"id": rng.choice(["view", "view", "add", "other"]), "page": rng.choice(["item", "list"]),
                 "time_ms": time_ms - (rng.randint(0, 9_000) if rng.random() < 0.1 else 0),
                 "data": {"user": rng.choice(["ann", "bob", "eve"]), "price": rng.randint(1, 50)}}
        lines.append(json.dumps(event))
        if rng.random() < 0.02:
            lines.append(rng.choice(["", "no event", '{"page":"p"}', '{"id":"x","time_ms":-4}']))
    return lines


def joined(lines):
    return "".join(line + "\n" for line in lines)


class RunTest(unittest.TestCase):
    def whole(self, lines, rules=RULES, streams=STREAMS):
        """Output and outbox of one uninterrupted run."""
        with Folder() as folder:
            folder.write("rules", rules)
            folder.write("streams", streams)
            folder.write("events", joined(lines))
            answer = folder.stream()
            return folder.text(), folder.outbox(), answer

    def test_small_run(self):
        with Folder() as folder:
            folder.write("rules", "rule ab per u { a: a; then b: b where n > a.n }")
            folder.write("streams", [{"name": "sum", "source": "a", "upload": True, "operators": [
                {"op": "window", "size_ms": 10, "key": ["u"], "aggregates": [{"op": "sum", "field": "n", "as": "n"}]}]}])
            folder.events("events", [
                {"id": "a", "time_ms": 1, "data": {"u": 1, "n": 2}}, {"id": "a", "time_ms": 2, "data": {"u": 2, "n": 3}},
                {"id": "b", "time_ms": 3, "data": {"u": 1.0, "n": 4}}, {"id": "a", "time_ms": 12, "data": {"u": 2, "n": 5}}])
            answer = folder.stream()
            self.assertEqual((answer["events"], answer["matches"], answer["rows"], answer["drops"]), (4, 1, 2, 0))
            self.assertGreater(answer["events_per_s"], 0)
            self.assertGreater(answer["peak_bytes"], 1 << 20)
            window = {"window_start_ms": 0, "window_end_ms": 10}
            self.assertEqual(folder.lines(), [
                {"kind": "match", "rule": "ab", "key": [1], "steps": {"a": [0], "b": [2]}, "time_ms": 3},
                {"kind": "row", "stream": "sum", "row": {"u": 1, "n": 2} | window, "time_ms": 9},
                {"kind": "row", "stream": "sum", "row": {"u": 2, "n": 3} | window, "time_ms": 9}])
            self.assertEqual(folder.outbox(), [{"stream": "sum", "time_ms": 9, "row": {"u": 1, "n": 2} | window},
                                               {"stream": "sum", "time_ms": 9, "row": {"u": 2, "n": 3} | window}])
            # The window that is open stays so until it is told to close.
            self.assertEqual(folder.stream()["rows"], 0)
            self.assertEqual(folder.stream("--flush")["rows"], 1)
            self.assertEqual(folder.lines()[-1]["time_ms"], 19)
            self.assertEqual(len(folder.outbox()), 3)

    def test_files_are_private(self):
        with Folder() as folder:
            folder.write("rules", "rule a { a: a }")
            folder.events("events", [{"id": "a"}])
            folder.stream()
            for path in [folder.path / "state", *(folder.path / "state").rglob("*")]:
                mode = path.stat().st_mode & 0o777
                self.assertEqual(mode, 0o700 if path.is_dir() else 0o600, path)

    def test_bad_lines_are_dropped_and_named(self):
        with Folder() as folder:
            folder.write("rules", "rule a { a: a; b: b }")
            good = '{"id":"a","time_ms":5}'
            folder.write("events", b"\n".join([
                good.encode(), b"{", b"", b'{"id":7}', b'{"id":"a","time_ms":1e300}', b'{"id":"' + b"x" * 200 + b'"}',
                b'{"id":"b","data":"' + b"y" * (3 << 20) + b'"}', b"\xff\xfe", b"[" * 100, b'{"id":"b"}']))
            answer = folder.stream()
            lines = folder.lines()
            drops = [line for line in lines if line["kind"] == "drop"]
            self.assertEqual([drop["line"] for drop in drops], [1, 3, 4, 5, 6, 7, 8])
            self.assertTrue(all(drop["why"] for drop in drops))
            self.assertIn("1048576", drops[4]["why"])
            # Its line counts, and an event without time has the latest one.
            self.assertEqual(lines[-1], {"kind": "match", "rule": "a", "key": [], "steps": {"a": [0], "b": [9]},
                                         "time_ms": 5})
            self.assertEqual((answer["events"], answer["drops"]), (2, 7))

    def test_one_event_years_ahead_makes_nothing_late(self):
        with Folder() as folder:
            folder.write("streams", [{"name": "n", "source": "a", "operators": [
                {"op": "window", "size_ms": 10, "aggregates": [{"op": "count", "as": "n"}]}]}])
            times = [1, 2, 400 * 86_400_000, 3, 11, 12, 21]
            folder.events("events", [{"id": "a", "time_ms": time_ms} for time_ms in times])
            answer = folder.stream()
            self.assertEqual((answer["future"], answer["lost"]["late"]), (1, 0))
            self.assertEqual([line["row"]["n"] for line in folder.lines()], [4, 2])
            # Where all go on from there, time has passed.
            folder.events("later", [{"id": "a", "time_ms": 500 * 86_400_000 + k} for k in range(5)])
            self.assertEqual(folder.stream(events="later")["future"], 0)

    def test_clock_events_come_by_event_time(self):
        with Folder() as folder:
            folder.write("rules", 'rule tick { t: "every:1000" }')
            folder.events("events", [{"id": "a", "time_ms": time_ms} for time_ms in (0, 500, 1000, 1500, 4200)])
            self.assertEqual(folder.stream()["matches"], 2)
            self.assertEqual([line["time_ms"] for line in folder.lines()], [1000, 4000])

    def test_rows_of_streams_are_events_to_rules(self):
        with Folder() as folder:
            folder.write("rules", "rule after { b: big; e: end }")
            folder.write("streams", [{"name": "big", "source": "a", "operators": [{"op": "filter", "where": "n > 1"}]}])
            folder.events("events", [{"id": "a", "time_ms": 1, "data": {"n": 1}}, {"id": "end", "time_ms": 2},
                                     {"id": "a", "time_ms": 3, "data": {"n": 2}}, {"id": "end", "time_ms": 4}])
            folder.stream()
            row, match = folder.lines()
            self.assertEqual((row["kind"], row["row"]), ("row", {"n": 2}))
            self.assertEqual((match["steps"]["e"], match["time_ms"]), ([3], 4))

    def test_rules_with_errors_are_refused_with_their_place(self):
        cases = [("rule a { a: a; b: }", "line 1, column"), ("rule a {\n  x: e where p >\n}", "line 3, column 1"),
                 ({"rules": [{"name": "a", "steps": [{"name": "x", "evnt": "e"}]}]}, 'did you mean "event"'),
                 ({"rules": [{"name": "a", "steps": [{"name": "x", "event": "e", "times": [1, 100_000]}]}]}, "limit"),
                 ({"steps": []}, "rules"), ("", "")]
        for rules, text in cases[:-1]:
            with self.subTest(rules), Folder() as folder:
                folder.write("rules", rules)
                folder.write("events", "")
                status, answer, err = folder.run(*folder.arguments(), ok=False)
                self.assertEqual(status, 1)
                self.assertIn(text, err)
                self.assertEqual(answer["error"]["text"], err.split(": ", 2)[2].rstrip("\n"))

    def test_another_file_follows_as_further_events(self):
        lines = shopping(3, 300)
        expected, outbox, _ = self.whole(lines)
        for cut in (0, 1, 150, len(lines)):
            with self.subTest(cut), Folder() as folder:
                folder.write("rules", RULES)
                folder.write("streams", STREAMS)
                folder.write("first", joined(lines[:cut]))
                folder.write("second", joined(lines[cut:]))
                folder.write("all", joined(lines))
                folder.stream(events="first")
                folder.stream(events="second")
                self.assertEqual(folder.text(), expected)
                # Its last part is known again, and all of it; from then on it is one file.
                for name in ("second", "all", "all"):
                    self.assertEqual(folder.stream(events=name)["events"], 0)
                self.assertEqual(folder.text(), expected)
                self.assertEqual(folder.outbox(), outbox)

    def test_a_file_that_grows_and_standard_input(self):
        lines = shopping(4, 400)
        expected, outbox, _ = self.whole(lines)
        rng = random.Random(1)
        for how in ("file", "pipe"):
            with self.subTest(how), Folder() as folder:
                folder.write("rules", RULES)
                folder.write("streams", STREAMS)
                for cut in sorted(rng.sample(range(len(lines)), 4)) + [len(lines)]:
                    text = joined(lines[:cut])
                    if how == "file":
                        folder.write("events", text)
                        folder.stream()
                    else:
                        folder.run(*folder.arguments(events="-"), input=text.encode())
                self.assertEqual(folder.text(), expected)
                self.assertEqual(folder.outbox(), outbox)

    def test_output_that_is_gone_begins_anew(self):
        lines = shopping(5, 200)
        with Folder() as folder:
            folder.write("rules", RULES)
            folder.write("events", joined(lines[:100]))
            folder.stream()
            first = folder.text()
            folder.write("events", joined(lines))
            folder.stream(out="other")
            folder.write("out", "something else\n")
            folder.write("more", joined(shopping(6, 100)))
            folder.stream(events="more")
            self.assertNotIn("something else", folder.text())
            whole, _, _ = self.whole(lines, streams={"streams": []})
            self.assertEqual(first + folder.text("other"), whole)

    def test_two_runs_at_once_are_refused(self):
        with Folder() as folder:
            folder.write("rules", "rule a { a: a }")
            run = subprocess.Popen([PROGRAM, "stream", *folder.arguments(events="-")], cwd=folder.path,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            try:
                deadline = time.monotonic() + 20
                while not (folder.path / "out").exists() and time.monotonic() < deadline:
                    time.sleep(0.02)
                folder.write("events", "")
                status, answer, _ = folder.run(*folder.arguments(out="out2"), ok=False)
                self.assertEqual((status, answer["error"]["name"]), (1, "failed_precondition"))
            finally:
                run.stdin.close()
                self.assertEqual(run.wait(20), 0)

    def test_a_damaged_directory_is_named(self):
        lines = shopping(7, 300)
        with Folder() as folder:
            folder.write("rules", RULES)
            folder.write("events", joined(lines))
            folder.stream()
            log = next((folder.path / "state" / "events").glob("*.log"))
            bytes_ = bytearray(log.read_bytes())
            for at in range(len(bytes_) // 2, len(bytes_), 7):
                bytes_[at] ^= 0x55
            log.write_bytes(bytes_)
            folder.write("more", joined(shopping(8, 50)))
            answer = folder.stream(events="more")
            self.assertEqual(answer["events"] + answer["drops"], 50)
            folder.write("state/outbox.db", "no database at all, but longer than a header of one" * 40)
            status, answer, err = folder.run(*folder.arguments(), ok=False)
            self.assertEqual(status, 1)
            self.assertIn("outbox.db", err)

    def test_a_full_disk_ends_the_run_and_the_next_goes_on(self):
        lines = shopping(9, 2_000)
        expected, outbox, _ = self.whole(lines)
        with Folder() as folder:
            folder.write("rules", RULES)
            folder.write("streams", STREAMS)
            folder.write("events", joined(lines))
            for limit in (100, 3_000, 20_000, 60_000):
                status, answer, _ = folder.run(*folder.arguments(), ok=False,
                                               env=os.environ | {"FERRY_DISK_LIMIT_BYTES": str(limit)})
                self.assertEqual((status, answer["error"]["name"]), (1, "disk_full"), limit)
            folder.stream()
            self.assertEqual(folder.text(), expected)
            self.assertEqual(folder.outbox(), outbox)


class KillTest(unittest.TestCase):
    """The same call after a kill at any moment: output and outbox are those of a run that nobody killed."""

    def setUp(self):
        # Several commits: lines are padded to more than a commit has.
        self.texts = [line[:-1] + ',"pad":"' + "x" * 3000 + '"}' if line.startswith("{") else line
                      for line in shopping(11, 900)]

    def prepare(self, folder, lines):
        folder.write("rules", RULES)
        folder.write("streams", STREAMS)
        folder.write("events", joined(lines))

    def expected(self, lines):
        with Folder() as folder:
            self.prepare(folder, lines)
            folder.stream()
            return folder.text(), folder.outbox()

    def test_killed_at_random_moments(self):
        expected, outbox = self.expected(self.texts)
        rng = random.Random(5)
        killed = 0
        with Folder() as folder:
            self.prepare(folder, self.texts)
            for _ in range(25):
                run = subprocess.Popen([PROGRAM, "stream", *folder.arguments()], cwd=folder.path,
                                       stdout=subprocess.DEVNULL)
                try:
                    run.wait(rng.uniform(0.005, 0.12))
                except subprocess.TimeoutExpired:
                    run.kill()
                    run.wait()
                    killed += 1
            folder.stream()
            self.assertEqual(folder.text(), expected)
            self.assertEqual(folder.outbox(), outbox)
        self.assertGreater(killed, 3)

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_killed_at_every_write(self):
        lines = self.texts[:420]
        expected, outbox = self.expected(lines)
        calls = ["write", "writev", "pwrite64", "fsync", "fdatasync", "rename", "ftruncate", "truncate", "unlink"]
        counts = {}
        with Folder() as folder:
            self.prepare(folder, lines)
            log = folder.path / "calls"
            subprocess.run(["strace", "-f", "-c", "-o", log, "-e", "trace=" + ",".join(calls), PROGRAM, "stream",
                            *folder.arguments()], cwd=folder.path, check=True, stdout=subprocess.DEVNULL, timeout=60)
            for words in map(str.split, log.read_text().splitlines()):
                if words and words[-1] in calls:
                    counts[words[-1]] = int(words[3])
        self.assertGreater(sum(counts.values()), 20)
        survived = 0
        for call, count in counts.items():
            for at in range(1, count + 1):
                with self.subTest(call=call, at=at), Folder() as folder:
                    self.prepare(folder, lines)
                    # The call is not done, as in a power cut before it.
                    run = subprocess.run(
                        ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                         f"inject={call}:error=EIO:signal=KILL:when={at}", PROGRAM, "stream", *folder.arguments()],
                        cwd=folder.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
                    survived += run.returncode == 0
                    folder.stream()
                    self.assertEqual(folder.text(), expected)
                    self.assertEqual(folder.outbox(), outbox)
        self.assertEqual(survived, 0)


if __name__ == "__main__":
    unittest.main()
