"""Ids are taken by any prefix that only one thing has; texts of help about them."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402

FIRST, SECOND = "3f2a" + "0" * 28, "3f9b" + "1" * 28


class IdsTest(fixture.CliTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.server.answers["GET /devices"] = 200, {"devices": [{"id": FIRST}, {"id": SECOND}, {"id": "40" * 16}], "next": None}
        self.server.answers["GET /releases"] = 200, {"releases": [{"id": "sums-1.0.0-10"}, {"id": "sums-1.0.0-1"}, {"id": "sums-2.0.0-1"}]}

    def last(self):
        return self.server.calls[-1][:2]

    def test_devices(self):
        wanted = {
            ("device", "show", "3f2"): ("GET", f"/devices/{FIRST}"), ("device", "why", "3f9", "--release", "sums-2"):
            ("GET", f"/devices/{SECOND}/why?release=sums-2.0.0-1"), ("device", "tag", "3f2a", "beta"): ("PUT", f"/devices/{FIRST}/tags"),
            ("device", "block", "3f2"): ("POST", f"/devices/{FIRST}/block"), ("device", "new-keys", "3f9"): ("POST", f"/devices/{SECOND}/new-keys"),
            ("device", "erase", "3f2", "--yes"): ("POST", f"/devices/{FIRST}/erase"),
            ("file", "list", "--package", "p", "--device", "3f2"): ("GET", f"/personal?package=p&device={FIRST}"),
            ("record", "show", "s", "--device", "3f2"): ("GET", f"/streams/s?after=0&limit=100&device={FIRST}"),
            ("device", "show", FIRST): ("GET", f"/devices/{FIRST}"), ("device", "show", "77"): ("GET", "/devices/77"),
        }
        for command, call in wanted.items():
            with self.subTest(command):
                self.ferry(*command)
                self.assertEqual(self.last(), call)
        self.good("group", "add", "staff", "3f2", "3f9")
        self.assertEqual(self.server.bodies("POST", "/groups/staff/devices"), [{"add": [FIRST, SECOND]}])

    def test_a_prefix_of_several_names_them(self):
        said = self.bad("invalid_argument", "device", "show", "3f")
        self.assertIn(FIRST, said)
        self.assertIn(SECOND, said)
        self.assertNotIn("4040", said)
        self.assertIn("sums-2.0.0-1", self.bad("invalid_argument", "release", "show", "sums"))
        self.assertEqual({call[0] for call in self.server.calls}, {"GET"})

    def test_releases_campaigns_and_the_like(self):
        self.good("release", "pause", "sums-2")
        self.assertEqual(self.last(), ("POST", "/releases/sums-2.0.0-1/pause"))
        # A whole id that begins another one is meant itself.
        self.good("pause", "sums-1.0.0-1")
        self.assertEqual(self.last(), ("POST", "/releases/sums-1.0.0-1/pause"))
        self.server.answers["GET /campaigns"] = 200, {"campaigns": [{"id": "autumn-1"}]}
        self.good("campaign", "halt", "au")
        self.assertEqual(self.last(), ("POST", "/campaigns/autumn-1/halt"))
        self.server.answers["GET /approvals"] = 200, {"approvals": [{"id": "4c1f0a9b22"}], "policy": {}}
        self.good("approval", "approve", "4c1")
        self.assertEqual(self.last(), ("POST", "/approvals/4c1f0a9b22/approve"))
        self.server.answers["GET /webhooks"] = 200, {"webhooks": [{"id": "abcd"}]}
        self.good("webhook", "delete", "ab")
        self.assertEqual(self.last(), ("DELETE", "/webhooks/abcd"))
        self.server.answers["GET /users/vera/tokens"] = 200, {"tokens": [{"id": "0123456789ab"}]}
        self.good("user", "token", "revoke", "vera", "0123")
        self.assertEqual(self.last(), ("DELETE", "/users/vera/tokens/0123456789ab"))

    def test_help_says_what_is_so(self):
        self.assertIn("random when left out", self.ferry("release", "start", "--help").out)
        self.assertNotIn("looks wrong", self.ferry("resume", "--help").out)
        for command in (["pack"], ["chat"], ["serve"]):
            self.assertNotIn("{false}", self.ferry(*command, "--help").out)


if __name__ == "__main__":
    unittest.main()
