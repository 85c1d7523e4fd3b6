"""Tasks, language models, streams and policies in Python: results, callbacks, and what is wrong."""
import asyncio
import gc
import json
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest

import python_binding

python_binding.begin()

import ferry  # noqa: E402

ROOT = python_binding.ROOT
DRAFT = ROOT / "tasks/pair/draft.flm"
PROMPT = "It was a dark night, and the"


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-python-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def refused(self, call, name, *parts):
        with self.assertRaises(ferry.Error) as caught:
            call()
        self.assertEqual(caught.exception.name, name, caught.exception)
        for part in parts:
            self.assertIn(part, str(caught.exception))


class Unraisable:
    """What callbacks raise is noted here."""

    def __enter__(self):
        self.seen, self.before = [], sys.unraisablehook
        sys.unraisablehook = lambda one: self.seen.append(one.exc_type)
        return self.seen

    def __exit__(self, *raised):
        sys.unraisablehook = self.before


def images(count):
    data = (ROOT / "tasks/digits/images.f32").read_bytes()
    for k in range(count):
        yield {"id": "page_enter", "page": "scan", "time_ms": 1000 + k}
        pixels = [round(value * 16) for value in memoryview(data[k * 256:(k + 1) * 256]).cast("f")]
        yield {"id": "image", "page": "scan", "time_ms": 1000 + k, "data": {"image": k, "pixels": pixels}}


class Tasks(Case):
    def setUp(self):
        super().setUp()
        self.package = python_binding.pack(self.folder, "digits")

    def test_a_task(self):
        results = []
        with ferry.Runtime(results.append, threads=1) as runtime:
            runtime.open_task(self.package)
            for event in images(5):
                runtime.send(event)
            runtime.send('{"id": "other"}')
            runtime.flush(30)
            self.assertEqual(runtime.status["tasks"]["digits"]["inferences"], 5)
            model = runtime.model("digits:digits", arrays=False)
        self.assertEqual([one["result"]["image"] for one in results], list(range(5)))
        labels = (ROOT / "tasks/digits/labels.u8").read_bytes()
        self.assertEqual([one["result"]["digit"] for one in results], list(labels[:5]))
        # The model lives on.
        data = (ROOT / "tasks/digits/images.f32").read_bytes()
        self.assertEqual(model(memoryview(data[:256]).cast("f", (1, 1, 8, 8))).argmax(), labels[0])

    def test_a_callback_that_raises(self):
        seen = []

        def on_result(result):
            seen.append(result["result"]["image"])
            raise ZeroDivisionError("of the app")
        with Unraisable() as raised, ferry.Runtime(on_result, threads=1) as runtime:
            runtime.open_task(self.package)
            for event in images(3):
                runtime.send(event)
            runtime.flush(30)
            runtime.close()
        self.assertEqual(seen, [0, 1, 2])
        self.assertEqual(raised, [ZeroDivisionError] * 3)

    def test_what_a_callback_may_call(self):
        errors, done = [], threading.Event()

        def on_result(result):
            try:
                runtime.status
                runtime.send({"id": "more"})
                runtime.flush(1)
            except Exception as error:
                errors.append(error)
            done.set()
        runtime = ferry.Runtime(on_result, threads=1)
        runtime.open_task(self.package)
        for event in images(1):
            runtime.send(event)
        self.assertTrue(done.wait(30))
        self.assertEqual([error.name for error in errors], ["failed_precondition"])
        # Dropped by its own callback.
        runtime = None
        gc.collect()

    def test_the_last_owner_is_the_callback(self):
        held, done = [], threading.Event()

        def on_result(result):
            held.clear()
            gc.collect()
            done.set()
        held.append(ferry.Runtime(on_result, threads=1))
        held[0].open_task(self.package)
        for event in images(1):
            held[0].send(event)
        self.assertTrue(done.wait(30))
        ferry.Runtime().close()

    def test_calls_files_and_tables(self):
        results = []
        with ferry.Runtime(results.append, threads=1, outbox=self.folder / "outbox") as runtime:
            runtime.open_task(python_binding.pack(self.folder, "ipv"))
            runtime.open_task(self.package)
            table = runtime.table("ipv_returns", "ipv")
            self.assertIsNone(table.get(7))
            table.put({"item": 7, "times": 2})
            table.put({"item": 9, "times": 1})
            self.assertEqual(table.get(7), {"item": 7, "times": 2})
            self.assertEqual([row["item"] for row in table.range(descending=True)], [9, 7])
            table.delete(7)
            self.assertEqual(runtime.table("ipv_returns").range(limit=5), [{"item": 9, "times": 1}])
            self.refused(lambda: table.put({"item": 7, "tims": 2}), "invalid_argument", "tims")
            self.refused(lambda: runtime.table("none", "ipv").get(1), "not_found", "none")
            number = runtime.call("digits", "on_trigger", [{"data": {"image": 3, "pixels": [0] * 64}}])
            runtime.flush(30)
            while not results:
                time.sleep(0.01)
            self.assertEqual((results[0]["call"], results[0]["result"]["image"]), (number, 3))
            self.assertEqual(runtime.read_file("ipv", "items.jsonl"), (ROOT / "tasks/ipv/items.jsonl").read_bytes())
            self.refused(lambda: runtime.read_file("ipv", "no"), "not_found", "no")
            runtime.set_consent(False)
            self.assertIn("device", runtime.erase_data())

    def test_keys_at_rest(self):
        outbox = self.folder / "outbox"
        with ferry.Runtime(outbox=outbox, at_rest_key=b"k" * 32) as runtime:
            runtime.open_task(self.package)
        with ferry.Runtime(outbox=outbox, at_rest_key=lambda: b"k" * 32):
            pass
        self.refused(lambda: ferry.Runtime(outbox=outbox, at_rest_key=b"x" * 32), "wrong_key")
        self.refused(lambda: ferry.Runtime(outbox=outbox, at_rest_key=b"short"), "invalid_argument", "5 bytes")
        with self.assertRaises(TypeError):
            ferry.Runtime(outbox=outbox, at_rest_key="text")
        with self.assertRaises(ZeroDivisionError):
            ferry.Runtime(outbox=outbox, at_rest_key=lambda: 1 // 0)

    def test_wrong(self):
        broken = self.folder / "broken.fpk"
        broken.write_bytes(self.package.read_bytes()[:-20])
        runtime = ferry.Runtime()
        runtime.open_task(self.package)
        self.refused(lambda: runtime.open_task(self.package), "already_exists", "digits")
        self.refused(lambda: runtime.open_task(self.folder / "none.fpk"), "not_found", "none.fpk")
        with self.assertRaises(ferry.Error):
            runtime.open_task(broken)
        self.refused(lambda: runtime.send("{"), "malformed")
        self.refused(lambda: runtime.send({"id": "x"}, durable=True), "failed_precondition")
        self.refused(lambda: runtime.set_conditions(idle=True), "failed_precondition")
        self.refused(runtime.have_text, "failed_precondition", "agent")
        self.refused(lambda: runtime.take_text(""), "failed_precondition", "agent")
        self.refused(lambda: runtime.model("digits:none"), "not_found", "none")
        self.refused(lambda: runtime.model("none:none"), "not_found", "none")
        self.refused(lambda: runtime.call("none", "f"), "not_found", "none")
        self.refused(lambda: runtime.language_model("none:none"), "not_found")
        self.refused(lambda: runtime.start_agent(self.folder / "state", profile="{"), "malformed", "profile")
        with self.assertRaises(ValueError):
            runtime.send({"id": "x", "data": float("nan")})
        runtime.close()
        self.refused(lambda: runtime.send({"id": "x"}), "invalid_argument", "closed")
        self.refused(lambda: runtime.status, "invalid_argument", "closed")
        runtime.close()

    def test_after_a_fork(self):
        runtime = ferry.Runtime(lambda result: None)
        child = os.fork()
        if child == 0:
            try:
                runtime.send({"id": "x"})
            except ferry.Error as error:
                runtime.close()
                os._exit(error.name != "failed_precondition")
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        runtime.close()

    def test_the_end_of_the_process(self):
        for ending in ("", "del runtime", "sys.exit()", "chat = None"):
            done = python_binding.run(
                "import sys, json, ferry\n"
                "runtime = ferry.Runtime(lambda result: print(result['result']['image'], flush=True), threads=1)\n"
                "runtime.open_task(sys.argv[1])\n"
                "for event in json.loads(sys.argv[3]): runtime.send(event)\n"
                "chat = ferry.Chat(sys.argv[2], max_new=400, ignore_end=True)\n"
                "reply = chat.complete('It was')\n"
                "next(reply)\n" + ending, self.package, DRAFT, json.dumps(list(images(3))))
            self.assertEqual((done.returncode, done.stderr), (0, ""), ending)
            self.assertEqual(done.stdout.split(), ["0", "1", "2"])


class Chats(Case):
    @classmethod
    def setUpClass(cls):
        cls.model = ferry.LanguageModel(DRAFT)

    def test_pieces(self):
        chat = ferry.Chat(self.model, max_new=20)
        reply = chat.complete(PROMPT)
        pieces = list(reply)
        self.assertEqual("".join(pieces), reply.text())
        self.assertEqual([id_ for piece in pieces for id_ in piece.ids], reply.ids)
        self.assertEqual(len(reply.ids), 20)
        self.assertEqual({piece.source for piece in pieces}, {"device"})
        self.assertEqual(reply.stats["emitted"], 20)
        self.assertEqual(chat.stats["emitted"], 20)
        # The same again, by ids of a second chat.
        again = ferry.Chat(self.model, max_new=20).complete(PROMPT)
        self.assertEqual(again.text(60), reply.text())
        seeds = {ferry.Chat(self.model, max_new=20, temperature=1, seed=seed).complete(PROMPT).text() for seed in range(3)}
        self.assertEqual(len(seeds), 3)
        more = ferry.Chat(self.model, max_new=5).complete(reply.ids)
        self.assertEqual(len(more.text()) > 0, True)
        self.assertGreater(self.model.info["parameters"], 1_000_000)

    def test_tokens_and_sequences(self):
        ids = self.model.encode(PROMPT)
        self.assertEqual(self.model.decode(ids), PROMPT)
        self.assertEqual(self.model.encode(""), [])
        named = self.model.decode(self.model.info["end_tokens"])
        self.assertEqual(self.model.encode(named), self.model.info["end_tokens"])
        self.assertGreater(len(self.model.encode(named, specials=False)), 1)
        wanted = ferry.Chat(self.model, max_new=12, temperature=1, seed=4).complete(PROMPT)
        sequence, heard = self.model.sequence(200), []
        sequence.append(ids)
        text, reason = sequence.generate(max_new=12, temperature=1, seed=4,
                                         on_tokens=lambda text, ids: heard.extend(ids) or True)
        self.assertEqual((text, heard, reason), (wanted.text(), wanted.ids, "length"))
        self.assertEqual(sequence.tokens, ids + heard[:-1])
        # Cut back, the most probable token is the one that a greedy generation takes.
        sequence.truncate(len(ids))
        logits = sequence.logits
        self.assertEqual((len(logits), logits.format), (self.model.info["vocabulary"], "f"))
        greedy = ferry.Chat(self.model, max_new=1).complete(PROMPT)
        greedy.wait()
        self.assertEqual([max(range(len(logits)), key=logits.__getitem__)], greedy.ids)

        class Enough(Exception):
            pass

        def throw(text, ids):
            raise Enough

        with self.assertRaises(Enough):
            sequence.generate(on_tokens=throw)
        self.assertEqual(sequence.generate(on_tokens=lambda text, ids: False)[1], "cancelled")
        self.refused(lambda: sequence.append(range(300)), "limit_exceeded", "200")
        self.refused(lambda: sequence.append([1 << 20]), "invalid_argument", str(1 << 20))
        self.refused(lambda: sequence.truncate(999), "invalid_argument", "999")
        sequence.close()
        self.refused(lambda: sequence.tokens, "invalid_argument", "closed")

    def test_asyncio(self):
        async def read(seed):
            chat = ferry.Chat(self.model, max_new=100, temperature=1, seed=seed, ignore_end=True)
            return "".join([piece async for piece in chat.complete(PROMPT)])

        async def all_of():
            ticks = 0
            replies = asyncio.gather(*(read(seed) for seed in range(3)))
            while not replies.done():
                ticks += 1
                await asyncio.sleep(0.001)
            return ticks, await replies

        ticks, texts = asyncio.run(all_of())
        self.assertGreater(ticks, 3)
        self.assertEqual(texts, [ferry.Chat(self.model, max_new=100, temperature=1, seed=seed, ignore_end=True)
                                 .complete(PROMPT).text() for seed in range(3)])

    def test_a_task_that_is_cancelled(self):
        async def cancelled():
            chat = ferry.Chat(self.model, max_new=400, ignore_end=True)
            reply = chat.complete(PROMPT)

            async def read():
                async for _ in reply:
                    pass
            task = asyncio.ensure_future(read())
            await asyncio.sleep(0.05)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(reply.wait, 30)
            return len(reply.ids)
        self.assertLess(asyncio.run(cancelled()), 400)

    def test_cancel_and_one_at_a_time(self):
        chat = ferry.Chat(self.model, max_new=400, ignore_end=True)
        reply = chat.complete(PROMPT)
        first = next(reply)
        self.refused(lambda: chat.complete("again"), "failed_precondition")
        reply.cancel()
        rest = list(reply)
        self.assertLess(len(reply.ids), 400)
        self.assertEqual("".join([first, *rest]), reply.text())
        chat.wait(30)
        self.assertEqual(len(ferry.Chat(self.model, max_new=3, ignore_end=True).complete(PROMPT).text()) > 0, True)
        chat.complete(PROMPT).cancel()
        chat.wait(30)

    def test_a_chat_that_is_dropped_generates_to_its_end(self):
        reply = ferry.Chat(self.model, max_new=10, ignore_end=True).complete(PROMPT)
        gc.collect()
        reply.wait(60)
        self.assertEqual(len(reply.ids), 10)

    def test_closing_amid_a_text(self):
        with ferry.Chat(self.model, max_new=400, ignore_end=True) as chat:
            reply = chat.complete(PROMPT)
            next(reply)
        self.refused(lambda: list(reply), "cancelled")
        self.refused(lambda: chat.complete(PROMPT), "invalid_argument", "closed")

    def test_callbacks(self):
        modes = []

        def on_mode(mode, why):
            modes.append(mode)
            raise ZeroDivisionError
        with Unraisable():
            chat = ferry.Chat(self.model, max_new=3, on_mode=on_mode)
            chat.complete(PROMPT).text()

    def test_adapters_and_conversations(self):
        self.refused(lambda: self.model.adapter(self.folder / "none"), "not_found", "none")
        chat = ferry.Chat(self.model, max_new=5)
        answers = [chat.ask(text).text(60) for text in ("Hello", "And then?")]
        self.assertEqual([one["content"] for one in chat.messages], ["Hello", answers[0], "And then?", answers[1]])
        again = ferry.Chat(self.model, max_new=5).reply(chat.messages[:3])
        self.assertEqual(again.text(60), answers[1])
        with self.assertRaises(ferry.Error):
            chat.reply([{"text": 1}])

    def test_wrong(self):
        self.refused(lambda: ferry.LanguageModel(self.folder / "none.flm"), "not_found", "none.flm")
        self.refused(lambda: ferry.Chat(self.model, temperature=-1), "invalid_argument", "temperature")
        self.refused(lambda: ferry.Chat(self.model, mode="split"), "failed_precondition")
        self.refused(lambda: ferry.Chat(self.model).complete([1 << 20]), "invalid_argument")
        self.refused(lambda: ferry.Chat(self.model).complete([1 << 40]), "invalid_argument")
        for call in (lambda: ferry.Chat(self.model, mode="cloud"), lambda: ferry.Chat(self.model).complete(None),
                     lambda: ferry.Chat(self.model).complete(["a"]), lambda: ferry.Chat(5),
                     lambda: ferry.Chat(self.model, adapters=[5]), lambda: ferry.Chat(self.model).complete("a\0b")):
            with self.assertRaises((TypeError, ValueError, AttributeError)):
                call()
        model = ferry.LanguageModel(DRAFT)
        chat = ferry.Chat(model, max_new=3)
        model.close()
        self.assertNotEqual(chat.complete(PROMPT).text(), "")
        self.refused(lambda: ferry.Chat(model), "invalid_argument", "closed")
        with self.assertRaises(TimeoutError):
            ferry.Chat(self.model, max_new=400, ignore_end=True).complete(PROMPT).text(0)


class Streams(Case):
    GRAPH = [{"name": "mean", "source": "reading", "app": True, "operators": [
        {"op": "filter", "where": "value >= 0"},
        {"op": "window", "kind": "tumbling", "size_ms": 1000,
         "aggregates": [{"op": "mean", "field": "value", "as": "mean"}, {"op": "count", "as": "n"}]}]}]

    def test_rows(self):
        from ferry import stream as operators
        again = [{"name": "mean", "source": "reading", "app": True, "operators": [
            operators.filter("value >= 0"),
            operators.window("tumbling", size_ms=1000, aggregates={"mean": operators.mean("value"), "n": "count"})]}]
        for graph in (self.GRAPH, again, json.dumps(self.GRAPH)):
            with ferry.Stream(graph) as stream:
                for time_ms, value in ((100, 1), (200, 3), (300, -5), (1500, 7)):
                    stream.send("reading", {"time_ms": time_ms, "value": value})
                stream.send_event({"id": "reading", "time_ms": 1600, "data": {"value": 9}})
                stream.advance(2500)
                rows = stream.read()
                self.assertEqual([(name, row["mean"], row["n"]) for name, row in rows], [("mean", 2, 2), ("mean", 8, 2)])
                self.assertEqual(stream.read(), [])
                stream.send("reading", {"time_ms": 3000, "value": 4})
                stream.end()
                self.assertEqual(len(stream.read(1)), 1)
                self.assertEqual(stream.status["mean"]["rows_in"], 6)

    def test_wrong(self):
        self.refused(lambda: ferry.Stream("{"), "malformed")
        self.refused(lambda: ferry.Stream([{"name": "s", "source": "r", "operators": [{"op": "filtr"}]}]), "malformed", "s",
                     "filtr")
        stream = ferry.Stream(self.GRAPH)
        self.refused(lambda: stream.send("other", {}), "not_found", "other")
        self.refused(lambda: stream.send("reading", [1]), "malformed")
        self.refused(lambda: stream.read(-1), "invalid_argument")
        with self.assertRaises(TypeError):
            stream.send(5, {})
        stream.close()
        self.refused(lambda: stream.read(), "invalid_argument", "closed")


class Policies(Case):
    def test_rules(self):
        policy = ferry.Policy('os == "android" and memory >= 4 GiB')
        self.assertTrue(policy.matches({"os": "android", "memory_bytes": 8 << 30}))
        no = policy.matches({"os": "linux"})
        self.assertFalse(no)
        self.assertIn("os", no.reason)
        self.refused(lambda: ferry.Policy('os = "android"'), "bad_rule", "line 1")
        self.refused(lambda: policy.matches("["), "malformed", "attributes")
        self.refused(lambda: policy.matches({"os": 5}), "malformed", "os")
        half = ferry.Policy("percent(50)")
        reached = sum(bool(half.matches({"device_id": f"{k:032x}"}, "salt")) for k in range(200))
        self.assertTrue(60 < reached < 140, reached)


if __name__ == "__main__":
    unittest.main()
