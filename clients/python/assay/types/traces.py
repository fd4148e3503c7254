"""Types of traces. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .records import ContentPart, MetricInfo, NewSpan
from .several import RejectedItem

__all__ = [
    "LogTracesResponse",
    "NewTrace",
    "Trace",
    "TraceFields",
    "TraceFieldsPage",
    "TracePage",
    "TraceSearch",
    "UpdateTraceResponse",
]


class LogTracesResponse(TypedDict):
    project_id: str
    project_name: str
    log_stream_id: Optional[str]
    experiment_id: Optional[str]
    metrics_testing_id: Optional[str]
    session_id: Optional[str]
    records_count: int
    traces_count: int
    spans_count: int
    new_records_count: int
    trace_ids: Optional[List[str]]
    rejected: List[RejectedItem]
    truncated: List[List[str]]


class NewTrace(TypedDict, total=False):
    type: Optional[Literal["trace"]]
    id: Optional[str]
    input: Optional[Union[str, List[ContentPart]]]
    output: Optional[Union[str, List[ContentPart]]]
    redacted_input: Optional[Union[str, List[ContentPart]]]
    redacted_output: Optional[Union[str, List[ContentPart]]]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    session_id: Optional[str]
    spans: Optional[List[NewSpan]]


class _Trace(TypedDict):
    type: Literal["trace"]
    id: str
    project_id: str
    run_id: str
    session_id: Optional[str]
    trace_id: Optional[str]
    name: str
    created_at: str
    updated_at: Optional[str]
    input: Any
    output: Any
    redacted_input: Any
    redacted_output: Any
    user_metadata: Dict[str, str]
    tags: List[str]
    status_code: Optional[int]
    metrics: Dict[str, Any]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Dict[str, str]
    has_children: bool
    is_complete: bool
    metric_info: Dict[str, MetricInfo]
    annotations: Dict[str, Any]
    annotation_aggregates: Dict[str, Any]
    fully_annotated: bool


class Trace(_Trace, total=False):
    num_spans: Optional[int]


class _TraceFields(TypedDict):
    id: str


class TraceFields(_TraceFields, total=False):
    type: Literal["trace"]
    project_id: str
    run_id: str
    session_id: Optional[str]
    trace_id: Optional[str]
    name: str
    created_at: str
    updated_at: Optional[str]
    input: Any
    output: Any
    redacted_input: Any
    redacted_output: Any
    user_metadata: Dict[str, str]
    tags: List[str]
    status_code: Optional[int]
    metrics: Dict[str, Any]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Dict[str, str]
    has_children: bool
    is_complete: bool
    metric_info: Dict[str, MetricInfo]
    annotations: Dict[str, Any]
    annotation_aggregates: Dict[str, Any]
    fully_annotated: bool
    num_spans: Optional[int]


class TraceFieldsPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    records: List[TraceFields]
    last_row_id: Optional[str]


class TracePage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    records: List[Trace]
    last_row_id: Optional[str]


TraceSearch = Union["TracePage", "TraceFieldsPage"]


class UpdateTraceResponse(TypedDict):
    project_id: str
    project_name: str
    log_stream_id: Optional[str]
    experiment_id: Optional[str]
    metrics_testing_id: Optional[str]
    session_id: Optional[str]
    records_count: int
    traces_count: int
    spans_count: int
    trace_id: str
