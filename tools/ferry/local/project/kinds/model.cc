// A model: a small classifier in ONNX, what a package says of it, a test of its numbers.
#include "device-runtime/formats/onnx_writer.h"
#include "device-runtime/ir/text.h"
#include "tools/ferry/local/project/project.h"

namespace ferry::cli {
namespace {

constexpr char kGraph[] = R"(graph classifier
input features f32 ["n",4]
const weights f32 [4,3] = 0.8 -0.2 -0.6 -0.5 0.9 0.1 0.3 -0.4 0.7 -0.1 0.2 0.5
const bias f32 [3] = 0.1 0 -0.1
node Gemm scores (features, weights, bias) -> (scores)
node Softmax probabilities (scores) -> (prob) axis=i-1
output prob
)";

constexpr char kAbout[] = R"({
  "description": "NAME: four features in, the probabilities of three classes out",
  "licence": "to be said",
  "requires": {}
}
)";

constexpr char kLabels[] = R"(first
second
third
)";

constexpr char kTestModel[] =
    R"("""Converts NAME.onnx, runs it and compares with what it must give: python3 test_model.py."""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FERRY = os.environ.get("FERRY", "ferry")
CASES = [([1, 0, 0, 0], [0.651564, 0.216887, 0.131549]),
         ([0, 2, 0, 1], [0.038405, 0.771376, 0.190219])]


def ferry(*arguments):
    done = subprocess.run([FERRY, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    model = HERE / "NAME.fm"
    ferry("convert", HERE / "NAME.onnx", "-o", model)
    for features, expected in CASES:
        given = HERE / "features.json"
        given.write_text(json.dumps([features]))
        got = ferry("run", model, "--input", given)["outputs"]["prob"][0]
        given.unlink()
        if max(abs(a - b) for a, b in zip(got, expected)) > 1e-3:
            sys.exit(f"{features}: {got}, expected {expected}")
    print(f"{len(CASES)} passed")


if __name__ == "__main__":
    main()
)";

constexpr char kReadme[] = R"(# NAME

A small classifier to begin with; put your own NAME.onnx in its place.

    python3 test_model.py                                # converts, runs, compares
    ferry inspect NAME.onnx                              # inputs, outputs, operators
    ferry run NAME.onnx --seed 1 --labels labels.txt     # on random numbers; the likeliest first
    ferry bench NAME.onnx --threads 2                    # how fast it is here
    ferry quantize NAME.onnx -o NAME.int8.fm --data random:8  # int8; real inputs are better
    ferry pack NAME.onnx --name NAME --package-version 1.0.0 --about about.json -o NAME-1.0.0.fpk
)";

Result<ProjectFiles> ModelFiles(const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const ir::Graph graph, ir::Parse(kGraph));
  FERRY_ASSIGN_OR_RETURN(Bytes onnx, formats::WriteOnnx(graph));
  return ProjectFiles{{name + ".onnx", std::move(onnx)},
                      TextFile("about.json", kAbout, name),
                      TextFile("labels.txt", kLabels, name),
                      TextFile("test_model.py", kTestModel, name),
                      TextFile("README.md", kReadme, name)};
}

}  // namespace

extern const ProjectKind kModelProject;
const ProjectKind kModelProject = {
    .kind = "model", .language = "", .test = "python3 FOLDER/test_model.py", .files = ModelFiles};

}  // namespace ferry::cli
