"""Commands that talk to a server: what they send, and how failures read."""
import json
import unittest

import fixture

RELEASE = {"id": "r1", "package": "sums", "version": "1.0.0", "state": "paused", "reason": "looked wrong"}


class OnlineTest(fixture.CliTest):
    def test_without_a_server(self):
        self.assertIn("FERRY_SERVER", self.bad("failed_precondition", "status"))
        self.assertIn("127.0.0.1:1", self.bad("unavailable", "status", "--server", "http://127.0.0.1:1"))
        self.bad("invalid_argument", "status", "--server", "ftp://x")

    def test_errors_of_the_server_keep_their_name(self):
        server = self.serve()
        server.answers["POST /releases/r9/pause"] = 404, {"error": {"code": 2, "name": "not_found", "text": "no release r9"}}
        self.assertIn("no release r9", self.bad("not_found", "pause", "r9"))
        server.answers["GET /status"] = 500, {"what": 1}
        self.bad("internal", "status")

    def test_login_is_remembered_for_that_server_only(self):
        server, other = fixture.Server(), fixture.Server()
        self.addCleanup(server.close)
        self.addCleanup(other.close)
        for each in (server, other):
            each.answers["GET /status"] = 200, {"version": "0.1.0", "devices": 2, "packages": 1, "releases": []}
        server.answers["POST /login"] = 200, {"token": "t1", "expires_ms": 1}
        self.assertEqual(self.ferry("login", server.url, FERRY_PASSWORD="long password").status, 0)
        self.assertEqual(server.bodies("POST", "/login"), [{"password": "long password"}])
        self.assertEqual((self.folder / "login.json").stat().st_mode & 0o77, 0)
        self.good("status")
        self.assertEqual(server.calls[-1][3], "Bearer t1")
        self.good("status", "--server", other.url)
        self.assertIsNone(other.calls[-1][3], "a token never goes to another server")

    def test_status_says_what_grows_and_what_ends(self):
        server = self.serve()
        status = {"version": "0.1.0", "devices": 2, "packages": 1, "releases": [], "metadata": {},
                  "sizes": {"database": 3 << 20, "free": 1 << 20, "log": 0}, "refused_records": 2, "losses": 0,
                  "content": {"blobs": 4, "bytes": 2 << 20, "unused_blobs": 1, "unused_bytes": 1 << 19},
                  "streams": [{"stream": "a.b", "rows": 7, "bytes": 1 << 20, "devices": 2}],
                  "expires": [{"what": "metadata root", "expires_ms": 1_800_000_000_000, "state": "ok"},
                              {"what": "metadata targets", "expires_ms": 1_767_225_600_000, "state": "urgent"}]}
        server.answers["GET /status"] = 200, status
        self.assertEqual(self.good("status"), status)
        text = self.ferry("status").out
        for part in ("database 3.0 MiB (free 1.0 MiB)", "2.0 MiB in 4 files", "STREAM ", "a.b ",
                     "records refused: 2", "WARNING: metadata targets expires at 2026-01-01T00:00:00Z"):
            self.assertIn(part, text)
        self.assertNotIn("metadata root expires", text)

    def test_collect_asks_for_a_dry_run(self):
        server = self.serve()
        server.answers["POST /collect"] = 200, {
            "dry_run": True, "dropped": {}, "content": {"blobs": 2, "bytes": 10, "unused_blobs": 1, "unused_bytes": 5,
                                                        "dropped_blobs": 1, "dropped_bytes": 5, "unused": [
                                                            {"sha256": "ab", "length": 5, "since_ms": 0, "dropped": True}]}}
        text = self.ferry("collect", "--dry-run").out
        self.assertEqual(server.bodies("POST", "/collect"), [{"dry_run": True}])
        self.assertIn("would drop 1 files", text)
        self.assertRegex(text, r"UNUSED SINCE\n +ab +5  now\n")

    def test_release_start_sends_rule_stages_and_exclusive_files(self):
        server = self.serve()
        server.answers["POST /releases"] = 200, RELEASE
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps([{"kind": "simulation"}, {"kind": "full", "min_reports": 1}]))
        answer = self.good("release", "start", "--package", "sums", "--version", "1.0.0", "--rule", 'os == "linux"',
                           "--stages", stages, "--salt", "s", "--exclusive", "sums/1.0.0/exclusive/a.json=d1",
                           "--exclusive", "b.json=d2")
        self.assertEqual(answer, RELEASE)
        body = server.bodies("POST", "/releases")[0]
        self.assertEqual(body["exclusive"], [{"path": "sums/1.0.0/exclusive/a.json", "device": "d1"},
                                             {"path": "sums/1.0.0/exclusive/b.json", "device": "d2"}])
        self.assertEqual((body["rule"], body["salt"], body["start"]), ('os == "linux"', "s", True))
        self.assertEqual(body["stages"], json.loads(stages.read_text()))
        self.good("release", "start", "--package", "sums", "--version", "1.0.0", "--rule", 'os == "linux"', "--beta",
                  'tag("beta")', "--gray", "5,25", "--min-healthy", "2.5", "--draft", "--again")
        body = server.bodies("POST", "/releases")[1]
        self.assertEqual([stage["kind"] for stage in body["stages"]], ["simulation", "beta", "gray", "gray", "full"])
        self.assertEqual(body["stages"][2], {"kind": "gray", "percent": 5.0, "min_healthy_ms": 2500})
        self.assertFalse(body["start"])
        self.assertTrue(body["again"])
        self.assertNotIn("again", server.bodies("POST", "/releases")[0])

    def test_release_start_sends_its_pace(self):
        server = self.serve()
        server.answers["POST /releases"] = 200, RELEASE
        pace = self.folder / "pace.json"
        pace.write_text(json.dumps({"rate": {"per_minute": 5}, "when": {"charging": True}}))
        start = ["release", "start", "--package", "sums", "--version", "1.0.0", "--rule", "all", "--pace", pace]
        self.good(*start)
        self.assertEqual(server.bodies("POST", "/releases")[-1]["rate"], {"per_minute": 5})
        pace.write_text(json.dumps({"speed": 5}))
        self.assertIn('"speed" is not rate, retries or when', self.bad("malformed", *start))

    def test_verify_shows_targets_and_sessions(self):
        server = self.serve()
        session = {"device": "0123456789abcdef", "mode": "split", "target": "pair-target 1.0.0", "draft": "pair 1.0.0", "emitted": 40,
                   "acceptance": 0.62, "tokens_per_s": 37.26, "round_trip_ms": None, "bytes_up": 300, "bytes_down": 200}
        server.answers["GET /verify/sessions"] = 200, {"enabled": True, "sessions": [session]}
        self.assertEqual(self.good("verify", "sessions")["sessions"], [session])
        text = self.ferry("verify", "sessions").out
        for part in ("0123456789abcdef ", "pair-target 1.0.0", "0.62", "37.26 tokens/s", "300 B"):
            self.assertIn(part, text)
        server.answers["GET /verify/targets"] = 200, {"enabled": False, "targets": []}
        self.assertIn("--verify", self.ferry("verify", "targets").out)

    def test_wrong_stages_are_found_before_anything_is_sent(self):
        server = self.serve()
        start = ["release", "start", "--package", "sums", "--version", "1.0.0", "--rule", 'os == "linux"']
        self.bad("bad_rule", *start, "--beta", "tag(")
        self.assertEqual(self.ferry(*start, "--gray", "30,20").status, 1)
        stages = self.folder / "stages.json"
        stages.write_text("[{}]")
        self.assertIn("stages.json", self.bad("malformed", *start, "--stages", stages))
        self.bad("invalid_argument", *start, "--stages", stages, "--gray", "5")
        self.assertEqual(server.calls, [])

    def test_preview_actions_status_and_devices(self):
        server = self.serve()
        server.answers["POST /releases/preview"] = 200, {
            "matched": 1, "devices": ["d1"], "stages": [{"index": 0, "name": "full", "planned": 1, "adds": ["d1"]}],
            "outside": [{"device": "d2", "why": 'os == "linux" is false'}]}
        done = self.ferry("release", "preview", "--rule", 'os == "linux"')
        self.assertIn('outside d2: os == "linux" is false', done.out)
        for action in ("pause", "resume", "rollback"):
            server.answers[f"POST /releases/r1/{action}"] = 200, RELEASE
            self.assertEqual(self.good(action, "r1", "--why", "x"), RELEASE)
            self.assertEqual(server.bodies("POST", f"/releases/r1/{action}"), [{"why": "x"}])
        server.answers["GET /releases/r1"] = 200, {**RELEASE, "stages": [], "gates": [
            {"slice": "device_class=mid", "failed": 2, "healthy": 0, "evidence": 120.5, "threshold": 100, "stop": True}]}
        self.assertIn("STOP", self.ferry("status", "r1").out)
        self.assertNotIn("a minute", self.ferry("status", "r1").out)
        for now, part in ((100, "100 new devices a minute\n"), (400, "100 new devices a minute, 400 now\n"),
                          (1_000_000, "100 new devices a minute, without limit now\n")):
            server.answers["GET /releases/r1"] = 200, {**RELEASE, "stages": [], "gates": [], "rate": {"per_minute": 100}, "per_minute": now}
            self.assertIn(part, self.ferry("status", "r1").out)
        server.answers["GET /releases"] = 200, {"releases": [RELEASE]}
        self.assertIn("looked wrong", self.ferry("release", "list").out)
        server.answers["GET /devices"] = 200, {"devices": [{"id": "d1", "os": "linux", "tags": ["beta"]}], "next": None}
        self.assertEqual(len(self.good("device", "list")["devices"]), 1)
        server.answers["GET /devices/d1/why"] = 200, {"device": "d1", "release": "r1", "text": "all conditions hold"}
        self.assertIn("all conditions hold", self.ferry("device", "why", "d1").out)
        self.assertIn("nothing there", self.bad("not_found", "device", "show", "d%1"))
        self.assertEqual(server.calls[-1][1], "/devices/d%251")

    def test_lists_are_read_to_their_last_page(self):
        server = self.serve()
        # The stand-in says "more" of every page; a cursor that leads to itself is the end.
        server.answers["GET /releases"] = 200, {"releases": [RELEASE], "next": "x", "next_cursor": "x"}
        listed = self.good("release", "list")
        self.assertEqual(listed, {"releases": [RELEASE, RELEASE]})
        self.assertEqual([path for _, path, _, _ in server.calls], ["/releases?limit=1000", "/releases?limit=1000&cursor=x"])


if __name__ == "__main__":
    unittest.main()
