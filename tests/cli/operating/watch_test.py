"""ferry release watch: a line a change, its status for CI, a server that starts anew, Ctrl-C."""
import http.server
import json
import pathlib
import signal
import socketserver
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402


def release(state, events, **more):
    return {"id": "sums-1.0.0-1", "package": "sums", "version": "1.0.0", "state": state, "stage": 1,
            "events": [{"seq": seq, "time_ms": 1_700_000_000_000, "kind": kind, "text": text} for seq, kind, text in events], **more}


class WatchTest(fixture.CliTest):
    def watch(self, *options):
        process = subprocess.Popen([fixture.PROGRAM, "release", "watch", "sums-1", "--interval", "0.05", *options], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def say(self, *arguments, **more):
        answer = 200, release(*arguments, **more)
        self.server.answers["GET /releases/sums-1"] = self.server.answers["GET /releases/sums-1.0.0-1"] = answer

    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def test_a_line_a_change_and_the_status(self):
        first, second = (1, "start", "begun"), (2, "stage", "stage 2 of 5: gray 5 %")
        for state, status in (("complete", 0), ("rolled_back", 1), ("stopped", 1), ("failed_simulation", 1), ("killed", 1), ("superseded", 1)):
            with self.subTest(state):
                self.say("gray", [first])
                process = self.watch()
                self.assertIn("begun", process.stdout.readline())
                self.say("gray", [first, second], counts={"members": 1})
                self.assertIn("stage 2 of 5: gray 5 %", process.stdout.readline())
                self.assertRegex(process.stdout.readline(), "counts +members 1\n")
                self.say("paused", [first, second], counts={"members": 1})
                self.assertRegex(process.stdout.readline(), "state +paused\n")
                self.say(state, [first, second, (3, "end", "over\x1b[2J\nand out")], counts={"members": 1})
                self.assertIn("over\\x1b[2J\\nand out", process.stdout.readline())
                self.assertRegex(process.stdout.readline(), f"^sums-1.* is {state}\n")
                self.assertEqual(process.wait(20), status, process.stderr.read())

    def test_json_lines(self):
        self.say("complete", [(1, "start", "begun"), (2, "end", "over")], counts={"members": 2})
        process = self.watch("--json")
        out, _ = process.communicate(timeout=20)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["kind"] for line in lines], ["start", "end", "counts", "end"])
        self.assertEqual((lines[1]["text"], lines[1]["state"], lines[1]["stage"]), ("over", "complete", 1))
        self.assertEqual((lines[-1]["state"], process.returncode), ("complete", 0))

    def test_an_unknown_release_fails_at_once(self):
        done = self.ferry("release", "watch", "nothing")
        self.assertEqual(done.status, 1)
        self.assertIn("not_found", done.err)
        self.environment["FERRY_SERVER"] = "http://127.0.0.1:1"
        self.assertIn("unavailable", self.ferry("release", "watch", "nothing").err)

    def test_it_survives_a_server_that_starts_anew(self):
        self.say("gray", [(1, "start", "begun")])
        process = self.watch()
        self.assertIn("begun", process.stdout.readline())
        port, handler = self.server.http.server_port, self.server.http.RequestHandlerClass
        self.server.close()
        self.assertIn("asking again", process.stderr.readline())
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        self.say("complete", [(1, "start", "begun"), (2, "end", "over")])
        socketserver.TCPServer.allow_reuse_address = True
        again = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        threading.Thread(target=again.serve_forever, daemon=True).start()
        self.addCleanup(again.server_close)
        self.addCleanup(again.shutdown)
        out, err = process.communicate(timeout=20)
        self.assertIn("answers again", err)
        self.assertIn("over", out)
        self.assertNotIn("begun", out)
        self.assertEqual(process.returncode, 0)

    def test_ctrl_c_is_130(self):
        self.say("gray", [(1, "start", "begun")])
        process = self.watch()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)


if __name__ == "__main__":
    unittest.main()
