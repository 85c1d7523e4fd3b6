"""Runs a packaged task in this process, without a server: task.py digits.fpk images.f32"""
import sys

import ferry


def show(result):  # on a thread of the runtime, one at a time
    print(f"image {result['result']['image']} shows {result['result']['digit']}")


with ferry.Runtime(show) as runtime, open(sys.argv[2], "rb") as file:
    runtime.open_task(sys.argv[1])
    for number in range(5):
        pixels = [int(value * 16) for value in memoryview(file.read(64 * 4)).cast("f")]
        runtime.send({"id": "page_enter", "page": "scan"})
        runtime.send({"id": "image", "page": "scan", "data": {"image": number, "pixels": pixels}})
    runtime.flush(timeout=30)
    print(f"p50 {runtime.status['tasks']['digits']['p50_ms']:.2f} ms")

# A rule as releases have it, asked here.
policy = ferry.Policy('os == "android" and memory >= 4 GiB')
print(policy.matches({"os": "linux"}).reason)
