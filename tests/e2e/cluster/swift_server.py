"""OpenStack Swift with its interface of S3, whole, in one process: `swift_server.py FOLDER PORT BUCKET`, by Debian's Python (python3-swift).

It stands for S3 in tests, as one that checks signatures of version 4. Access is by tempauth, whose names have a colon: ferry:tester, with
the secret of the environment's SWIFT_SECRET. Objects lie in files with extended attributes or, where the folder's file system has none, in
memory.
"""
import json
import os
import pathlib
import sys

import eventlet
import eventlet.wsgi

eventlet.monkey_patch()
from swift.common import utils  # noqa: E402

FOLDER, PORT, BUCKET = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
KINDS = ("account", "container", "object")
# What Swift puts in front of the proxy by itself is not named: catch_errors, gatekeeper, listing_formats, copy, dlo.
MIDDLEWARE = "s3api tempauth slo"
PROXY = """
[DEFAULT]
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = {middleware} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_ferry_tester = {secret} .admin
[filter:s3api]
use = egg:swift#s3api
[filter:slo]
use = egg:swift#slo
"""
STORAGE = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{app}
"""


class NoCache:
    """In place of memcached, which tempauth insists on: nothing is remembered."""

    def get(self, *_, **__):
        return None

    set = delete = get


def with_notes(app):
    """Writes down each call as it is answered."""
    notes = open(FOLDER / "calls.jsonl", "a", buffering=1)

    def call(environ, start_response):
        # Before Swift changes it on its way.
        method, path, query = environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING")
        called = {"method": method, "path": f"{path}?{query}" if query else path, "authorization": environ.get("HTTP_AUTHORIZATION", "")}

        def note(status, *rest):
            notes.write(json.dumps(called | {"status": int(status.split()[0])}) + "\n")
            return start_response(status, *rest)

        environ["swift.cache"] = NoCache()
        return app(environ, note)
    return call


def keeps_attributes():
    try:
        os.setxattr(FOLDER / "swift.conf", "user.ferry", b"1")
        return True
    except OSError:
        return False


def make_ring(kind, port):
    """One device, one copy."""
    from swift.common.ring import RingBuilder
    builder = RingBuilder(part_power=2, replicas=1, min_part_hours=0)
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port,
                     "device": "disk", "weight": 1.0, "meta": ""})
    builder.rebalance()
    builder.get_ring().save(str(FOLDER / f"{kind}.ring.gz"))


def load(name, text, **values):
    from swift.common.wsgi import loadapp
    path = FOLDER / f"{name}.conf"
    path.write_text(text.format(folder=FOLDER, **values))
    return loadapp(str(path))


def listen(port):
    # By itself eventlet would share the port with another server of it.
    return eventlet.listen(("127.0.0.1", port), reuse_port=False)


def main():
    (FOLDER / "devices/disk").mkdir(parents=True)
    (FOLDER / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = ferry\n")
    utils.SWIFT_CONF_FILE = str(FOLDER / "swift.conf")
    utils.validate_hash_conf()
    object_app = "object" if keeps_attributes() else "mem_object"
    for kind in KINDS:
        socket = listen(0)
        make_ring(kind, socket.getsockname()[1])
        app = load(kind, STORAGE, kind=kind, app=object_app if kind == "object" else kind)
        eventlet.spawn(eventlet.wsgi.server, socket, app, log_output=False)
    secret = os.environ["SWIFT_SECRET"]
    door, owner = (load(name, PROXY, secret=secret, middleware=middleware) for name, middleware in (("door", MIDDLEWARE), ("owner", "")))
    from swift.common.swob import Request
    made = Request.blank(f"/v1/AUTH_ferry/{BUCKET}", method="PUT").get_response(owner)
    if made.status_int // 100 != 2:
        raise SystemExit(f"the bucket cannot be made: {made.status} {made.body}")
    eventlet.wsgi.server(listen(PORT), with_notes(door), log_output=False)


if __name__ == "__main__":
    main()
