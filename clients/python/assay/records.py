"""Running traces and spans."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional, Tuple

from .delivery import Fate, Item
from .forms import json_bytes
from .notices import warn_once
from .outbox import Outbox
from .record import Piece, Record, inner, of_both
from .values import (
    event_types,
    external_id_max,
    is_uuid,
    kinds,
    legal,
    number_of,
    objects_of,
    text_of,
)

#: Bytes from which a running trace is sent in parts.
part_bytes, part_spans = 1 << 20, 500
#: The service accepts JSON of 128 levels, of which each span needs two.
nested_max = 40
of_trace = ("session_id", "session_external_id", "log_stream_id", "experiment_id")
own_texts = ("model", "finish_reason", "tool_call_id", "agent_type", "agent_name", "check_stage")
own_texts += ("applies_to", "evaluator_name", "selector_path")


class Trace(Record):
    """One run of the program, with its spans. Sent when it ends, in parts when it is large."""

    settable = frozenset((*of_both, *of_trace))
    known = settable.union(inner, ("outbox", "lock", "fate", "announced", "dropped"))

    def __init__(self, outbox: Outbox, name: str, fields: Dict[str, Any]) -> None:
        self.session_id: Optional[str] = None
        self.session_external_id: Optional[str] = None
        self.log_stream_id: Optional[str] = None
        self.experiment_id: Optional[str] = None
        super().__init__(name, fields)
        self.outbox = outbox
        self.lock = threading.RLock()
        self.fate = Fate()
        self.trace = self
        self.depth = 0
        #: True if the service has it, or will before later records; it may be unfinished.
        self.announced = False
        #: True if the queue had no room, so nothing of it is sent.
        self.dropped = False
        self._open: Dict[str, Record] = {}
        self._loose: List[Tuple[str, Piece]] = []
        self._held = self._spans = 0
        outbox.going_on[id(self)] = self

    def begun(self, span: "Span") -> int:
        """The span's place among its siblings."""
        with self.lock:
            self._open[span.id] = span
            span.parent._steps += 1
            return span.parent._steps

    def take(self, span: "Span") -> None:
        """Adds an ended span, with its content."""
        with self.lock:
            self._open.pop(span.id, None)
            held = sum(len(one.data) for one in span._pieces)
            piece = span._encoded()
            size = len(piece.data) - held
            if self.dropped or not self.outbox.hold(size):
                self._held -= held
                return self.outbox.drop(piece.records, held, "too much waits to be sent")
            self._held += size
            self._spans += 1
            parent = span.parent
            if self.ended or parent.ended or span.depth % nested_max == 0:
                self._loose.append((parent.id, piece))
            else:
                parent._pieces.append(piece)
            if self.ended:
                self._send_loose()
            elif self._held > part_bytes or self._spans > part_spans:
                self._send_part()

    def end(self) -> None:
        """Sends it, or the rest of it. A second call does nothing."""
        with self.lock:
            if self.ended:
                return
            self.ended = True
            self.outbox.going_on.pop(id(self), None)
            if self.announced:
                self._collect()
                self._send_loose()
                self._send_change()
            else:
                self._announce(complete=True)
                self._send_loose()

    def leave(self) -> None:
        """Sends it as incomplete at the program's end, with its open spans as they are."""
        with self.lock:
            for span in reversed([*self._open.values()]):
                self.take(span)
                span.ended = True
            self._send_part()

    def _run(self) -> Dict[str, Any]:
        runs = {"log_stream_id": self.log_stream_id, "experiment_id": self.experiment_id}
        return {name: text_of(one) for name, one in runs.items() if one is not None}

    def _announce(self, complete: bool) -> None:
        """The trace in its current state, with its ended direct spans."""
        held = sum(len(one.data) for one in self._pieces)
        piece = self._encoded()
        head: Dict[str, Any] = {"is_complete": complete, "include_trace_ids": False, **self._run()}
        session = self.session_external_id
        if self.session_id is not None:
            session = None if is_uuid(self.session_id) else self.session_id
        if session:
            head["session_external_id"] = text_of(session)[:external_id_max]
        placed = bool(self._run())
        data, records = piece
        item = Item("POST", "traces", "traces", head, data, records, self.fate, placed)
        self.announced = True
        self._held -= held
        self._spans = 0
        self.dropped = not self.outbox.put(item, held)

    def _members(self) -> Dict[str, Any]:
        members = super()._members()
        if is_uuid(self.session_id):
            members["session_id"] = text_of(self.session_id)
        if not self.ended:
            # Later content is sent as a change.
            for name in ("output", "metrics", "status_code", "tags"):
                members.pop(name, None)
        return members

    def _send_part(self) -> None:
        if not self.announced:
            self._announce(complete=False)
        self._collect()
        self._send_loose()

    def _collect(self) -> None:
        """Collects ended spans within running ones into a part of their own."""
        for record in (self, *self._open.values()):
            self._loose += [(record.id, piece) for piece in record._pieces]
            record._pieces = []

    def _send_loose(self) -> None:
        loose, self._loose = self._loose, []
        for parent_id, piece in loose:
            self._held -= len(piece.data)
            if self.dropped:
                self.outbox.drop(piece.records, len(piece.data), "too much waits to be sent")
                continue
            head = {"trace_id": self.id, "parent_id": parent_id}
            item = Item("POST", "spans", "spans", head, piece.data, piece.records, self.fate)
            self.outbox.put(item, len(piece.data))
        self._spans = 0

    def _send_change(self) -> None:
        members = self._members()
        keys = ("input", "output", "status_code", "tags", "metrics")
        change = {name: members[name] for name in keys if name in members}
        data = json_bytes({**change, "is_complete": True})
        if self.dropped:
            return self.outbox.drop(0, 0, "too much waits to be sent")
        self.outbox.put(Item("PATCH", f"traces/{self.id}", "", {}, data, 0, self.fate), 0)


class Span(Record):
    """A step of a trace, or of another span."""

    settable = frozenset((*of_both, *own_texts, "temperature", "tools", "events", "control_id"))
    known = settable.union(inner, ("parent", "step_number", "alone"))

    def __init__(self, parent: Record, kind: str, name: str, fields: Dict[str, Any]) -> None:
        if kind not in kinds:
            there = ", ".join(kinds)
            warn_once(f"type {str(kind)[:80]!r} is recorded as workflow; there are {there}")
        self.kind = kind if kind in kinds else "workflow"
        self.model: Any = None
        self.temperature: Any = None
        self.tools: Any = None
        self.events: Any = None
        super().__init__(name, fields)
        self.parent = parent
        self.trace = parent.trace
        self.depth = parent.depth + 1
        self.step_number = self.trace.begun(self)
        #: Set if the trace exists for this span alone and ends with it.
        self.alone = False

    def _members(self) -> Dict[str, Any]:
        members = {**super()._members(), "step_number": self.step_number}
        for name in own_texts:
            value = getattr(self, name, None)
            if value is not None and value in legal.get(name, (value,)):
                members[name] = text_of(value)
            elif value is not None:
                there = ", ".join(legal[name])
                warn_once(f"{name} {text_of(value)[:80]!r} is left out; there are {there}")
        if self.kind == "llm":
            events = [one for one in objects_of(self.events) if one.get("type") in event_types]
            rest = {
                "temperature": number_of(self.temperature),
                "tools": objects_of(self.tools),
                "events": events,
            }
            members.update({name: one for name, one in rest.items() if one not in (None, [])})
        control_id = getattr(self, "control_id", None)
        if self.kind == "control" and isinstance(control_id, int):
            members["control_id"] = control_id
        return members

    def end(self) -> None:
        """Passes it to its trace. A second call does nothing."""
        with self.trace.lock:
            if self.ended:
                return
            self.ended = True
            self.trace.take(self)
            if self.alone:
                self.trace.set(output=self.output, status_code=self.status_code)
                self.trace.end()
