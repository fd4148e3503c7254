"""Types of scorers. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .filters import ListingIdFilter
from .several import Permission, ScoringCounts, Threshold

__all__ = [
    "CountedRunScorer",
    "CountedScorerSettings",
    "PastScoringJob",
    "RunScorer",
    "ScorePastResponse",
    "Scorer",
    "ScorerFilter",
    "ScorerPage",
    "ScorerSettings",
    "ScorerSort",
    "ScorerTask",
    "ScorerTaskResult",
    "ScorerTextFilter",
    "ScorerVersion",
    "ScorerVersionPage",
    "ScoringFailure",
    "ThresholdInput",
    "ValidateScorerOnDatasetResponse",
    "ValidateScorerResponse",
]


class CountedRunScorer(TypedDict):
    id: str
    name: str
    scorer_type: Literal["code", "preset"]
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
    counts: Optional[ScoringCounts]


class CountedScorerSettings(TypedDict):
    run_id: str
    scorers: List[CountedRunScorer]
    segment_filters: None


class PastScoringJob(TypedDict):
    id: str
    job_name: Literal["registered_scorer_validation", "log_stream_scorer", "score_records"]
    project_id: Optional[str]
    run_id: Optional[str]
    status: Literal["unstarted", "in_progress", "completed", "failed", "cancelled"]
    progress_percent: float
    progress_message: Optional[str]
    steps_completed: int
    steps_total: int
    retries: int
    request_data: Dict[str, Any]
    error_message: Optional[str]
    counts: Optional[ScoringCounts]
    created_at: str
    updated_at: str
    processing_started: Optional[str]
    completed_at: Optional[str]
    failed_at: Optional[str]
    scorer_id: str
    scorer_version: int
    scored: int
    skipped: int
    failed: int
    failures: List[ScoringFailure]
    cancelled_at: Optional[str]


class RunScorer(TypedDict):
    id: str
    name: str
    scorer_type: Literal["code", "preset"]
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


class ScorePastResponse(TypedDict):
    job_id: str
    scorer_version: int


class Scorer(TypedDict):
    id: str
    name: str
    label: str
    description: str
    tags: List[str]
    scorer_type: Literal["code", "preset"]
    model_type: Optional[Literal["code"]]
    output_type: Optional[str]
    scoreable_node_types: List[
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
    required_scorers: List[str]
    roll_up_method: Optional[Literal["average", "sum", "max", "min"]]
    threshold: Optional[Threshold]
    defaults: None
    default_version_id: Optional[str]
    default_version: Optional[ScorerVersion]
    latest_version: Optional[ScorerVersion]
    deprecated: bool
    ground_truth: bool
    is_global: Literal[True]
    scope_projects: List[str]
    created_by: Optional[str]
    created_at: str
    updated_at: str
    permissions: List[Permission]


ScorerFilter = Union["ScorerTextFilter", "ListingIdFilter"]


class ScorerPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    scorers: List[Scorer]


class ScorerSettings(TypedDict):
    run_id: str
    scorers: List[RunScorer]
    segment_filters: None


class _ScorerSort(TypedDict):
    name: Literal["name", "label", "created_at", "updated_at"]


class ScorerSort(_ScorerSort, total=False):
    ascending: bool
    sort_type: Literal["column"]


class ScorerTask(TypedDict):
    id: str
    created_at: str
    updated_at: str
    status: Literal["pending", "completed", "failed"]
    result: Optional[ScorerTaskResult]
    metrics_experiment_id: Optional[str]
    project_id: Optional[str]
    progress_percent: float


class ScorerTaskResult(TypedDict):
    result: Dict[str, Any]


class _ScorerTextFilter(TypedDict):
    name: Literal["name", "label", "scorer_type"]
    operator: Literal[
        "eq",
        "ne",
        "contains",
        "starts_with",
        "ends_with",
        "one_of",
        "not_in",
        "is_null",
    ]


class ScorerTextFilter(_ScorerTextFilter, total=False):
    value: Union[str, List[str], bool]
    case_sensitive: bool


class ScorerVersion(TypedDict):
    id: str
    version: int
    scorer_id: str
    score_type: Literal["bool", "int", "float", "str"]
    scoreable_node_types: List[
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
    chain_aggregation: Optional[Literal["sum", "average", "first", "last"]]
    created_at: str
    updated_at: str
    created_by: str


class ScorerVersionPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    versions: List[ScorerVersion]


class ScoringFailure(TypedDict):
    error_code: int
    type: str
    line: Optional[int]
    count: int
    trace_id: str
    record_id: str
    message: Optional[str]


class _ThresholdInput(TypedDict):
    buckets: List[float]
    display_value_levels: List[str]


class ThresholdInput(_ThresholdInput, total=False):
    inverted: bool


class ValidateScorerOnDatasetResponse(TypedDict):
    metrics_experiment_id: str
    project_id: str
    task_id: str


class ValidateScorerResponse(TypedDict):
    task_id: str
