"""Base of every noun: requests, pages, polling."""

from __future__ import annotations

import time
from typing import Any, Callable, Mapping, Optional, TypeVar
from urllib.parse import quote
from uuid import uuid4

from .connections import Request
from .errors import WaitTimedOut
from .forms import encoded, given, query_string
from .operation import Operation
from .pages import Pages
from .place import Place
from .transport import Transport
from .version import version

Answer = TypeVar("Answer")
#: Logging method, sent with every write of records (contract 5.6).
stamp = {"logging_method": "python_client", "client_version": version}
over = ("completed", "failed", "cancelled")
#: Polling interval in seconds: the first, and the longest.
poll_first, poll_longest = 0.1, 2.0


class Asker:
    """Sends requests of operations, each after `settle`."""

    def __init__(
        self, transport: Transport, place: Place, settle: Callable[[], object] = lambda: None
    ) -> None:
        self._transport, self._place, self._settle = transport, place, settle

    def ask(
        self,
        operation: Operation,
        path: Mapping[str, Any],
        query: Mapping[str, Any],
        body: Any,
        if_match: Optional[str],
        key: Optional[str],
    ) -> Any:
        self._settle()
        headers = {} if if_match is None else {"If-Match": if_match}
        if operation.repeats == "keyed":
            headers["Idempotency-Key"] = key or str(uuid4())
        payload: Optional[bytes] = None
        if isinstance(body, dict):
            body = {**given(body), **(stamp if operation.stamped else {})}
        if body is not None:
            headers["Content-Type"], payload = encoded(operation.body, body)
        address = self._address(operation, path) + query_string(query)
        request = Request(operation.method, address, headers, payload)
        return self._transport.send(request, operation.repeats, operation.answer)

    def _address(self, operation: Operation, path: Mapping[str, Any]) -> str:
        template = operation.path
        for name, value in path.items():
            if name == "project_id" and value is None:
                value = self._place.project_id(make=operation.stamped)
            template = template.replace(f"{{{name}}}", quote(str(value), safe=""))
        return template


class Noun:
    """Operations of one noun; its subclasses are generated."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def _ask(
        self,
        operation: Operation,
        path: Mapping[str, Any] = {},
        query: Mapping[str, Any] = {},
        body: Any = None,
        if_match: Optional[str] = None,
        key: Optional[str] = None,
    ) -> Any:
        return self._asker.ask(operation, path, query, body, if_match, key)

    def _pages(
        self,
        operation: Operation,
        path: Mapping[str, Any] = {},
        query: Mapping[str, Any] = {},
        body: Any = None,
    ) -> Pages[Any]:
        token = operation.token

        def ask(start: Optional[Any]) -> Any:
            if start is None:
                return self._ask(operation, path, query, body)
            if isinstance(body, dict) and token in body:
                return self._ask(operation, path, query, {**body, token: start})
            return self._ask(operation, path, {**query, token: start}, body)

        return Pages(ask, operation.rows, token)

    def _wait(
        self,
        poll: Callable[[], Answer],
        progress: Optional[Callable[[Answer], object]],
        timeout: Optional[float],
    ) -> Answer:
        until = None if timeout is None else time.monotonic() + timeout
        wait, before = poll_first, None
        while True:
            now: Any = poll()
            if progress is not None and now != before:
                progress(now)
            if now["status"] in over:
                return now
            if until is not None and time.monotonic() + wait > until:
                raise WaitTimedOut(f"{now['status']} after {timeout} s")
            time.sleep(wait)
            wait, before = min(wait * 1.5, poll_longest), now
