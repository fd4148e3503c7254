"""Traces and spans while they last."""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, List, NamedTuple, Optional, Tuple
from uuid import uuid4

from .delivery import Fate, Item
from .forms import json_bytes
from .outbox import Outbox
from .values import (
    event_types,
    external_id_max,
    input_of,
    is_uuid,
    kinds,
    legal,
    metadata_of,
    metrics_of,
    name_max,
    now,
    number_of,
    objects_of,
    output_of,
    tags_of,
    text_of,
)

#: A trace that holds more than this is sent in parts, while it goes on.
part_bytes, part_spans = 1 << 20, 500
#: The service takes JSON of 128 levels, of which each span needs two.
nested_max = 40
own_texts = ("model", "finish_reason", "tool_call_id", "agent_type", "agent_name", "check_stage")
own_texts += ("applies_to", "evaluator_name", "selector_path")
settable = (*own_texts, "input", "output", "name", "user_metadata", "tags", "metrics")
settable += ("status_code", "external_id", "dataset_input", "dataset_output", "dataset_metadata")
settable += ("redacted_input", "redacted_output", "temperature", "tools", "events", "control_id")
settable += ("session_id", "session_external_id", "log_stream_id", "experiment_id")


class Piece(NamedTuple):
    """A span that ended, with the spans in it, as JSON."""

    data: bytes
    records: int


class Record:
    """What a trace and a span have in common. Its members may be set until it ends.

    `input`, `output`: anything; what the kind has no form for becomes text. `metrics`,
    `user_metadata`, `tags`. `status_code` is 200, and 500 after an exception, unless it is set.
    """

    kind = "trace"
    trace: "Trace"
    depth: int

    def __init__(self, name: str, fields: Dict[str, Any]) -> None:
        asked = fields.pop("id", None)
        self.id: str = str(asked) if is_uuid(asked) else str(uuid4())
        self.name = name
        self.input: Any = None
        self.output: Any = None
        self.redacted_input: Any = None
        self.redacted_output: Any = None
        self.metrics: Dict[str, Any] = {}
        self.user_metadata: Dict[str, Any] = {}
        self.tags: List[str] = []
        self.status_code: Optional[int] = None
        self.external_id: Optional[str] = None
        self.dataset_input: Optional[str] = None
        self.dataset_output: Optional[str] = None
        self.dataset_metadata: Dict[str, Any] = {}
        self.created_at = str(fields.pop("created_at", None) or now())
        self.ended = False
        self._began = time.perf_counter_ns()
        self._steps = 0
        self._pieces: List[Piece] = []
        self.set(**fields)

    def set(self, **fields: Any) -> None:
        """Several members at once; `input` is taken as it is now. Others become metadata."""
        for name, value in fields.items():
            if value is None:
                continue
            if name not in settable:
                self.user_metadata[name] = value
            else:
                setattr(self, name, input_of(self.kind, value) if name == "input" else value)

    def failed(self, error: BaseException, code: int = 500) -> None:
        """Notes what ended it."""
        if self.status_code is None:
            self.status_code = code
        self.user_metadata = {"error": f"{type(error).__name__}: {error}", **self.user_metadata}

    def _members(self) -> Dict[str, Any]:
        metrics = metrics_of(self.metrics)
        metrics.setdefault("duration_ns", time.perf_counter_ns() - self._began)
        said: Dict[str, Any] = {
            "type": self.kind,
            "id": self.id,
            "created_at": self.created_at,
            "name": text_of(self.name)[:name_max],
            "input": input_of(self.kind, self.input),
            "output": output_of(self.kind, self.output),
            "redacted_input": input_of(self.kind, self.redacted_input),
            "redacted_output": output_of(self.kind, self.redacted_output),
            "user_metadata": metadata_of(self.user_metadata),
            "tags": tags_of(self.tags),
            "metrics": metrics,
            "status_code": 200 if self.status_code is None else int(self.status_code),
            "dataset_metadata": metadata_of(self.dataset_metadata),
        }
        for name in ("dataset_input", "dataset_output"):
            if getattr(self, name) is not None:
                said[name] = text_of(getattr(self, name))
        if self.external_id:
            said["external_id"] = text_of(self.external_id)[:external_id_max]
        return {name: value for name, value in said.items() if value not in (None, {}, [])}

    def _encoded(self) -> Piece:
        """As JSON, with the spans in it that ended."""
        data = json_bytes(self._members())
        pieces, self._pieces = self._pieces, []
        if pieces:
            data = data[:-1] + b',"spans":[' + b",".join(one.data for one in pieces) + b"]}"
        return Piece(data, 1 + sum(one.records for one in pieces))


class Trace(Record):
    """One run of the program, with its spans. Sent when it ends, in parts when it is large."""

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
        #: The service has it, or will before what is put from now on; it may be unfinished.
        self.announced = False
        #: It had no room, so nothing of it is sent.
        self.dropped = False
        self._open: Dict[str, Record] = {}
        self._loose: List[Tuple[str, Piece]] = []
        self._held = self._spans = 0

    def begun(self, span: "Span") -> int:
        """The span's place among its siblings."""
        with self.lock:
            self._open[span.id] = span
            span.parent._steps += 1
            return span.parent._steps

    def take(self, span: "Span") -> None:
        """A span that ended, with what it holds."""
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
        """Sends it, or what is left of it. A second time does nothing."""
        with self.lock:
            if self.ended:
                return
            self.ended = True
            if self.announced:
                self._collect()
                self._send_loose()
                self._send_change()
            else:
                self._announce(complete=True)
                self._send_loose()

    def _run(self) -> Dict[str, Any]:
        runs = {"log_stream_id": self.log_stream_id, "experiment_id": self.experiment_id}
        return {name: text_of(one) for name, one in runs.items() if one is not None}

    def _announce(self, complete: bool) -> None:
        """The trace as it is now, with the spans right in it that ended."""
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
            # What may still come is sent as a change.
            for name in ("output", "metrics", "status_code", "tags"):
                members.pop(name, None)
        return members

    def _send_part(self) -> None:
        if not self.announced:
            self._announce(complete=False)
        self._collect()
        self._send_loose()

    def _collect(self) -> None:
        """Makes what ended within spans that still go on a part of its own."""
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

    def __init__(self, parent: Record, kind: str, name: str, fields: Dict[str, Any]) -> None:
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
        #: Set where the trace is there for this span alone and ends with it.
        self.alone = False

    def _members(self) -> Dict[str, Any]:
        members = {**super()._members(), "step_number": self.step_number}
        for name in own_texts:
            value = getattr(self, name, None)
            if value is not None and value in legal.get(name, (value,)):
                members[name] = text_of(value)
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
        """Hands it to its trace. A second time does nothing."""
        with self.trace.lock:
            if self.ended:
                return
            self.ended = True
            self.trace.take(self)
            if self.alone:
                self.trace.set(output=self.output, status_code=self.status_code)
                self.trace.end()
