"""ferry group: what it sends and how it reads."""
import unittest

import fixture


class GroupTest(fixture.CliTest):
    def test_lists_and_rules(self):
        server = self.serve()
        server.answers["POST /groups"] = 200, {"name": "staff", "kind": "list", "devices_listed": 2}
        self.assertEqual(self.good("group", "create", "staff", "d1", "d2")["devices_listed"], 2)
        rule = 'os == "android" and memory >= 3 GiB'
        self.good("group", "create", "phones", "--rule", rule)
        self.assertEqual(server.bodies("POST", "/groups"),
                         [{"name": "staff", "devices": ["d1", "d2"]}, {"name": "phones", "rule": rule}])
        server.answers["PUT /groups/phones"] = 200, {"name": "phones", "kind": "rule", "rule": "all"}
        self.assertIn("rule all", self.ferry("group", "create", "phones", "--rule", "all", "--replace").out)
        self.assertEqual(server.bodies("PUT", "/groups/phones"), [{"rule": "all"}])
        self.assertIn("--rule", self.bad("invalid_argument", "group", "create", "staff", "--replace"))

    def test_devices_come_and_go(self):
        server = self.serve()
        server.answers["POST /groups/staff/devices"] = 200, {"name": "staff", "added": 1, "removed": 0, "devices_listed": 3}
        self.assertEqual(self.ferry("group", "add", "staff", "d1", "d2").out,
                         "staff: 1 added, 0 removed, 3 devices listed\n")
        self.good("group", "remove", "staff", "d3")
        self.assertEqual(server.bodies("POST", "/groups/staff/devices"), [{"add": ["d1", "d2"]}, {"remove": ["d3"]}])
        self.assertEqual(self.ferry("group", "add", "staff").status, 2)

    def test_show_list_and_delete(self):
        server = self.serve()
        staff = {"name": "staff", "kind": "list", "devices_listed": 2}
        server.answers["GET /groups"] = 200, {"groups": [staff, {"name": "all-of-us", "kind": "rule", "rule": "all"}]}
        text = self.ferry("group", "list").out
        self.assertRegex(text, r"GROUP +DEVICES +RULE")
        self.assertRegex(text, r"staff +2 ")
        self.assertRegex(text, r"all-of-us +- +all ")
        server.answers["GET /groups/staff"] = 200, {**staff, "devices": ["d1", "d2"], "next": None}
        self.assertEqual(self.good("group", "show", "staff"), {**staff, "devices": ["d1", "d2"]})
        self.assertTrue(self.ferry("group", "show", "staff").out.endswith("  d1\n  d2\n"))
        self.assertIn("is gone", self.ferry("group", "delete", "staff").out)
        self.assertEqual(server.calls[-1][:2], ("DELETE", "/groups/staff"))
        server.answers["DELETE /groups/staff"] = 400, {
            "error": {"code": 6, "name": "failed_precondition", "text": "release r1, which is gray, names group staff"}}
        self.assertIn("names group staff", self.bad("failed_precondition", "group", "delete", "staff"))


if __name__ == "__main__":
    unittest.main()
