"""Requests of queued records, and handling of refused ones."""

from __future__ import annotations

import time
from http.client import HTTPException
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional
from urllib.parse import quote

from .connections import Request
from .errors import LogDamaged, Refused, cause_of, passes
from .forms import json_bytes
from .noun import stamp
from .place import Place
from .transport import Transport, patience, pause

#: Bounds of one request (contract 1.11), with room to the body's 32 MiB.
traces_max, spans_max, bytes_max = 1000, 5000, 4 << 20
#: Failures of the service after which the request itself is considered the cause.
failures_max = 5
#: Refusals that may concern one of several records.
about_one = (400, 409, 413, 422, 500)


class Fate:
    """Outcome of a trace, for its parts that are sent later."""

    def __init__(self) -> None:
        self.refused = False


class Item(NamedTuple):
    """A trace with its spans, spans of a trace that was sent, or a change of one; as JSON.

    `address` is below the project's, `head` the members of the request beside the list. Neighbours
    with equal `many` are batched into one request; '' never is.
    """

    method: str
    address: str
    many: str
    head: Dict[str, Any]
    data: bytes
    records: int
    fate: Fate
    #: True if the head lacks the client's default run.
    placed: bool = True


def next_batch(queue: "Deque[Item]") -> List[Item]:
    """Takes the items of one request from the front of the queue, at least one."""
    batch: List[Item] = []
    size = records = 0
    while queue:
        one = queue[0]
        if batch and (
            not one.many
            or (one.address, one.many, one.head) != (batch[0].address, batch[0].many, batch[0].head)
            or len(batch) >= traces_max
            or records + one.records > spans_max
            or size + len(one.data) > bytes_max
        ):
            break
        batch.append(queue.popleft())
        size += len(one.data)
        records += one.records
    return batch


class Delivery:
    """Sends a batch until it is answered.

    Idempotent: ids are made by the client and the bytes stay the same, so that the service counts a
    repeat instead of storing it again (contract 5.6, rule 3).
    """

    rest: Callable[[float], None]
    accepted: Callable[[int], None]
    refused: Callable[[int, str], None]

    def __init__(self, transport: Transport, place: Place) -> None:
        self._transport, self._place = transport, place
        self.outage = transport.outage

    def after_fork(self) -> None:
        self._transport.after_fork()
        self._place.after_fork()

    def deliver(self, batch: List[Item]) -> None:
        """Calls `accepted` and `refused` with the number of records; raises what `rest` raises."""
        if batch[0].fate.refused:
            # Its trace does not exist: the service would search for it, 2 s each time.
            return self.refused(records_of(batch), "their trace was refused")
        tries = failures = 0
        while True:
            after: Optional[float] = None
            began = time.monotonic()
            try:
                rejected = self._send(batch)
                return self._settled(batch, rejected)
            except Refused as refused:
                failures += refused.status == 500
                lasting = not passes(refused) and not isinstance(refused, LogDamaged)
                if lasting and (refused.status < 500 or failures >= failures_max):
                    self.outage.over()
                    return self._parted(batch, refused)
                cause = str(refused)
                if refused.retry_after is not None:
                    after = min(refused.retry_after, patience)
            except (OSError, HTTPException) as error:
                cause = cause_of(error)
            seconds = pause(tries, after)
            self.outage.goes_on(cause, began, seconds)
            self.rest(seconds)
            tries += 1

    def _settled(self, batch: List[Item], rejected: List[Dict[str, Any]]) -> None:
        """Accepted, except for the items that the service rejected alone (contract 5.6, rule 8)."""
        lost = {one["index"]: f"{'/'.join(one['loc'])}: {one['msg']}" for one in rejected}
        self.accepted(records_of([one for at, one in enumerate(batch) if at not in lost]))
        for at, why in lost.items():
            batch[at].fate.refused = batch[at].address == "traces"
            self.refused(batch[at].records, why)

    def _parted(self, batch: List[Item], refused: Refused) -> None:
        """Bisection: one of several items may be invalid, so each half is sent alone."""
        if len(batch) == 1 or refused.status not in about_one:
            for one in batch:
                one.fate.refused = one.address == "traces"
            return self.refused(records_of(batch), str(refused))
        middle = len(batch) // 2
        self.deliver(batch[:middle])
        self.deliver(batch[middle:])

    def _send(self, batch: List[Item]) -> List[Dict[str, Any]]:
        """The items that the service rejected alone; raises Refused when it accepted none."""
        first = batch[0]
        project = quote(self._place.project_id(make=True, once=True), safe="")
        head = {**first.head, **stamp}
        if not first.placed:
            head.update(self._place.run(once=True))
        headers = {"Content-Type": "application/json"}
        body = first.data
        if first.many:
            listed = b",".join(one.data for one in batch)
            body = b'{"%s":[%s],%s' % (first.many.encode(), listed, json_bytes(head)[1:])
        path = f"/v2/projects/{project}/{first.address}"
        answer = self._transport.once(Request(first.method, path, headers, body), "again", "json")
        return answer.get("rejected") or [] if isinstance(answer, dict) else []


def records_of(batch: List[Item]) -> int:
    return sum(one.records for one in batch)
