"""Groups and gates: `ferry group`, what it sends and how it reads; `ferry gate simulate`, the same figures on a seed, the
floors of good and bad releases, stages and slices, bad input."""
import json
import unittest

import fixture


class GateTest(fixture.CliTest):
    def simulate(self, *arguments):
        return self.good("gate", "simulate", *arguments)

    def write(self, name, value):
        path = self.folder / name
        path.write_text(json.dumps(value))
        return path

    def test_good_releases_are_spared_and_bad_ones_stopped(self):
        good = self.simulate("--rate", 0.005, "--runs", 40, "--devices", 3000)
        self.assertEqual((good["runs"], good["stopped"], good["median_devices"]), (40, 0, None))
        self.assertEqual(good["decisions"], {"stopped": 0, "complete": 40, "open": 0})
        bad = self.simulate("--rate", 0.05, "--runs", 40, "--devices", 5000)
        self.assertEqual(bad["stopped"], 40)
        self.assertLess(bad["median_devices"], 400)
        self.assertLessEqual(bad["median_devices"], bad["p90_devices"])
        self.assertEqual(bad["stopped_by"], {"failure": 40})

    def test_a_seed_gives_the_same_runs(self):
        one = self.simulate("--rate", 0.04, "--runs", 5, "--seed", 3, "--spread", "exponential")
        self.assertEqual(one, self.simulate("--rate", 0.04, "--runs", 5, "--seed", 3, "--spread", "exponential"))
        self.assertNotEqual(one, self.simulate("--rate", 0.04, "--runs", 5, "--seed", 4, "--spread", "exponential"))

    def test_a_bad_day_for_everybody_stops_nobody(self):
        day = ["--rate", 0.1, "--control-rate", 0.1, "--runs", 10, "--devices", 2000]
        self.assertEqual(self.simulate(*day, "--control", 30)["stopped"], 0)
        self.assertEqual(self.simulate(*day)["stopped"], 10)

    def test_stages_and_settings_of_a_release(self):
        stages = self.write("stages.json", [
            {"kind": "simulation"}, {"kind": "beta", "who": "tag(\"beta\")", "min_healthy_ms": 60000},
            {"kind": "gray", "percent": 5, "min_healthy_ms": 60000, "control": 50}, {"kind": "full"}])
        settings = self.write("settings.json", {"tolerated_rate": 0.6, "max_failed_percent": 90})
        bad = ["--rate", 0.4, "--runs", 5, "--devices", 2000, "--stages", stages]
        self.assertEqual(self.simulate(*bad)["stopped"], 5)
        mild = self.simulate(*bad, "--settings", settings)
        self.assertEqual((mild["stopped"], mild["tolerated_rate"]), (0, 0.6))

    def test_a_slice_stops_alone(self):
        settings = self.write("settings.json", {"stop_slices_alone": True})
        told = self.simulate("--slices", "os=ios:0.05:0.5", "os=android:0.9", "--settings", settings, "--runs", 5,
                             "--devices", 4000)
        self.assertEqual((told["stopped"], told["stopped_slices"]), (0, {"os=ios": 5}))

    def test_text(self):
        done = self.ferry("gate", "simulate", "--rate", 0.3, "--runs", 3)
        self.assertEqual(done.status, 0, done.err)
        self.assertRegex(done.out, r"3 runs, 20000 devices, 30% fail, 1.2% tolerated\n  stopped +3\n  +by gate failure +3\n")

    def test_bad_input(self):
        simulate = ["gate", "simulate", "--runs", 1]
        self.assertIn("rate 2 is not from 0 to 1", self.bad("invalid_argument", *simulate, "--rate", 2))
        self.assertIn("wanted os=ios:SHARE", self.bad("invalid_argument", *simulate, "--slices", "ios"))
        self.assertIn("is no number", self.bad("invalid_argument", *simulate, "--slices", "os=ios:much"))
        self.assertIn("more than the fleet", self.bad("invalid_argument", *simulate, "--slices", "os=a:0.6", "os=b:0.6"))
        self.assertIn("nowhere", self.bad("not_found", *simulate, "--stages", "nowhere"))
        broken = self.write("broken.json", {"alpha": 7})
        self.assertIn("alpha 7 is not between", self.bad("invalid_argument", *simulate, "--settings", broken))


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
