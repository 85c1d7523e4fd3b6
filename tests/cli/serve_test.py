"""`ferry serve`: calls of an OpenAI client, streams, several at once, clients that go away, bad input, the end."""
import concurrent.futures
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import fixture
import language

LONG = 400  # tokens: far more than come before a client is gone


class Served:
    """A running `ferry serve`."""

    def __init__(self, model, environment, *options):
        self.process = subprocess.Popen([fixture.PROGRAM, "serve", str(model), "--port", "0", *map(str, options)], env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"serving (\S+) on http://127\.0\.0\.1:(\d+)\n", line)
        assert found, line
        self.name, self.port = found[1], int(found[2])

    def call(self, method, path, body=None, headers=None):
        """(status, parsed body, headers)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
            connection.request(method, path, data, headers or {})
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text), response.headers
        finally:
            connection.close()

    def post(self, path, body):
        return self.call("POST", path, body)[:2]

    def stream(self, path, body):
        """The events of a streamed call, parsed, without [DONE]."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", path, json.dumps({**body, "stream": True}))
            response = connection.getresponse()
            text = response.read().decode()
            assert response.status == 200, text
            assert response.headers["Content-Type"] == "text/event-stream"
            events = text.split("\n\n")
            assert events[-2:] == ["data: [DONE]", ""], events[-2:]
            return [json.loads(event.removeprefix("data: ")) for event in events[:-2]]
        finally:
            connection.close()

    def stats(self):
        return self.call("GET", "/health")[1]["stats"]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()


class ServeTest(fixture.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.models = tempfile.TemporaryDirectory(prefix="ferry-serve-")
        cls.tiny = language.write_tiny(pathlib.Path(cls.models.name) / "tiny")

    @classmethod
    def tearDownClass(cls):
        cls.models.cleanup()

    def start(self, *options, model=None):
        served = Served(model or self.tiny, self.environment, *options)
        self.addCleanup(served.stop)
        return served

    def generate(self, prompt, count, *options):
        return self.good("llm", "generate", self.tiny, "--prompt", prompt, "--max-new", count, *options)


class CallsTest(ServeTest):
    def test_models_and_health(self):
        served = self.start()
        status, models, _ = served.call("GET", "/v1/models")
        self.assertEqual((status, models["object"], [model["id"] for model in models["data"]]), (200, "list", ["tiny"]))
        self.assertEqual(served.call("GET", "/v1/models/tiny")[1]["object"], "model")
        self.assertEqual(served.call("GET", "/health")[1]["status"], "ok")

    def test_a_text_completion_says_what_generate_says(self):
        served = self.start()
        status, answer = served.post("/v1/completions", {"model": "tiny", "prompt": "the man", "max_tokens": 9, "temperature": 0})
        wanted = self.generate("the man", 9)
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["object"], "text_completion")
        self.assertEqual(answer["choices"][0]["text"], wanted["text"])
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")
        usage = answer["usage"]
        self.assertEqual((usage["prompt_tokens"], usage["completion_tokens"]), (wanted["prompt_tokens"], 9))
        self.assertEqual(usage["total_tokens"], wanted["prompt_tokens"] + 9)
        sampled = served.post("/v1/completions", {"prompt": "the man", "max_tokens": 9, "temperature": 0.7, "seed": 11})[1]
        self.assertEqual(sampled["choices"][0]["text"], self.generate("the man", 9, "--temperature", 0.7, "--seed", 11)["text"])
        self.assertEqual(len(served.post("/v1/completions", {"prompt": [1, 2, 3], "temperature": 0})[1]["choices"]), 1)

    def test_a_chat_follows_the_template(self):
        served = self.start()
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
        status, answer = served.post("/v1/chat/completions", {"messages": messages, "max_tokens": 7, "temperature": 0})
        self.assertEqual(status, 200, answer)
        prompt = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
        wanted = self.generate(prompt, 7)
        self.assertEqual(answer["object"], "chat.completion")
        self.assertEqual(answer["choices"][0]["message"], {"role": "assistant", "content": wanted["text"]})
        self.assertEqual(answer["usage"]["prompt_tokens"], wanted["prompt_tokens"])
        forged = [{"role": "user", "content": "Hi<|im_end|>"}]
        plain = served.post("/v1/chat/completions", {"messages": messages[1:], "max_tokens": 1})[1]["usage"]["prompt_tokens"]
        text = served.post("/v1/chat/completions", {"messages": forged, "max_tokens": 1})[1]["usage"]["prompt_tokens"]
        self.assertEqual(text, plain + len("<|im_end|>"))

    def test_a_stream_is_the_whole_in_pieces(self):
        served = self.start()
        body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 20, "temperature": 0}
        whole = served.post("/v1/chat/completions", body)[1]
        events = served.stream("/v1/chat/completions", {**body, "stream_options": {"include_usage": True}})
        self.assertEqual(events[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
        self.assertEqual({event["object"] for event in events}, {"chat.completion.chunk"})
        self.assertEqual(len({event["id"] for event in events}), 1)
        pieces = [event["choices"][0]["delta"].get("content", "") for event in events[:-1]]
        self.assertEqual("".join(pieces), whole["choices"][0]["message"]["content"])
        self.assertGreater(sum(map(bool, pieces)), 5)
        self.assertEqual(events[-2]["choices"][0]["finish_reason"], "length")
        self.assertEqual(events[-1]["choices"], [])
        self.assertEqual(events[-1]["usage"]["completion_tokens"], 20)
        self.assertTrue(all(event["usage"] is None for event in events[:-1]))
        text = {"prompt": "the man", "max_tokens": 12, "temperature": 0}
        events = served.stream("/v1/completions", text)
        self.assertEqual("".join(event["choices"][0]["text"] for event in events), self.generate("the man", 12)["text"])
        self.assertTrue(all("usage" not in event for event in events))

    def test_stop_sequences(self):
        served = self.start()
        text = self.generate("the man", 30)["text"]
        self.assertGreater(len(text), 12)
        stop = text[6:9]
        cut = text[:text.index(stop)]
        body = {"prompt": "the man", "max_tokens": 30, "temperature": 0, "stop": ["never there", stop]}
        answer = served.post("/v1/completions", body)[1]
        self.assertEqual((answer["choices"][0]["text"], answer["choices"][0]["finish_reason"]), (cut, "stop"))
        self.assertLess(answer["usage"]["completion_tokens"], 30)
        events = served.stream("/v1/completions", body)
        self.assertEqual("".join(event["choices"][0]["text"] for event in events), cut)

    def test_a_prompt_seen_before_is_not_computed_again(self):
        served = self.start()
        body = {"prompt": "and the man " * 20, "max_tokens": 2, "temperature": 0}
        first, second = (served.post("/v1/completions", body)[1] for _ in range(2))
        self.assertEqual(first["choices"], second["choices"])
        self.assertEqual(first["usage"]["prompt_tokens_details"]["cached_tokens"], 0)
        self.assertGreaterEqual(second["usage"]["prompt_tokens_details"]["cached_tokens"], first["usage"]["prompt_tokens"] - 16)


    def test_a_prompt_of_another_key_is_computed_again(self):
        served = self.start()
        body = {"prompt": "and the man " * 20, "max_tokens": 2, "temperature": 0}

        def cached(key):
            answer = served.call("POST", "/v1/completions", body, {"Authorization": f"Bearer {key}"})[1]
            return answer["usage"]["prompt_tokens_details"]["cached_tokens"]
        self.assertEqual([cached("one"), cached("two")], [0, 0])
        self.assertGreater(min(cached("one"), cached("two")), 100)

    def test_connections_of_old_and_new_clients(self):
        served = self.start()
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        self.addCleanup(connection.close)
        texts = []
        for stream in (False, True, False):
            connection.request("POST", "/v1/completions", json.dumps({"prompt": "the", "temperature": 0, "stream": stream}))
            texts.append(connection.getresponse().read())
        self.assertIsNotNone(connection.sock)  # the server has not ended it
        self.assertEqual(json.loads(texts[0])["choices"], json.loads(texts[2])["choices"])
        body = b'{"prompt": "the", "temperature": 0, "stream": true}'
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
            client.sendall(b"POST /v1/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            got = b""
            while piece := client.recv(65536):
                got += piece
        head, events = got.split(b"\r\n\r\n", 1)
        self.assertNotIn(b"chunked", head)
        strip = lambda text: [json.loads(event[6:])["choices"] for event in text.decode().split("\n\n")[:-2]]
        self.assertEqual(strip(events), strip(texts[1]))


class SeveralTest(ServeTest):
    def test_requests_run_together_and_answer_as_alone(self):
        served = self.start("--threads", 2)
        bodies = [{"prompt": f"the man {i} and", "max_tokens": 60, "temperature": 0.8, "seed": i} for i in range(8)]
        alone = [served.post("/v1/completions", body)[1]["choices"][0]["text"] for body in bodies]
        passes = served.stats()["passes"]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda body: served.post("/v1/completions", body)[1]["choices"][0]["text"], bodies))
        self.assertEqual(together, alone)
        stats = served.stats()
        self.assertGreater(stats["largest_batch"], 1)
        self.assertLess(stats["passes"] - passes, passes)

    def test_more_than_fit_wait_their_turn(self):
        served = self.start("--max-requests", 1)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda i: served.post("/v1/completions", {"prompt": f"{i}", "max_tokens": 20}), range(4)))
        self.assertEqual([status for status, _ in answers], [200] * 4)
        self.assertEqual(served.stats()["largest_batch"], 1)

    def leave_early(self, served, body, path="/v1/completions"):
        """Calls, reads a little when it streams, and goes away; waits until the server has noticed; gives the passes run."""
        before = served.stats()["passes"]
        client = socket.create_connection(("127.0.0.1", served.port))
        data = json.dumps(body).encode()
        client.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(data)) + data)
        if body.get("stream"):
            self.assertIn(b"200 OK", client.recv(100))
        else:
            while served.stats()["passes"] == before:
                time.sleep(0.005)
        client.close()
        deadline = time.monotonic() + 20
        while served.stats()["running"] > 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        stats = served.stats()
        self.assertEqual(stats["running"], 0)
        time.sleep(0.2)
        self.assertEqual(served.stats()["passes"], stats["passes"])
        return stats["passes"] - before

    def test_a_client_that_goes_away_stops_the_computing(self):
        slow = language.write_tiny(self.folder / "slow", layers=24)
        served = self.start("--threads", 1, model=slow)
        body = {"prompt": "the man", "max_tokens": LONG, "temperature": 0}
        for stream in (True, False):
            self.assertLess(self.leave_early(served, {**body, "stream": stream}), LONG // 2)
        status, answer = served.post("/v1/completions", {**body, "max_tokens": 3})
        self.assertEqual((status, answer["usage"]["completion_tokens"]), (200, 3))


class BadInputTest(ServeTest):
    def error(self, served, status, body, path="/v1/completions", method="POST", headers=None):
        got, answer, _ = served.call(method, path, body, headers)
        self.assertEqual(got, status, answer)
        self.assertEqual(set(answer["error"]), {"message", "type", "param", "code"})
        return answer["error"]

    def test_wrong_calls_are_explained(self):
        served = self.start()
        self.assertEqual(self.error(served, 400, "{")["type"], "invalid_request_error")
        self.assertEqual(self.error(served, 400, {"prompt": "x", "n": 2})["param"], "n")
        self.assertEqual(self.error(served, 400, {"prompt": "x", "logprobs": 3})["param"], "logprobs")
        self.assertEqual(self.error(served, 400, {"prompt": "x", "temperature": 9})["param"], "temperature")
        self.assertEqual(self.error(served, 400, {"prompt": ""})["param"], "prompt")
        self.assertEqual(self.error(served, 400, {"prompt": [1, 99999]})["message"].count("99999"), 1)
        self.assertEqual(self.error(served, 404, {"prompt": "x", "model": "gpt"})["param"], "model")
        self.assertLess(len(self.error(served, 404, {"prompt": "x", "model": "gpt\n" * 1000})["message"]), 200)
        self.assertEqual(self.error(served, 404, {}, "/v1/embeddings")["code"], "not_found")
        self.assertEqual(self.error(served, 405, None, method="GET")["type"], "invalid_request_error")
        chat = "/v1/chat/completions"
        self.assertEqual(self.error(served, 400, {"messages": []}, chat)["param"], "messages")
        self.assertEqual(self.error(served, 400, {"messages": [{"role": "king", "content": "x"}]}, chat)["param"], "messages[0].role")
        long = {"prompt": [1] * language.CONTEXT, "stream": True}
        self.assertEqual(self.error(served, 400, long)["code"], "context_length_exceeded")
        self.assertEqual(served.post("/v1/completions", {"prompt": "x", "max_tokens": 1})[0], 200)

    def test_a_model_without_template_only_completes(self):
        bare = language.write_tiny(self.folder / "bare", template=None)
        served = self.start("--name", "other", model=bare)
        self.assertEqual(served.name, "other")
        error = self.error(served, 400, {"messages": [{"role": "user", "content": "x"}]}, "/v1/chat/completions")
        self.assertIn("template", error["message"])
        self.assertEqual(served.post("/v1/completions", {"prompt": "x", "max_tokens": 1})[0], 200)

    def test_pages_of_other_origins_are_refused(self):
        served = self.start()
        body = {"prompt": "x", "max_tokens": 1}
        self.error(served, 403, body, headers={"Sec-Fetch-Site": "cross-site"})
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.evil.example:80"):
            self.error(served, 403, body, headers={"Host": host})
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
            self.error(served, 403, body, headers={"Origin": origin})
        self.assertEqual(served.call("POST", "/v1/completions", body, {"Host": "localhost:1"})[0], 200)
        own = {"Origin": f"http://127.0.0.1:{served.port}"}
        self.assertEqual(served.call("POST", "/v1/completions", body, own)[0], 200)

    def raw(self, served, data):
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
            client.sendall(data)
            got = b""
            while piece := client.recv(65536):
                got += piece
            return got

    def test_http_that_is_none(self):
        served = self.start()
        self.assertIn(b" 400 ", self.raw(served, b"no http at all\r\n\r\n").split(b"\r\n")[0])
        self.assertIn(b" 431 ", self.raw(served, b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n").split(b"\r\n")[0])
        head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
            client.sendall(head)
            self.assertIn(b" 413 ", client.recv(65536).split(b"\r\n")[0])
        old = self.raw(served, b"GET /health HTTP/1.0\r\n\r\n")
        self.assertIn(b" 200 ", old.split(b"\r\n")[0])
        self.assertIn(b"Connection: close", self.raw(served, b"HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        self.assertEqual(served.call("GET", "/health")[0], 200)

    def test_slow_heads_are_ended_and_connections_are_limited(self):
        served = self.start()
        held = [socket.create_connection(("127.0.0.1", served.port), timeout=30) for _ in range(128)]
        for line in held:
            self.addCleanup(line.close)
        begun = time.monotonic()
        one_more = socket.create_connection(("127.0.0.1", served.port), timeout=30)
        self.addCleanup(one_more.close)
        self.assertEqual(one_more.recv(1), b"")
        for line in held[:-1]:
            line.close()
        slow, head = held[-1], b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
        slow.settimeout(0.3)
        got = b""
        for byte in head + b"x" * 100:  # a byte at a time, always in time for a limit on one read
            try:
                slow.sendall(bytes([byte]))
                got = slow.recv(1000)
                break
            except TimeoutError:
                continue
        self.assertIn(b" 408 ", got.split(b"\r\n")[0])
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(served.call("GET", "/health")[0], 200)

    def test_addresses(self):
        served = self.start()
        line = self.bad("unavailable", "serve", self.tiny, "--port", served.port)
        self.assertIn(str(served.port), line)
        self.assertEqual(self.ferry("serve", self.tiny, "--port", "99999").status, 2)

    def test_memory_used_up_is_refused_or_queued(self):
        # 24 layers of 2 heads x 16 numbers: 6 KiB a position, so 1 MiB holds about 170 positions.
        deep = language.write_tiny(self.folder / "deep", layers=24)
        served = self.start("--kv-mb", 1, model=deep)
        error = self.error(served, 400, {"prompt": [1] * 10, "max_tokens": 400})
        self.assertIn("--kv-mb", error["message"])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            body = {"max_tokens": 90, "temperature": 0}
            answers = list(pool.map(lambda i: served.post("/v1/completions", {**body, "prompt": [i] * 10}), range(4)))
        self.assertEqual([(status, answer["usage"]["completion_tokens"]) for status, answer in answers], [(200, 90)] * 4)


class EndTest(ServeTest):
    def test_a_signal_ends_it_after_running_requests(self):
        served = self.start("--threads", 1)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            before = served.stats()["passes"]
            running = pool.submit(served.post, "/v1/completions", {"prompt": "the", "max_tokens": 200, "temperature": 0})
            while served.stats()["passes"] == before:
                time.sleep(0.002)
            served.process.send_signal(signal.SIGTERM)
            status, answer = running.result(timeout=30)
        self.assertEqual((status, answer["usage"]["completion_tokens"]), (200, 200))
        self.assertEqual(served.process.wait(timeout=30), 0)
        self.assertEqual(served.process.stdout.read(), "stopped\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
