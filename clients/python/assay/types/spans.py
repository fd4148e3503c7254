"""Types of spans. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .records import MetricInfo
from .several import RejectedItem

__all__ = [
    "LogSpansResponse",
    "Span",
    "SpanFields",
    "SpanFieldsPage",
    "SpanPage",
    "SpanSearch",
    "UpdateSpanResponse",
]


class LogSpansResponse(TypedDict):
    project_id: str
    project_name: str
    log_stream_id: Optional[str]
    experiment_id: Optional[str]
    metrics_testing_id: Optional[str]
    session_id: Optional[str]
    records_count: int
    trace_id: str
    parent_id: str
    rejected: List[RejectedItem]
    truncated: List[List[str]]


class _Span(TypedDict):
    type: Literal["llm", "control", "retriever", "agent", "tool", "workflow"]
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


class Span(_Span, total=False):
    parent_id: Optional[str]
    step_number: Optional[int]
    tools: Any
    events: Any
    model: Optional[str]
    temperature: Optional[float]
    finish_reason: Optional[str]
    tool_call_id: Optional[str]
    agent_type: Optional[str]
    control_id: Optional[int]
    agent_name: Optional[str]
    check_stage: Optional[str]
    applies_to: Optional[str]
    evaluator_name: Optional[str]
    selector_path: Optional[str]


class _SpanFields(TypedDict):
    id: str


class SpanFields(_SpanFields, total=False):
    type: Literal["llm", "control", "retriever", "agent", "tool", "workflow"]
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
    parent_id: Optional[str]
    step_number: Optional[int]
    tools: Any
    events: Any
    model: Optional[str]
    temperature: Optional[float]
    finish_reason: Optional[str]
    tool_call_id: Optional[str]
    agent_type: Optional[str]
    control_id: Optional[int]
    agent_name: Optional[str]
    check_stage: Optional[str]
    applies_to: Optional[str]
    evaluator_name: Optional[str]
    selector_path: Optional[str]


class SpanFieldsPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    records: List[SpanFields]
    last_row_id: Optional[str]


class SpanPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    records: List[Span]
    last_row_id: Optional[str]


SpanSearch = Union["SpanPage", "SpanFieldsPage"]


class UpdateSpanResponse(TypedDict):
    project_id: str
    project_name: str
    log_stream_id: Optional[str]
    experiment_id: Optional[str]
    metrics_testing_id: Optional[str]
    session_id: Optional[str]
    records_count: int
    trace_id: str
    parent_id: str
    span_id: str
