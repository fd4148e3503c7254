"""Outbox of unsent records: a bounded queue, and a thread that sends it."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref
from collections import deque
from typing import Deque, NamedTuple, Optional, Protocol

from .delivery import Delivery, Item, next_batch
from .errors import AssayError
from .notices import warn

#: Batch size in bytes from which a request is sent without delay.
batch_bytes = 1 << 20


class Counts(NamedTuple):
    """Traces, spans and changes since the client began, or since a fork in the child."""

    sent: int
    dropped: int
    #: Neither sent nor dropped yet.
    waiting: int


class GoingOn(Protocol):
    """A running trace."""

    def leave(self) -> None:
        """Queues its current content."""


class OutOfTime(Exception):
    """The time limit at the program's end has passed."""


class Outbox:
    """Takes records from any thread and sends them in order, in the background.

    `put` never waits and never raises. At most `bytes_max` bytes are queued; newer records are
    dropped. Drops are counted, and the first is reported by the logger `assay`. At the program's
    end the queue is sent for `exit_seconds` at most, after the current content of the traces in
    `going_on`. A child after `fork` begins empty: the parent sends its own records.
    """

    def __init__(
        self, delivery: Delivery, bytes_max: int, linger: float, exit_seconds: float
    ) -> None:
        self._delivery, self._bytes_max = delivery, bytes_max
        self._linger, self._exit_seconds = linger, exit_seconds
        delivery.rest, delivery.accepted = self._rest, self._accepted
        delivery.refused = self._refused
        self._empty()
        every_outbox.add(self)
        atexit.register(self.close)

    def _empty(self) -> None:
        # Reentrant: the garbage collector may end a span while this thread holds the lock.
        self._change = threading.Condition(threading.RLock())
        self._queue: Deque[Item] = deque()
        self.going_on: "weakref.WeakValueDictionary[int, GoingOn]"
        self.going_on = weakref.WeakValueDictionary()
        self._held = self._queued_bytes = 0
        self._taken = self._done = 0
        self._sent = self._dropped = self._waiting = 0
        self._hurried = 0
        self._unanswered = 0
        #: Number of drops at the end of the last flush.
        self._flushed = 0
        self._closing = self._over = self._said = False
        self._until: Optional[float] = None
        self._worker: Optional[threading.Thread] = None
        self._delivery.after_fork()

    @property
    def counts(self) -> Counts:
        with self._change:
            return Counts(self._sent, self._dropped, self._waiting)

    def hold(self, size: int) -> bool:
        """Reserves room for later records; False if the queue is full or closing."""
        with self._change:
            if self._held + size > self._bytes_max or self._closing:
                return False
            self._held += size
            return True

    def drop(self, records: int, size: int, why: str) -> None:
        """Counts records that were never put, and releases their room."""
        with self._change:
            self._held -= size
            self._dropped += records
        self._say(why)

    def put(self, item: Item, held: int) -> bool:
        """Queues it; `held` of its bytes are reserved already. False: it is dropped and counted."""
        with self._change:
            fits = self._held + len(item.data) - held <= self._bytes_max and not self._closing
            if fits:
                self._held += len(item.data) - held
                self._queue.append(item)
                self._queued_bytes += len(item.data)
                self._taken += 1
                self._waiting += item.records
                if self._queued_bytes >= batch_bytes or len(self._queue) == 1:
                    self._change.notify_all()
                if self._worker is None:
                    self._begin()
        if not fits:
            full = "the client is closed" if self._closing else "too much waits to be sent"
            self.drop(item.records, held, full)
        return fits

    def _begin(self) -> None:
        worker = threading.Thread(target=self._work, name="assay", daemon=True)
        try:
            worker.start()
        except RuntimeError:
            # The interpreter is ending: `close` sends the queue itself.
            return
        self._worker = worker
        util = sys.modules.get("multiprocessing.util")
        process = sys.modules.get("multiprocessing.process")
        if util is not None and process is not None and process.parent_process() is not None:
            # Such a child ends without `atexit`.
            util.Finalize(self, self.close, exitpriority=0)

    def _work(self) -> None:
        process = os.getpid()
        while True:
            with self._change:
                self._change.wait_for(lambda: self._queue or self._closing)
                if not self._queue:
                    return
                if not self._closing and not self._hurried:
                    self._change.wait_for(self._enough, self._linger)
            if not self.step() or process != os.getpid():
                return

    def _enough(self) -> bool:
        return self._queued_bytes >= batch_bytes or self._closing or self._hurried > 0

    def step(self) -> bool:
        """Sends one request of waiting records, until it is answered; False when time is up."""
        with self._change:
            batch = next_batch(self._queue)
            size = sum(len(one.data) for one in batch)
            self._queued_bytes -= size
            self._unanswered = sum(one.records for one in batch)
        try:
            self._delivery.deliver(batch)
        except OutOfTime:
            # `close` counts and reports unsent records.
            return False
        except Exception as error:
            why = str(error) if isinstance(error, AssayError) else repr(error)
            self._refused(self._unanswered, why)
        with self._change:
            self._held -= size
            self._done += len(batch)
            self._change.notify_all()
        return self._until is None or time.monotonic() < self._until

    def _rest(self, seconds: float) -> None:
        """Pause between two tries; OutOfTime when the client closes and its time is up."""
        with self._change:
            if not self._closing:
                self._change.wait_for(lambda: self._closing, seconds)
                return
            left = (self._until or 0) - time.monotonic()
            if left > 0:
                self._change.wait(min(seconds, 0.25, left))
                return
        raise OutOfTime

    def _accepted(self, records: int) -> None:
        with self._change:
            if not self._over:
                self._sent += records
                self._waiting -= records
                self._unanswered -= records

    def _refused(self, records: int, why: str) -> None:
        with self._change:
            if not self._over:
                self._dropped += records
                self._waiting -= records
                self._unanswered -= records
        self._say(why)

    def _say(self, why: str) -> None:
        if not self._said:
            self._said = True
            warn(f"records are dropped: {why}. How many, counts.dropped says")

    def flush(self, timeout: Optional[float] = None) -> bool:
        """Like `settle`; False also when a record was dropped since the last `flush`."""
        whole = self.settle(timeout)
        if not whole and not self._closing:
            self._delivery.outage.waited(timeout or 0)
        with self._change:
            lost, self._flushed = self._dropped > self._flushed, self._dropped
        return whole and not lost

    def settle(self, timeout: Optional[float]) -> bool:
        """Sends earlier records now; False when that took longer than `timeout` seconds."""
        with self._change:
            target = self._taken
            self._hurried += 1
            self._change.notify_all()
            try:
                if self._worker is not None:
                    return self._change.wait_for(lambda: self._done >= target, timeout)
            finally:
                self._hurried -= 1
        return self._drain(target, timeout)

    def _drain(self, target: int, timeout: Optional[float]) -> bool:
        """Sends without a thread, if none could be started."""
        until = None if timeout is None else time.monotonic() + timeout
        while self._done < target and (until is None or time.monotonic() < until):
            if not self.step():
                break
        return self._done >= target

    def close(self, timeout: Optional[float] = None) -> bool:
        """Sends the remaining records, for `timeout` seconds at most, and accepts no more."""
        for reference in self.going_on.valuerefs():
            self._leave(reference())
        with self._change:
            if self._closing:
                return self._waiting == 0
            seconds = self._exit_seconds if timeout is None else timeout
            self._until = time.monotonic() + seconds
            self._closing = True
            self._change.notify_all()
        atexit.unregister(self.close)
        whole = self.flush(seconds)
        with self._change:
            # A running request may still arrive; its outcome is not counted.
            left, self._waiting, self._over = self._waiting, 0, True
            self._done = self._taken
            self._queue.clear()
            self._dropped += left
        if left:
            why = f"they could not be sent before the program ended: {self._delivery.outage.cause}"
            warn(f"records are dropped, {left} in all: {why}")
        return whole

    def _leave(self, trace: Optional[GoingOn]) -> None:
        try:
            if trace is not None:
                trace.leave()
        except Exception as error:
            self.drop(1, 0, f"a record cannot be written: {error!r}")

    def after_fork(self) -> None:
        self._empty()


every_outbox: "weakref.WeakSet[Outbox]" = weakref.WeakSet()


def begin_anew() -> None:
    for one in list(every_outbox):
        one.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=begin_anew)
