"""A prompt of 1,024 tokens beside a running stream of `ferry serve`: the stream goes on without a long gap."""
import concurrent.futures
import http.client
import json
import re
import subprocess
import time

from drill import ROOT, Failed, Outcome

MODEL = ROOT / "tasks/pair/target.flm"
PROMPT_TOKENS = 1024
STREAM_TOKENS = 600  # more than are written while the prompt is read
BEFORE = 20  # tokens of the stream before the prompt comes
MOST_MS = 500  # between two tokens of the stream, on a machine that does other things too


class Serve:
    """`ferry serve` on a free port."""

    def __init__(self, bin_dir):
        self.child = subprocess.Popen([bin_dir / "ferry", "serve", MODEL, "--port", "0"], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.child.stdout.readline())
        if not found:
            raise Failed(f"ferry serve said nothing: status {self.child.wait(10)}")
        self.port = int(found[1])

    def ask(self, body):
        """The response to /v1/completions, not yet read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", "/v1/completions", json.dumps(body))
        response = connection.getresponse()
        if response.status != 200:
            raise Failed(f"ferry serve: {response.status} {response.read()[:300]}")
        return response

    def stream(self, on_token):
        """A stream's text; `on_token` is called with the number of each of its events and when it came."""
        text = ""
        body = {"prompt": "My dear sir,", "max_tokens": STREAM_TOKENS, "temperature": 1, "seed": 7, "stream": True}
        for line in self.ask(body):
            if not line.startswith(b"data: {"):
                continue
            piece = json.loads(line[6:])["choices"][0]["text"]
            text += piece
            if piece:
                on_token(time.monotonic())
        return text

    def stop(self):
        self.child.terminate()
        self.child.wait(30)
        self.child.stdout.close()


def beside_a_prompt(serve, number):
    """(text of the stream, its longest gap while the prompt was read, how long that took), times in seconds."""
    times, asked = [], []
    ids = [(number * 7919 + 31 * i) % 8000 + 100 for i in range(PROMPT_TOKENS)]  # never the same, so nothing is reused

    def read_prompt():
        asked.append(time.monotonic())
        serve.ask({"prompt": ids, "max_tokens": 1, "temperature": 0}).read()
        asked.append(time.monotonic())

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = []

        def on_token(now):
            times.append(now)
            if len(times) == BEFORE:
                running.append(pool.submit(read_prompt))

        text = serve.stream(on_token)
        running[0].result(120)
    gaps = [after - before for before, after in zip(times, times[1:]) if after > asked[0] and before < asked[1]]
    return text, max(gaps), asked[1] - asked[0]


def run(bin_dir, folder, runs):
    serve = Serve(bin_dir)
    try:
        alone = serve.stream(lambda now: None)
        results = [beside_a_prompt(serve, number) for number in range(runs)]
    finally:
        serve.stop()
    longest = int(1000 * max(gap for _, gap, _ in results))
    prompts = int(1000 * max(took for _, _, took in results))
    changed = sum(text != alone for text, _, _ in results)
    return Outcome("long_prompt", runs, lost=changed, recovered_ms=longest, ok=changed == 0 and longest <= MOST_MS,
                   note=f"longest gap of a stream {longest} ms, the prompt took {prompts} ms")
