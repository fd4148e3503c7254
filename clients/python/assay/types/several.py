"""Types of several. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

__all__ = [
    "AccessToken",
    "Column",
    "ColumnList",
    "DeletedRecords",
    "HistoryResource",
    "Message",
    "Permission",
    "Project",
    "ProjectPage",
    "PromptRunSettings",
    "PromptSettings",
    "RecordCount",
    "RejectedItem",
    "RunScorerInput",
    "RunSummary",
    "ScoringCounts",
    "SpanPrice",
    "Threshold",
    "UserSummary",
]


class AccessToken(TypedDict):
    access_token: str
    token_type: Literal["bearer"]


class _Column(TypedDict):
    id: str
    label: str
    description: str
    category: Literal["standard", "metric", "user_metadata", "annotation"]
    group_label: str
    data_type: Literal[
        "text",
        "timestamp",
        "string_list",
        "integer",
        "uuid",
        "boolean",
        "floating_point",
    ]
    filter_type: Literal["text", "date", "collection", "number", "id", "boolean"]
    filterable: bool
    sortable: bool
    multi_valued: bool
    is_empty: bool
    is_optional: bool
    applicable_types: List[
        Literal["trace", "llm", "control", "retriever", "agent", "tool", "session", "workflow"]
    ]


class Column(_Column, total=False):
    data_unit: Literal["percentage", "nano_seconds", "dollars"]
    allowed_values: List[str]
    roll_up_method: Literal["average", "sum", "max", "min"]
    threshold: Threshold


class ColumnList(TypedDict):
    columns: List[Column]


class _DeletedRecords(TypedDict):
    message: str
    deleted_count: int
    remaining: bool


class DeletedRecords(_DeletedRecords, total=False):
    matched_count: int
    ids: List[str]


class HistoryResource(TypedDict):
    type: Literal[
        "organization",
        "user",
        "api_key",
        "group",
        "project",
        "log_stream",
        "experiment",
        "session",
        "trace",
        "dataset",
        "annotation_template",
        "prompt_template",
        "scorer",
        "scorer_task",
        "integration",
        "org_job",
    ]
    id: str


class Message(TypedDict):
    message: str


class Permission(TypedDict):
    action: str
    allowed: bool
    message: Optional[str]


class Project(TypedDict):
    id: str
    name: str
    type: str
    description: Optional[str]
    labels: List[str]
    created_by: str
    created_by_user: Optional[UserSummary]
    created_at: str
    updated_at: str
    bookmark: bool
    runs: List[RunSummary]
    role: Literal["viewer", "annotator", "editor", "owner"]
    permissions: List[Permission]


class ProjectPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    projects: List[Project]


class PromptRunSettings(TypedDict):
    logprobs: bool
    top_logprobs: int
    echo: bool
    n: int
    reasoning_effort: str
    verbosity: str
    deployment_name: Optional[str]
    model_alias: Optional[str]
    temperature: Optional[float]
    max_tokens: int
    stop_sequences: Optional[List[str]]
    top_p: float
    top_k: int
    frequency_penalty: float
    presence_penalty: float
    response_format: Optional[Dict[str, Any]]
    tools: Optional[str]
    tool_choice: Optional[str]


class PromptSettings(TypedDict, total=False):
    logprobs: Optional[bool]
    top_logprobs: Optional[int]
    echo: Optional[bool]
    n: Optional[int]
    reasoning_effort: Optional[str]
    verbosity: Optional[str]
    deployment_name: Optional[str]
    model_alias: Optional[str]
    temperature: Optional[float]
    max_tokens: Optional[int]
    stop_sequences: Optional[List[str]]
    top_p: Optional[float]
    top_k: Optional[int]
    frequency_penalty: Optional[float]
    presence_penalty: Optional[float]
    tools: Optional[Union[str, List[Any], Dict[str, Any]]]
    tool_choice: Optional[Union[str, List[Any], Dict[str, Any]]]
    response_format: Optional[Dict[str, Any]]


class RecordCount(TypedDict):
    total_count: int


class RejectedItem(TypedDict):
    index: int
    id: Optional[str]
    loc: List[str]
    msg: str


class _RunScorerInput(TypedDict):
    id: str
    scorer_type: Literal["code", "preset"]


class RunScorerInput(_RunScorerInput, total=False):
    name: Optional[str]
    scoreable_node_types: Optional[
        List[
            Literal[
                "chain",
                "chat",
                "llm",
                "retriever",
                "tool",
                "agent",
                "workflow",
                "trace",
                "session",
            ]
        ]
    ]


class RunSummary(TypedDict):
    id: str
    name: str
    kind: Literal["log_stream", "experiment", "metrics_testing"]
    created_at: str
    updated_at: Optional[str]


class ScoringCounts(TypedDict):
    eligible: int
    waiting: int
    scored: int
    skipped: int
    failed: Dict[str, int]


class _SpanPrice(TypedDict):
    input: float
    output: float


class SpanPrice(_SpanPrice, total=False):
    cache_read: float
    cache_write: float
    reasoning: float
    input_audio: float
    output_audio: float
    input_image: float
    output_image: float
    list: str


class Threshold(TypedDict):
    buckets: List[float]
    display_value_levels: List[str]
    inverted: bool


class UserSummary(TypedDict):
    id: str
    email: str
    first_name: str
    last_name: str
