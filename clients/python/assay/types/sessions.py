"""Types of sessions. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .records import MetricInfo, TraceTree

__all__ = [
    "CreateSessionResponse",
    "Session",
    "SessionFields",
    "SessionFieldsPage",
    "SessionPage",
    "SessionSearch",
    "SessionTree",
]


class CreateSessionResponse(TypedDict):
    id: str
    name: str
    project_id: str
    project_name: str
    previous_session_id: Optional[str]
    external_id: Optional[str]


class _Session(TypedDict):
    type: Literal["session"]
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


class Session(_Session, total=False):
    previous_session_id: Optional[str]
    num_traces: Optional[int]


class _SessionFields(TypedDict):
    id: str


class SessionFields(_SessionFields, total=False):
    type: Literal["session"]
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
    previous_session_id: Optional[str]
    num_traces: Optional[int]


class SessionFieldsPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    records: List[SessionFields]
    last_row_id: Optional[str]


class SessionPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    records: List[Session]
    last_row_id: Optional[str]


SessionSearch = Union["SessionPage", "SessionFieldsPage"]


class _SessionTree(TypedDict):
    type: Literal["session"]
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
    traces: List[TraceTree]
    starting_token: int
    next_starting_token: Optional[int]


class SessionTree(_SessionTree, total=False):
    previous_session_id: Optional[str]
    num_traces: Optional[int]
