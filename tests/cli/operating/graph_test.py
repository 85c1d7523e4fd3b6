"""ferry inspect --graph-json: a model as nodes, values and edges, with estimated cost and what is quantised."""
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/cli"))
import fixture  # noqa: E402

DIGITS = ROOT / "tasks/digits/digits.onnx"


class GraphTest(fixture.CliTest):
    def graph(self, *arguments):
        done = self.ferry("inspect", *arguments, "--graph-json")
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(json.loads(done.out), self.good("inspect", *arguments, "--graph-json"), "with --json it is the same object")
        return json.loads(done.out)

    def check_whole(self, graph):
        """Every number of a value or node names one; a node reads what nodes before it, inputs or constants give."""
        values, nodes = graph["values"], graph["nodes"]
        made = set(graph["inputs"]) | {number for number, value in enumerate(values) if "bytes" in value}
        for at, node in enumerate(nodes):
            read = {number for number in node["inputs"] if number >= 0}
            self.assertLessEqual(read, made, node)
            made |= set(node["outputs"])
            edges = {edge[2] for edge in graph["edges"] if edge[1] == at}
            self.assertEqual(edges, {number for number in read if any(number in other["outputs"] for other in nodes)}, node)
        self.assertLessEqual(set(graph["outputs"]), made)
        self.assertLess(max(made), len(values))
        self.assertEqual(graph["node_count"], len(nodes) + graph["left_out"])

    def test_a_model_of_one_node(self):
        model = self.folder / "one.onnx"
        model.write_bytes(fixture.onnx("Relu"))
        graph = self.graph(model)
        self.check_whole(graph)
        self.assertEqual([(node["op"], node["name"]) for node in graph["nodes"]], [("Relu", "node_7")])
        self.assertEqual(graph["values"][graph["inputs"][0]], {"name": "x", "dtype": "f32", "shape": [1, 4]})
        self.assertEqual(graph["nodes"][0]["bytes"], 32)
        self.assertEqual(graph["cost"], "estimated")

    def test_a_network_before_and_after_it_is_converted(self):
        imported = self.graph(DIGITS)
        self.check_whole(imported)
        converted = self.folder / "digits.fm"
        self.good("convert", DIGITS, "-o", converted)
        stored = self.graph(converted)
        self.check_whole(stored)
        self.assertEqual(stored["macs"], imported["macs"], "fusing changes no product")
        self.assertGreater(stored["macs"], 0)
        self.assertLess(len(stored["nodes"]), len(imported["nodes"]))
        self.assertEqual(stored["quantization"]["nodes"], [])

    def test_a_quantised_model_tells_its_bits_and_scales(self):
        model = self.folder / "small.fm"
        self.good("quantize", DIGITS, "--type", "weight8", "-o", model)
        graph = self.graph(model)
        self.check_whole(graph)
        report = graph["quantization"]
        weights = [weight for node in report["nodes"] for weight in node["weights"]]
        self.assertTrue(weights)
        for weight in weights:
            self.assertEqual(weight["bits"], 8)
            self.assertTrue(0 < weight["scale_min"] <= weight["scale_max"], weight)
            self.assertLess(weight["bytes_after"], weight["bytes_before"] * 0.6)
        self.assertEqual(report["bytes_after"], sum(weight["bytes_after"] for weight in weights))
        for node in report["nodes"]:
            self.assertLess(node["node"], len(graph["nodes"]))

    def test_a_package_names_its_models(self):
        folder = self.task(models={"a": "digits.onnx"})
        (folder / "digits.onnx").write_bytes(DIGITS.read_bytes())
        package = self.folder / "sums.fpk"
        self.good("pack", folder, "-o", package)
        graph = self.graph(package)
        self.check_whole(graph)
        self.assertIn(graph["file"], [item["path"] for item in self.good("inspect", package)["manifest"]["files"]])
        self.assertIn(graph["file"], self.bad("not_found", "inspect", package, "--graph-json", "--model", "b.fm"))
        self.assertIn("no model", self.bad("not_found", "inspect", self.pack(), "--graph-json"))

    def test_times_of_a_bench_are_told_by_node(self):
        converted, times = self.folder / "digits.fm", self.folder / "times.json"
        self.good("convert", DIGITS, "-o", converted)
        times.write_text(json.dumps(self.good("bench", converted, "--seconds", "0.05", "--explain")))
        graph = self.graph(converted, "--profile", times)
        self.check_whole(graph)
        timed = [node["reported_us"] for node in graph["nodes"] if "reported_us" in node]
        self.assertTrue(timed, graph["reported"])
        self.assertAlmostEqual(sum(timed), graph["reported"]["us"], places=3)
        self.assertNotIn("reported", self.graph(converted))
        times.write_text("{}")
        self.assertIn("times.json", self.bad("malformed", "inspect", converted, "--graph-json", "--profile", times))

    def test_operators_that_are_unknown_are_shown_and_told(self):
        model = self.folder / "odd.onnx"
        model.write_bytes(fixture.onnx("Frobnicate"))
        graph = self.graph(model)
        self.assertEqual(graph["nodes"][0]["op"], "Frobnicate")
        self.assertIn("Frobnicate", graph["unknown"])

    def test_what_is_no_model_or_is_cut_off_is_an_error(self):
        converted = self.folder / "digits.fm"
        self.good("convert", DIGITS, "-o", converted)
        data = converted.read_bytes()
        for name, content in (("cut.fm", data[:len(data) // 2]), ("short.fm", data[:20]), ("cut.onnx", DIGITS.read_bytes()[:3000]),
                              ("text.fm", b"hello\n")):
            (self.folder / name).write_bytes(content)
            self.assertIn(name, self.bad("bad_model", "inspect", self.folder / name, "--graph-json"))
        (self.folder / "bad.fpk").write_bytes(b"hello\n")
        self.bad("bad_package", "inspect", self.folder / "bad.fpk", "--graph-json")
        (self.folder / "x.json").write_text("{}")
        self.assertIn("no model", self.bad("invalid_argument", "inspect", self.folder / "x.json", "--graph-json"))


if __name__ == "__main__":
    unittest.main()
