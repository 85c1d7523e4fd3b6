"""The servers that a cluster stands on, each on loopback in a folder of its own."""
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tools/demo"))
from fleet import free_port, wait_for  # noqa: E402

S3RVER = HERE / "node_modules/s3rver/bin/s3rver.js"
DEBIANS_PYTHON = "/usr/bin/python3"
SWIFT = pathlib.Path("/usr/lib/python3/dist-packages/swift")
S3_SECRETS = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER"}


def postgres_programs():
    """The folder of initdb and pg_ctl, or None."""
    for folder in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    return None


def what_lacks():
    """What a cluster cannot be made without here; empty: nothing."""
    lacks = [program for program in ("nats-server", "node") if not shutil.which(program)]
    if not postgres_programs():
        lacks.append("postgresql-15")
    if not S3RVER.exists():
        lacks.append("tests/e2e/cluster/node_modules (npm ci)")
    return ", ".join(lacks)


def what_swift_lacks():
    return "" if SWIFT.exists() else "python3-swift"


def wait_for_port(port, child=None):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if child and child.poll() is not None:
            raise AssertionError(f"{child.args[0]} ended by itself")
        time.sleep(0.02)
    raise AssertionError(f"nobody listens on {port}")


def wait_for_silence(port):
    """Until nobody listens there."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"somebody still listens on {port}")


def as_nobody_of_rank(folder):
    """What a command begins with that runs as an unprivileged user, who gets `folder`; nothing where we are one."""
    if os.geteuid() != 0:
        return []
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


class Child:
    """A server that is a child of this process; it can go away and come back on its port."""

    def __init__(self, port):
        self.port = port
        self.child = None

    def start(self):
        self.child = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.child)

    def stop(self):
        if self.child and self.child.poll() is None:
            self.child.terminate()
            self.child.wait(20)


class Nats(Child):
    def __init__(self):
        super().__init__(free_port())
        self.url = f"nats://127.0.0.1:{self.port}"

    def command(self):
        return ["nats-server", "-a", "127.0.0.1", "-p", str(self.port)]


class S3(Child):
    def __init__(self, folder, bucket="models"):
        super().__init__(free_port())
        self.folder, self.bucket = folder, bucket
        self.url = f"s3://{bucket}?endpoint=http://127.0.0.1:{self.port}"

    def command(self):
        return ["node", str(S3RVER), "-d", str(self.folder), "-a", "127.0.0.1", "-p", str(self.port), "--configure-bucket", self.bucket, "--silent"]


class Swift(Child):
    """OpenStack Swift as a server of S3 that checks signatures (swift_server.py)."""
    secrets = {"AWS_ACCESS_KEY_ID": "ferry:tester", "AWS_SECRET_ACCESS_KEY": "Swift/secret+="}

    def __init__(self, bucket="models"):
        super().__init__(free_port())
        self.folder, self.bucket = pathlib.Path(tempfile.mkdtemp(prefix="ferry-swift-")), bucket
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.url = f"s3://{bucket}?endpoint={self.endpoint}"
        # Its user may not see where the tests lie.
        self.program = shutil.copy(HERE / "swift_server.py", self.folder)
        self.prefix = as_nobody_of_rank(self.folder)

    def command(self):
        return [*self.prefix, "env", f"SWIFT_SECRET={self.secrets['AWS_SECRET_ACCESS_KEY']}", "PYTHONDONTWRITEBYTECODE=1", DEBIANS_PYTHON,
                self.program, str(self.folder), str(self.port), self.bucket]

    def calls(self):
        """What it was asked since its start: {"method", "path" with its query, "status", "authorization"}, in the order of the answers."""
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres:
    """PostgreSQL as an unprivileged user, which it insists on. `durable`: a commit waits for the disk, which tests do not need.
    `settings`: more of its own, as "name=value"."""

    def __init__(self, durable=False, settings=()):
        self.durable, self.settings = durable, settings
        self.programs = postgres_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ferry-pg-"))
        self.port = free_port()
        self.url = f"postgres://ferry@127.0.0.1:{self.port}/ferry"
        self.prefix = as_nobody_of_rank(self.folder)

    def run(self, program, *arguments):
        done = subprocess.run([*self.prefix, str(self.programs / program), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            raise AssertionError(f"{program}: {done.stdout}")
        return done.stdout

    def make(self):
        self.run("initdb", "-D", "data", "-U", "ferry", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self.start()
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "ferry", "ferry")

    def start(self):
        # The server goes on after pg_ctl: what it says must not keep a pipe of ours open.
        self.run("pg_ctl", "-D", "data", "-w", "-t", "60", "-l", "server.log", "-o",
                 f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder} "
                 f"-c fsync={'on' if self.durable else 'off'}" + "".join(f" -c {setting}" for setting in self.settings), "start")

    def stop(self, how="fast"):
        if (self.folder / "data/postmaster.pid").exists():
            self.run("pg_ctl", "-D", "data", "-w", "-m", how, "stop")

    def kill(self):
        """The way a machine loses power: the first process is gone, and the others end as they find out."""
        os.kill(int((self.folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        wait_for_silence(self.port)

    def signal_all(self, number):
        first = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = pathlib.Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for process in [first, *map(int, children)]:
            os.kill(process, number)

    def freeze(self):
        """It hangs: its machine still acknowledges what is sent to it, and nothing comes back."""
        self.signal_all(signal.SIGSTOP)

    def thaw(self):
        self.signal_all(signal.SIGCONT)

    def ask(self, sql):
        """What its owner is told by a statement, as one text."""
        return self.run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "ferry", "-d", "ferry", "-X", "-q", "-A", "-t", "-c", sql).strip()

    def remove(self):
        try:
            self.stop("immediate")
        except AssertionError:  # one that was killed left its file
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Standby(Postgres):
    """A copy of `primary` by streaming. From make() on the primary acknowledges no commit before the copy has it on its disk; promote() makes a
    primary of it, which waits for nobody."""

    def __init__(self, primary):
        super().__init__(primary.durable)
        self.primary = primary

    def make(self):
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.primary.port), "-U", "ferry", "-D", "data", "-R", "-X", "stream", "-c", "fast",
                 "--no-sync")
        self.start()
        # After the copy was made, or it would have the setting as well.
        self.primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.ask("SELECT pg_reload_conf()")
        self.wait_until_in_step()

    def wait_until_in_step(self):
        wait_for("the standby to be in step", lambda: self.primary.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1", 60)

    def promote(self):
        self.run("pg_ctl", "-D", "data", "-w", "-t", "60", "promote")
