"""Every call of the admin API has a command that makes it, or a reason why not. The calls are those of the server's own table."""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = (ROOT / "cloud-server/admin/rights/table.inc").read_text()
ROUTES = re.findall(r'^FERRY_RIGHT\("(\w+)", "([^"]+)"', TABLE, re.MULTILINE)

REASONS = {
    "GET /api/v1/live": "a stream for pages of the console; ferry release watch follows a release by looks, through restarts",
    "GET /api/v1/releases/{id}/series": "points that the console draws; ferry release watch tells the same as lines",
    "GET /api/v1/session": "a browser's own session; programs have bearer tokens",
    "GET /api/v1/sessions": "for the page that lists one's browsers; ferry-server tokens shows all sessions",
    "DELETE /api/v1/sessions/{id}": "for the page that lists one's browsers; ferry-server tokens --revoke ends any session",
    "DELETE /api/v1/users/{name}/totp": "second factors are set up where their picture can be shown: in the console",
    "POST /api/v1/users/{name}/totp": "second factors are set up where their picture can be shown: in the console",
    "PUT /api/v1/users/{name}/totp": "second factors are set up where their picture can be shown: in the console",
    "GET /api/v1/oidc": "which provider the page of sign-in offers",
    "GET /api/v1/oidc/start": "where a browser leaves for the provider",
    "GET /api/v1/oidc/return": "where the provider sends a browser back to",
    "GET /api/v1/openapi.json": "for makers of clients: curl reads it",
    "GET /api/v1/approval-policy": "`approval list --json` has the policy beside the requests",
    "GET /api/v1/devices/{id}/tags": "what an edit begins with; `device show` has the tags among the rest",
    "POST /api/v1/tasks/try": "the console's page of a task; `ferry task test` does the same where the files are",
    "POST /api/v1/tasks/{package}/draft": "what the console's page of a task saves; `ferry pack` makes packages of files",
    "GET /api/v1/fleet/days": "the chart on the console's first page; `device list --json` gives what runs now",
    "GET /healthz": "for those who start the server; curl reads it",
    "GET /readyz": "for those who send it work; `ferry doctor` looks at the server from here",
    "GET /api/v1/fleet/use": "the charts on the console's page of streams",
    "POST /api/v1/have": "for the server of an app, with a token of its own: it hands on what apps bring",
    "GET /api/v1/devices/facets": "counts beside the search of the console's fleet page; `device list --json` gives the rows",
    "POST /api/v1/devices/bulk": "by preview and undo of the console's fleet page; `device tag`, `block` take one device",
    "POST /api/v1/devices/bulk/{undo}/undo": "by preview and undo of the console's fleet page",
    "GET /api/v1/releases/default-plan": "what the console's form begins with; `release preview` answers the plan that it used",
    "GET /api/v1/users/{name}/searches": "searches of the console's fleet page",
    "PUT /api/v1/users/{name}/searches/{search}": "searches of the console's fleet page",
    "DELETE /api/v1/users/{name}/searches/{search}": "searches of the console's fleet page",
    "GET /metrics": "for Prometheus, with a token in its configuration; curl reads it",
    "GET /tuf/metadata/{file}": "for clients of TUF repositories: ferry-tuf",
    "GET /tuf/targets/{package}/{version}/{file}": "for clients of TUF repositories: ferry-tuf",
    "GET /tuf/targets/{package}/{version}/{folder}/{file}": "for clients of TUF repositories: ferry-tuf",
}
# The command lines that make a call, with names that setUp makes files of: @package is a packed task, @dir a publisher's folder.
COMMANDS = {
    "GET /api/v1/accuracy": "label accuracy s --stream t",
    "PUT /api/v1/approval-policy": "approval policy --off",
    "GET /api/v1/approvals": "approval list",
    "GET /api/v1/approvals/{id}": "approval show x",
    "POST /api/v1/approvals/{id}/approve": "approval approve x",
    "POST /api/v1/approvals/{id}/reject": "approval reject x",
    "GET /api/v1/audit": "audit",
    "GET /api/v1/audit/verify": "audit --verify",
    "GET /api/v1/campaigns": "campaign list",
    "POST /api/v1/campaigns": "campaign start @json",
    "GET /api/v1/campaigns/{id}": "campaign show x",
    "POST /api/v1/collect": "collect",
    "GET /api/v1/content/{sha256}": "publish --again --dir @dir",
    "PUT /api/v1/content/{sha256}": "publish @package --dir @dir",
    "GET /api/v1/devices": "device list",
    "GET /api/v1/devices/{id}": "device show x",
    "POST /api/v1/devices/{id}/block": "device block x",
    "POST /api/v1/devices/{id}/erase": "device erase x --yes",
    "GET /api/v1/devices/{id}/erasures": "device erase x --list",
    "POST /api/v1/devices/{id}/new-keys": "device new-keys x",
    "PUT /api/v1/devices/{id}/tags": "device tag x beta",
    "GET /api/v1/devices/{id}/why": "device why x",
    "GET /api/v1/groups": "group list",
    "POST /api/v1/groups": "group create x",
    "DELETE /api/v1/groups/{name}": "group delete x",
    "GET /api/v1/groups/{name}": "group show x",
    "PUT /api/v1/groups/{name}": "group create x --rule all --replace",
    "POST /api/v1/groups/{name}/devices": "group add x d",
    "GET /api/v1/join-tokens": "device join-token --list",
    "POST /api/v1/join-tokens": "device join-token",
    "PUT /api/v1/labels/{set}": "label put x @json",
    "POST /api/v1/login": "login @url",
    "POST /api/v1/logout": "logout",
    "GET /api/v1/losses": "device losses",
    "GET /api/v1/me": "user show",
    "PUT /api/v1/metadata/root": "keys upload --dir @dir",
    "GET /api/v1/metadata/{role}": "keys upload --dir @dir",
    "GET /api/v1/new-device-keys": "device new-keys --waiting",
    "POST /api/v1/new-device-keys": "device new-keys --all",
    "GET /api/v1/online-keys": "keys rotate --role online --dir @dir",
    "GET /api/v1/packages": "package list",
    "POST /api/v1/packages": "publish @package --dir @dir",
    "GET /api/v1/packages/{name}/{version}": "package show x 1",
    "GET /api/v1/packages/{name}/{version}/contents": "package contents x 1",
    "GET /api/v1/packages/{name}/{version}/contents/{path}": "package contents x 1 task.fbc",
    "GET /api/v1/packages/{name}/{version}/graph": "package graph x 1",
    "GET /api/v1/personal": "file list --package x",
    "POST /api/v1/personal": "file remove x --package x --device x",
    "GET /api/v1/refusals": "device losses",
    "GET /api/v1/releases": "release list",
    "POST /api/v1/releases": "release start --package x --version 1 --rule all",
    "POST /api/v1/releases/preview": "release preview --rule all",
    "GET /api/v1/releases/{id}": "release show x",
    "GET /api/v1/releases/{id}/members": "release members x",
    "POST /api/v1/releases/{id}/start": "release begin x",
    "GET /api/v1/status": "status",
    "GET /api/v1/streams": "record list",
    "GET /api/v1/streams/{stream}": "record show x",
    "GET /api/v1/tasks": "task list",
    "GET /api/v1/tasks/{package}/log": "task log x",
    "GET /api/v1/users": "user list",
    "POST /api/v1/users": "user create x --role viewer --make",
    "DELETE /api/v1/users/{name}": "user delete x",
    "GET /api/v1/users/{name}": "user show x",
    "PUT /api/v1/users/{name}": "user role x --role viewer",
    "PUT /api/v1/users/{name}/password": "user password x --make",
    "GET /api/v1/users/{name}/tokens": "user token list x",
    "POST /api/v1/users/{name}/tokens": "user token create x --name ci",
    "DELETE /api/v1/users/{name}/tokens/{id}": "user token revoke x y",
    "GET /api/v1/verify/sessions": "verify sessions",
    "GET /api/v1/verify/targets": "verify targets",
    "GET /api/v1/webhooks": "webhook list",
    "POST /api/v1/webhooks": "webhook create https://example.org --secret-file @json",
    "DELETE /api/v1/webhooks/{id}": "webhook delete x",
    "GET /api/v1/webhooks/{id}/deliveries": "webhook deliveries x",
    "POST /api/v1/webhooks/{id}/replay": "webhook replay x --since 2026-01-31T00:00:00Z",
    **{f"POST /api/v1/{things}s/{{id}}/{order}": f"{things} {order} x" for things in ("campaign", "release")
       for order in ("halt", "kill", "pause", "resume", "retry", "rollback")},
    "POST /api/v1/releases/{id}/approve": "release approve x",
    "POST /api/v1/releases/{id}/promote": "release promote x",
}
# Answers without which a command ends before the call that is looked for.
ANSWERS = {"GET /me": {"name": "root"}, "GET /releases/x": {"id": "x", "state": "gray"}, "POST /login": {"token": "t"}, "GET /losses": {"losses": []}}


class ApiCommandsTest(fixture.CliTest):
    def test_each_call_has_a_command_or_a_reason(self):
        self.assertGreater(len(ROUTES), 80)
        calls = {f"{method} {path}" for method, path in ROUTES}
        self.assertEqual(calls, set(REASONS) | set(COMMANDS))
        self.assertFalse(set(REASONS) & set(COMMANDS))

    def test_the_commands_make_the_calls(self):
        publisher, server, package = self.keys(), self.serve(), self.pack()
        self.good("publish", package, "--dir", publisher)
        some = self.folder / "some.json"
        some.write_text(json.dumps({"name": "a secret of this test"}))
        names = {"@dir": publisher, "@package": package, "@json": some, "@url": server.url}
        for path, answer in ANSWERS.items():
            server.answers[path] = 200, answer
        for call, line in COMMANDS.items():
            with self.subTest(call):
                if line == "logout":
                    self.ferry("login", server.url, FERRY_PASSWORD="x")
                if "@package" in line:
                    names["@package"] = self.pack(f"2.{len(server.calls)}.0")
                server.calls.clear()
                words = [str(names.get(word, word)) for word in line.split()]
                done = self.ferry(*words, "--json", FERRY_PASSWORD="x")
                method, path = call.split()
                pattern = re.compile(re.sub(r"\\\{\w+\\\}", "[^/?]+", re.escape(path.removeprefix("/api/v1"))) + r"(\?.*)?")
                made = [(made, at) for made, at, *_ in server.calls]
                self.assertTrue(any(made == method and pattern.fullmatch(at) for made, at in made), f"{line}: {made} {done.err}")
                self.assertTrue(json.loads(done.out.splitlines()[-1]) is not None)


if __name__ == "__main__":
    unittest.main()
