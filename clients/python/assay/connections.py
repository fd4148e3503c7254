"""Connection pool with keep-alive."""

from __future__ import annotations

# Name look-ups import this lazily. A child that is forked during that import would never finish it,
# and could send nothing.
import encodings.idna  # noqa: F401
import socket
import ssl
import threading
import time
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from .errors import NotConfigured

#: The service closes connections idle for 5 s; one reused at that moment fails.
rest_seconds = 4.0
kept_max = 8


class Request(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: Optional[bytes]


class Connections:
    """Thread-safe connection pool; each request has a connection of its own.

    A child process after `fork` begins with an empty pool, so that two never share a connection.
    """

    def __init__(self, url: str) -> None:
        self._url, self._host, self._port, self._prefix = url, "", 0, ""
        self._tls: Optional[ssl.SSLContext] = None
        try:
            parts = urlsplit(url)
            if parts.scheme in ("http", "https"):
                self._port = parts.port or (443 if parts.scheme == "https" else 80)
                self._host, self._prefix = parts.hostname or "", parts.path.rstrip("/")
                self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        except ValueError:
            # Reported with the first request, so that recording alone never fails.
            self._host = ""
        self._lock = threading.Lock()
        self._resting: List[Tuple[HTTPConnection, float]] = []

    def send(self, request: Request, timeout: float) -> "Tuple[HTTPResponse, HTTPConnection]":
        """The answer's head, and the connection that its body is on. OSError, HTTPException.

        An idle connection that turns out to be closed is silently replaced.
        """
        kept = self._take()
        if kept is not None:
            try:
                return self._send(kept, request, timeout), kept
            except socket.timeout:
                # It is slow, not closed. (Before Python 3.10 this is not a TimeoutError.)
                kept.close()
                raise
            except Exception:
                kept.close()
        return self.send_anew(request, timeout)

    def send_anew(self, request: Request, timeout: float) -> "Tuple[HTTPResponse, HTTPConnection]":
        """Like `send`, on a new connection: for requests that are not idempotent."""
        connection = self._open(timeout)
        try:
            return self._send(connection, request, timeout), connection
        except BaseException:
            connection.close()
            raise

    def _send(self, connection: HTTPConnection, request: Request, timeout: float) -> HTTPResponse:
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        headers: Dict[str, str] = dict(request.headers)
        path = self._prefix + request.path
        connection.request(request.method, path, body=request.body, headers=headers)
        return connection.getresponse()

    def _open(self, timeout: float) -> HTTPConnection:
        if not self._host:
            raise NotConfigured(f"The address begins with http:// or https://, not {self._url!r}")
        if self._tls is None:
            return HTTPConnection(self._host, self._port, timeout=timeout)
        return HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)

    def _take(self) -> Optional[HTTPConnection]:
        with self._lock:
            while self._resting:
                connection, since = self._resting.pop()
                if time.monotonic() - since < rest_seconds:
                    return connection
                connection.close()
        return None

    def give_back(self, connection: HTTPConnection, answer: HTTPResponse, whole: bool) -> None:
        """Returns a connection to the pool after its body was read; it cannot be reused otherwise.
        """
        if not whole or answer.will_close:
            connection.close()
            return
        with self._lock:
            if len(self._resting) < kept_max:
                self._resting.append((connection, time.monotonic()))
                return
        connection.close()

    def after_fork(self) -> None:
        """Empties the pool, which belongs to the parent; another thread of it may have held the
        lock.
        """
        self._lock = threading.Lock()
        self._resting = []

    def close(self) -> None:
        with self._lock:
            resting, self._resting = self._resting, []
        for connection, _ in resting:
            connection.close()
