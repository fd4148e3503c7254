"""A scripted service on a port of its own."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, NamedTuple, Optional


class Seen(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes
    connection: int


class Answer(NamedTuple):
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = {}
    #: The connection is cut instead of an answer.
    cut: bool = False
    #: No answer until it is set.
    until: Optional[threading.Event] = None


def problem(status: int, code: str, **headers: str) -> Answer:
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"detail": f"made up: {code}", "code": code}, said)


class Stub:
    """Answers with `script`, one after the other, then always with `usual`."""

    def __init__(self, *script: Answer, usual: Optional[Callable[[Seen], Answer]] = None) -> None:
        self.seen: List[Seen] = []
        self._script = list(script)
        self._usual = usual or (lambda seen: Answer(200, {}))
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer's head and body are two writes: the second must not wait for the first.
            disable_nagle_algorithm = True

            def answer(self) -> None:
                stub._answer(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        port = handler.client_address[1]
        seen = Seen(handler.command or "", handler.path, headers, body, port)
        with self._lock:
            self.seen.append(seen)
            answer = self._script.pop(0) if self._script else None
        answer = answer or self._usual(seen)
        if answer.until is not None:
            answer.until.wait()
        if answer.cut:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        self._write(handler, answer)

    def _write(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        raw = isinstance(answer.body, bytes)
        said = answer.body if raw else json.dumps(answer.body).encode()
        try:
            handler.send_response(answer.status)
            kind = answer.headers.get("Content-Type", "application/json")
            sent = {"Content-Type": kind, "Content-Length": str(len(said)), **answer.headers}
            for name, value in sent.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(said)
        except OSError:
            handler.close_connection = True

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> "Stub":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
