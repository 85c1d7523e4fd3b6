"""tools/bench/engine: rounds that go on, how busy a machine is, floors and what they are compared with."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench/engine"))
import asked  # noqa: E402
import floors  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402

INTEL = machine.Host("GenuineIntel", frozenset(("avx2", "avx512f")))
ZEN_3 = machine.Host("AuthenticAMD", frozenset(("avx2",)))
ZEN_5 = machine.Host("AuthenticAMD", frozenset(("avx2", "avx512f")))


class RoundsTest(unittest.TestCase):
    def count(self, values, least=3, most=9):
        """How many rounds are run of an engine that gives these values, then the last one again."""
        given = iter(values)
        last = [values[-1]]

        def one_round():
            return {"ferry": {"median_ms": 10.0}, "peer": {"median_ms": next(given, last[0])}}

        samples = rounds.run(one_round, least, most)
        self.assertEqual(len(samples["ferry"]), len(samples["peer"]))
        return len(samples["peer"])

    def test_spread_is_between_the_quartiles(self):
        self.assertEqual(rounds.spread([5]), 0)
        self.assertEqual(rounds.spread([4, 4, 4]), 0)
        self.assertAlmostEqual(rounds.spread([8, 9, 10, 11, 12]), 0.2)
        self.assertAlmostEqual(rounds.spread([10, 10, 10, 10, 90]), 0)  # one outlier is no spread

    def test_they_end_where_they_agree(self):
        self.assertEqual(self.count([10, 10.1, 10.2]), 3)

    def test_they_go_on_while_they_do_not(self):
        self.assertEqual(self.count([10, 20, 10, 20, 10, 20, 10, 20, 10, 20]), 9)
        self.assertEqual(self.count([10, 14, 12, 12]), 5)

    def test_at_least_what_is_asked(self):
        self.assertEqual(self.count([10], least=4, most=2), 4)

    def test_an_engine_may_be_left_out(self):
        given = iter([{"ferry": {"median_ms": 1}, "mnn": {"median_ms": 1}}, {"ferry": {"median_ms": 1}}])
        samples = rounds.run(lambda: next(given), 2, 2)
        self.assertEqual({name: len(found) for name, found in samples.items()}, {"ferry": 2, "mnn": 1})

    def test_a_summary_tells_them(self):
        found = report.summary([{"median_ms": ms, "min_ms": ms - 1, "isa": "avx2"} for ms in (8, 9, 10, 11, 12)])
        self.assertEqual((found["median_ms"], found["min_ms"], found["rounds"], found["isa"]), (10, 7, 5, "avx2"))
        self.assertAlmostEqual(found["spread"], 0.2)
        self.assertAlmostEqual(found["range"], 0.4)


class MachineTest(unittest.TestCase):
    def judge(self, *looks, threads=1, cores=4):
        given = iter(looks)
        watch = machine.Watch(take=lambda: next(given), cores=cores)
        return watch.judge([watch.look() for _ in looks], threads)

    def look(self, at_s, used_s, own_s, steal_s=0.0, spin_s=0.01):
        return machine.Look(at_s, used_s, steal_s, own_s, spin_s)

    def test_stat(self):
        text = "cpu  100 20 30 4000 500 6 7 80 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
        used, steal = machine.read_stat(text, 100)
        self.assertAlmostEqual(used, 1.63)
        self.assertAlmostEqual(steal, 0.8)
        self.assertEqual(machine.read_stat("cpu  1 2 3 4\n", 1), (6, 0))

    def test_what_is_ours_is_no_load(self):
        quiet = self.judge(self.look(0, 100, 5), self.look(10, 120, 24.5))
        self.assertAlmostEqual(quiet["others_cores"], 0.05)
        self.assertEqual(quiet["busy"], [])

    def test_ticks_below_nothing(self):
        self.assertEqual(self.judge(self.look(0, 100, 5), self.look(10, 110, 15.2))["others_cores"], 0)

    def test_others_steal_and_clock(self):
        self.assertIn("2.00 of 4 cores", self.judge(self.look(0, 0, 0), self.look(10, 30, 10))["busy"][0])
        self.assertIn("steal", self.judge(self.look(0, 0, 0), self.look(10, 10, 10, steal_s=2))["busy"][0])
        slow = self.judge(self.look(0, 0, 0), self.look(5, 5, 5, spin_s=0.02), self.look(10, 10, 10, spin_s=0.02))
        self.assertIn("100% longer", slow["busy"][0])

    def test_more_threads_than_cores(self):
        self.assertIn("8 threads on 4 cores", self.judge(self.look(0, 0, 0), self.look(1, 1, 1), threads=8)["busy"][0])

    def test_a_look_at_this_machine(self):
        watch = machine.Watch()
        first, last = watch.look(), watch.look()
        self.assertGreater(first.spin_s, 0)
        self.assertGreaterEqual(watch.judge([first, last])["others_cores"], 0)

    def test_hosts(self):
        text = "processor : 0\nvendor_id\t: GenuineIntel\nflags\t\t: fma avx2 avx512f amx_int8\n\nvendor_id\t: other\n"
        host = machine.read_host(text)
        self.assertTrue(host.is_intel() and host.is_wide() and not host.is_avx2())
        self.assertEqual(str(host), "GenuineIntel avx2 avx512f amx_int8")
        self.assertTrue(ZEN_3.is_avx2() and not ZEN_3.is_intel())
        self.assertFalse(ZEN_5.is_avx2() or ZEN_5.is_intel())
        self.assertEqual(str(machine.read_host("Features : asimd\n")), "unknown")


class FloorsTest(unittest.TestCase):
    def test_verdicts(self):
        self.assertEqual(floors.Floor("a", 1.2, 1.2).verdict(), "met")
        self.assertEqual(floors.Floor("a", 1.1, 1.2).verdict(), "missed")
        self.assertEqual(floors.Floor("a", 1.1, 1.2, at_most=True).verdict(), "met")
        self.assertEqual(floors.Floor("a", 1.3, 1.2, at_most=True).verdict(), "missed")
        for unknown in (floors.Floor("a", None, 1), floors.Floor("a", 1, None), floors.Floor("a", float("nan"), 1),
                        floors.Floor("a", 2, 1, judged=False)):
            self.assertEqual(unknown.verdict(), "not judged")

    def test_table(self):
        text = floors.lines([floors.Floor("first", 1.25, 1.2, note="why"),
                             floors.Floor("second", 25, 20, at_most=True, unit="ms", busy=True)])
        self.assertRegex(text[1], r"^first +at least 1\.2 +1\.25 x +met +why$")
        self.assertRegex(text[2], r"^second +at most 20 +25 ms +missed \(busy\)$")
        self.assertEqual(text[3], "1 met, 1 missed")
        self.assertIn("too busy", text[4])
        self.assertEqual(len(floors.lines([floors.Floor("first", 1.25, 1.2)])), 3)
        self.assertEqual(floors.lines([]), ["no floor was measured"])

    def test_json(self):
        found = floors.Floor("a", 2.0, 1.0, at_most=True, unit="ms", busy=True).as_json()
        self.assertEqual((found["verdict"], found["busy"], found["limit"], found["at_most"]), ("missed", True, 1.0, True))
        self.assertEqual([floors.Floor("a", 2.0, limit).as_json()["holds"] for limit in (1, 3, None)], [True, False, True])


class AskedTest(unittest.TestCase):
    def row(self, network, ours, theirs, kind="float32", isa="avx512", busy=()):
        """ours: {threads: ms}; theirs is one time."""
        return {"kind": kind, "network": network,
                "machine": {str(t): {"busy": list(busy)} for t in ours},
                "threads": {str(t): {"ferry": {"median_ms": ms, "isa": isa}, "onnxruntime": {"median_ms": theirs}}
                            for t, ms in ours.items()}}

    def of(self, rows, threads=(1,), host=INTEL, cores=8, isa=""):
        return {floor.name: floor for floor in asked.of_networks(rows, list(threads), host, cores, isa)}

    def test_mean_and_lowest(self):
        found = self.of([self.row("a", {1: 10}, 9), self.row("b", {1: 10}, 25, busy=["others"])])
        mean, lowest = found["float32, 1 thread: geometric mean of 2"], found["float32, 1 thread: lowest network"]
        self.assertAlmostEqual(mean.value, 1.5)
        self.assertEqual((mean.limit, mean.verdict(), mean.busy), (1.2, "met", True))
        self.assertEqual((lowest.value, lowest.note, lowest.verdict(), lowest.busy), (0.9, "a", "missed", False))

    def test_limits_of_hosts(self):
        limits = {(kind, threads, host): asked.mean_limit(kind, threads, host) for kind in ("float32", "int8")
                  for threads in (1, 2, 4) for host in (INTEL, ZEN_3, ZEN_5)}
        self.assertEqual({key: limit for key, limit in limits.items() if limit}, {
            ("float32", 1, INTEL): 1.2, ("float32", 4, INTEL): 1.2, ("float32", 1, ZEN_3): 1.15,
            ("float32", 4, ZEN_3): 1.15, ("int8", 1, INTEL): 1.72})
        found = self.of([self.row("a", {1: 10}, 20)], host=ZEN_5)["float32, 1 thread: geometric mean of 1"]
        self.assertEqual(found.verdict(), "not judged")
        self.assertIn("no floor on this host", found.note)

    def test_a_peer_with_wider_instructions_is_not_judged_by(self):
        rows = [self.row("a", {1: 10}, 20)]
        self.assertEqual({f.verdict() for f in self.of(rows, isa="avx2").values()}, {"not judged"})
        self.assertEqual({f.verdict() for f in self.of(rows, isa="avx512").values()}, {"met"})
        self.assertEqual({f.verdict() for f in self.of(rows, host=ZEN_3, isa="avx2").values()}, {"met"})

    def test_more_threads(self):
        rows = [self.row("a", {1: 10, 4: 5}, 9), self.row("b", {1: 10, 4: 11}, 9)]
        found = self.of(rows, threads=(4, 1))["float32: 4 over 1 thread, the slowest network"]
        self.assertEqual((found.value, found.note, found.verdict()), (1.1, "b", "missed"))
        found = self.of(rows, threads=(1, 4), cores=2)["float32: 4 over 1 thread, the slowest network"]
        self.assertEqual(found.verdict(), "not judged")

    def test_networks_that_failed_are_left_out(self):
        failed = {"kind": "float32", "network": "c", "threads": {}, "machine": {}, "error": "refused"}
        self.assertEqual(self.of([failed]), {})
        self.assertIn("float32, 1 thread: geometric mean of 1", self.of([self.row("a", {1: 1}, 2), failed]))

    def test_int8_without_vnni(self):
        def rows(isa):
            return [self.row("resnet50", {1: 34}, 40), self.row("resnet50_int8", {1: 20}, 40, kind="int8", isa=isa)]
        name = "resnet50, int8 without VNNI over float32, 1 thread"
        self.assertEqual((self.of(rows("avx2"))[name].value, self.of(rows("avx2"))[name].verdict()), (1.7, "met"))
        self.assertNotIn(name, self.of(rows("vnni")))

    def test_amx(self):
        row = self.row("resnet50_int8", {1: 10}, 40, kind="int8", isa="amx")
        row["threads"]["1"]["ferry-vnni"] = {"median_ms": 16.0}
        found = self.of([row])["resnet50_int8, int8 beside VNNI, 1 thread"]
        self.assertEqual((found.value, found.note, found.verdict()), (1.6, "amx", "met"))
        results = [{"group": "gemm", "name": name, "gflops": gflops}
                   for name, gflops in (("1024x1024x1024", 100.0), ("bf16 1024x1024x1024", 250.0))]
        amx = machine.Host("GenuineIntel", frozenset(("avx512f", "amx_bf16")))
        self.assertEqual([floor.verdict() for floor in asked.of_bfloat16(results, amx, False)], ["missed"])
        self.assertEqual([floor.verdict() for floor in asked.of_bfloat16(results, INTEL, False)], ["not judged"])
        self.assertEqual(asked.of_bfloat16(results[:1], amx, False), [])

    def test_products(self):
        def result(group, name, gflops, isa="avx2"):
            return {"group": group, "name": name, "isa": isa, "gflops": gflops}
        found = asked.of_products(
            [result("peak", "any", 100.0), result("gemm", "512x512x512", 90.0), result("gemm", "256x768x768", 80.0),
             result("gemm", "197x192x768", 110.0), result("gemm", "1x8960x1536", 10.0),
             result("gemm", "512x512x512", 150.0, isa="avx512")], "avx2", False)
        self.assertEqual([(floor.value, floor.verdict()) for floor in found],
                         [(0.9, "met"), (0.8, "missed"), (1.1, "not judged")])


if __name__ == "__main__":
    unittest.main()
