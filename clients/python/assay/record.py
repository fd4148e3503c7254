"""Common base of traces and spans."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, NamedTuple, Optional
from uuid import uuid4

from .forms import json_bytes
from .notices import warn_once
from .values import (
    external_id_max,
    input_of,
    is_uuid,
    metadata_of,
    metric_name_max,
    metrics_of,
    name_max,
    now,
    output_of,
    tags_of,
    text_of,
    why_no_metric,
)

if TYPE_CHECKING:
    from .records import Trace

of_both = ("input", "output", "name", "user_metadata", "tags", "metrics", "status_code")
of_both += ("external_id", "dataset_input", "dataset_output", "dataset_metadata")
of_both += ("redacted_input", "redacted_output")
#: Attributes that programs must not set.
inner = ("id", "created_at", "kind", "trace", "depth", "ended")


class Piece(NamedTuple):
    """An ended span, with the spans in it, as JSON."""

    data: bytes
    records: int


class Record:
    """Common base of a trace and a span. Its members may be set until it ends.

    `input`, `output`: anything; unsupported values become text. `metrics`, `user_metadata`, `tags`.
    `status_code` is 200, and 500 after an exception, unless it is set.
    """

    kind = "trace"
    #: Attributes that programs may set, and the others.
    settable: FrozenSet[str]
    known: FrozenSet[str]
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
        """Sets several members; `input` is captured at once. Unknown members become metadata."""
        for name, value in fields.items():
            if value is None:
                continue
            if name not in self.settable:
                self._misspelt(name, "it is recorded as user_metadata")
                self.user_metadata[name] = value
            else:
                setattr(self, name, input_of(self.kind, value) if name == "input" else value)

    def failed(self, error: BaseException, code: int = 500) -> None:
        """Records the exception that ended it."""
        if self.status_code is None:
            self.status_code = code
        said = f"{type(error).__name__}: {error}"
        self.user_metadata = {"error.message": said, **self.user_metadata}

    def _look(self, metrics: Dict[str, Any]) -> None:
        """Warns of attributes that are set and ignored."""
        for name in vars(self).keys() - self.known:
            if name[0] != "_":
                self._misspelt(name, "it is not recorded")
        given = self.metrics if isinstance(self.metrics, Mapping) else {"": self.metrics}
        for name, value in given.items():
            if value is not None and str(name)[:metric_name_max] not in metrics:
                said = f"metrics[{str(name)[:80]!r}]"
                warn_once(f"{said} is left out: {why_no_metric(value)}")

    def _misspelt(self, name: str, instead: str) -> None:
        warn_once(f"records of type {self.kind} have no member {name[:80]!r}: {instead}")

    def _members(self) -> Dict[str, Any]:
        metrics = metrics_of(self.metrics)
        self._look(metrics)
        if self.ended:
            metrics.setdefault("duration_ns", time.perf_counter_ns() - self._began)
        code = 200 if self.status_code is None and self.ended else self.status_code
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
            "status_code": None if code is None else int(code),
            "dataset_metadata": metadata_of(self.dataset_metadata),
        }
        for name in ("dataset_input", "dataset_output"):
            if getattr(self, name) is not None:
                said[name] = text_of(getattr(self, name))
        if self.external_id:
            said["external_id"] = text_of(self.external_id)[:external_id_max]
        return {name: value for name, value in said.items() if value not in (None, {}, [])}

    def _encoded(self) -> Piece:
        """JSON, with the ended spans in it."""
        data = json_bytes(self._members())
        pieces, self._pieces = self._pieces, []
        if pieces:
            data = data[:-1] + b',"spans":[' + b",".join(one.data for one in pieces) + b"]}"
        return Piece(data, 1 + sum(one.records for one in pieces))
