"""The bus's conformance suite over NATS: nats-server on loopback, which also goes away and comes back."""
import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

BIN = pathlib.Path(os.environ["FERRY_BIN"])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("nats-server does not listen")


@unittest.skipUnless(shutil.which("nats-server"), "nats-server is needed")
class NatsTest(unittest.TestCase):
    def start(self, port):
        server = subprocess.Popen(["nats-server", "-a", "127.0.0.1", "-p", str(port)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop, server)
        wait_for(port)
        return server

    @staticmethod
    def stop(server):
        if server.poll() is None:
            server.terminate()
            server.wait(20)

    def suite(self, port, which):
        return [str(BIN / "test_cloud_server_bus"), f"--gtest_filter={which}", "--gtest_brief=1"], os.environ | {"FERRY_TEST_NATS": f"nats://127.0.0.1:{port}"}

    def read_until(self, child, word):
        for line in child.stdout:
            if line.strip() == word:
                return
        self.fail(f"the suite ended before it said {word}")

    def test_every_contract_holds_over_the_line(self):
        port = free_port()
        self.start(port)
        command, environment = self.suite(port, "Buses/*Nats*")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("SKIPPED", done.stdout)

    def test_nodes_hear_each_other_again_when_the_server_is_back(self):
        port = free_port()
        server = self.start(port)
        command, environment = self.suite(port, "NatsBus.IsThereAgain*")
        child = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.stop, child)
        self.read_until(child, "connected")
        self.stop(server)
        self.read_until(child, "lost")
        self.start(port)
        rest = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 0, rest)
        self.assertIn("[  PASSED  ]", rest)


if __name__ == "__main__":
    unittest.main(verbosity=2)
