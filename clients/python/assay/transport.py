"""Requests with retries and backoff."""

from __future__ import annotations

import gzip
import json
import random
import re
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Dict, Mapping, NamedTuple, Optional, Union

from .connections import Connections, Request
from .downloads import Download
from .errors import (
    ConnectionFailed,
    NotConfigured,
    NotFound,
    Refused,
    Unauthenticated,
    cause_of,
    passes,
    refusal,
)
from .outage import Outage
from .version import version

#: Limit of one backoff in seconds, unless the service requires more.
pause_max = 5.0
#: Longer `Retry-After` values raise the error at once; recording waits this long.
patience = 60.0


class Answered(NamedTuple):
    """Status and headers of the last answer in this thread."""

    status: int
    headers: Mapping[str, str]

    @property
    def etag(self) -> Optional[str]:
        """For `if_match`."""
        return self.headers.get("etag")

    @property
    def position(self) -> Optional[str]:
        """Position of the last event that a write appended."""
        return self.headers.get("x-log-position")

    @property
    def behind(self) -> Optional[int]:
        """Seconds that a read model lagged after the wait; None: the read was up to date."""
        seconds = self.headers.get("x-projection-behind")
        return None if seconds is None else int(seconds)

    @property
    def replayed(self) -> bool:
        """True if the service replayed its stored answer to this idempotency key."""
        return self.headers.get("idempotency-replayed") == "true"

    @property
    def ignored(self) -> Optional[str]:
        """Ignored members of the request: misspelt ones."""
        return self.headers.get("x-ignored-members")


def pause(tries: int, after: Optional[float] = None) -> float:
    """Backoff in seconds before the next try: exponential with full jitter, never less than
    `after`.
    """
    drawn = random.uniform(0, min(pause_max, 0.1 * 2.0 ** min(tries, 16)))
    return drawn if after is None else after + min(drawn, 1.0)


class Transport:
    """Sends requests, tracks the log position, and retries what is safe to repeat.

    `url` is the address without secrets, safe to show. `timeout` limits each step of a try in
    seconds; `retries` is the maximum number of repeats.
    """

    def __init__(
        self, url: str, api_key: Optional[str], timeout: float, retries: int, strict: bool
    ) -> None:
        # Every path begins with /v2; many addresses include it too.
        whole = re.sub("(/v2)?/*$", "", url.strip())
        self.url = re.sub("//[^/@]*@", "//", whole)
        self.outage = Outage(self.url)
        self._connections = Connections(self.url)
        self._timeout, self._retries = timeout, retries
        self._headers = {"User-Agent": f"assay-python/{version}"}
        if api_key:
            self._headers["Service-API-Key"] = sendable(api_key)
        if strict:
            self._headers["Prefer"] = "handling=strict"
        self._lock = threading.Lock()
        self._position: Optional[str] = None
        self._last = threading.local()

    @property
    def position(self) -> Optional[str]:
        """The greatest X-Log-Position so far; reads send it as X-Min-Position."""
        return self._position

    @property
    def last(self) -> Optional[Answered]:
        return getattr(self._last, "answered", None)

    def send(self, request: Request, repeats: str, answer: str) -> Any:
        """The body of a 2xx, else a `Refused`, or `ConnectionFailed` when no answer came."""
        tries, lost = 0, False
        while True:
            wait: Optional[float] = None
            began = time.monotonic()
            try:
                return self.once(request, repeats, answer)
            except Refused as refused:
                if repeats == "gone" and lost and isinstance(refused, NotFound):
                    return None if answer == "none" else {"message": "It is gone."}
                wait = refused.retry_after
                if tries >= self._retries or not passes(refused) or (wait or 0) > patience:
                    raise
                cause = str(refused)
            except (OSError, HTTPException) as error:
                nobody_there = isinstance(error, ConnectionRefusedError)
                cause = cause_of(error)
                if tries >= self._retries or (repeats == "once" and not nobody_there):
                    raise ConnectionFailed(f"{self.url}: {cause}") from error
                lost = lost or not nobody_there
            tries += 1
            seconds = pause(tries, wait)
            self.outage.goes_on(cause, began, seconds)
            time.sleep(seconds)

    def once(self, request: Request, repeats: str, answer: str) -> Any:
        """One try: like `send`, but connection errors are raised unchanged."""
        headers: Dict[str, str] = {**self._headers, **request.headers}
        if repeats == "read" and self._position is not None:
            headers["X-Min-Position"] = self._position
        if answer != "file":
            # Files are read as they come, and saved as they were sent.
            headers["Accept-Encoding"] = "gzip"
        whole = request._replace(headers=headers)
        anew = repeats == "once"
        send = self._connections.send_anew if anew else self._connections.send
        response, connection = send(whole, self._timeout)
        said = {name.lower(): value for name, value in response.getheaders()}
        self._last.answered = Answered(response.status, said)
        if response.status >= 300:
            body = self._read(response, connection)
            raise self._named(refusal(response.status, parsed(body), said))
        self.outage.over()
        self._reached(said.get("x-log-position"))
        if answer == "file":
            return Download(response, self._done(response, connection))
        body = self._read(response, connection)
        if answer == "json":
            return json.loads(body)
        return body.decode("utf-8") if answer == "text" else None

    def _named(self, refused: Refused) -> Refused:
        """The error with the missing setting, if it is the key."""
        if isinstance(refused, Unauthenticated) and "Service-API-Key" not in self._headers:
            refused.args = (f"{refused}. The API key is missing: set ASSAY_API_KEY, or api_key",)
        return refused

    def _read(self, response: HTTPResponse, connection: HTTPConnection) -> bytes:
        whole = False
        try:
            body = response.read()
            if response.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            whole = True
            return body
        finally:
            self._connections.give_back(connection, response, whole)

    def _done(self, response: HTTPResponse, connection: HTTPConnection) -> Any:
        once = threading.Lock()

        def done(whole: bool) -> None:
            if once.acquire(blocking=False):
                self._connections.give_back(connection, response, whole)

        return done

    def _reached(self, position: Optional[str]) -> None:
        with self._lock:
            if position is not None and position > (self._position or ""):
                self._position = position

    def after_fork(self) -> None:
        """Another thread of the parent may have held the lock."""
        self._lock = threading.Lock()
        self._connections.after_fork()

    def close(self) -> None:
        self._connections.close()


def sendable(api_key: str) -> str:
    """The key; NotConfigured, without quoting it, when it cannot stand in a header."""
    if re.fullmatch("[!-~]+", api_key) is None:
        raise NotConfigured(
            "The API key (ASSAY_API_KEY, or api_key) has a blank, a line break or another"
            " character that no key has"
        )
    return api_key


def parsed(body: bytes) -> Union[Any, str]:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
