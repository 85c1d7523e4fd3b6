"""Converts @NAME@.onnx, runs it and compares with what it must give: python3 test_model.py."""
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
    model = HERE / "@NAME@.fm"
    ferry("convert", HERE / "@NAME@.onnx", "-o", model)
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
