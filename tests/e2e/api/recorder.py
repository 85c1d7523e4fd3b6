"""A door before a server that passes calls on and keeps what was asked and answered: so that also the command line's calls can
be held against the OpenAPI document."""
import contextlib
import http.client
import http.server
import threading


class Exchange:
    def __init__(self, method, path, status, content_type, body):
        self.method, self.path, self.status, self.content_type, self.body = method, path.partition("?")[0], status, content_type, body


class Recorder:
    """Calls to `url` reach the server at `port`; `exchanges` has them in order."""

    def __init__(self, port):
        self.exchanges = []
        recorder = self

        class Door(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as server:
                    headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                    server.request(self.command, self.path, body, headers)
                    answer = server.getresponse()
                    content = answer.read()
                recorder.exchanges.append(
                    Exchange(self.command, self.path, answer.status, answer.getheader("Content-Type"), content))
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.getheader("Content-Type"))
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = pass_on

            def log_message(self, *_):
                pass

        self.door = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.door.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.door.server_port}"
        threading.Thread(target=self.door.serve_forever, daemon=True).start()

    def close(self):
        self.door.shutdown()
        self.door.server_close()
