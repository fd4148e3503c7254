"""Types of experiments. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .filters import ListingCreatorFilter, ListingDateFilter
from .several import PromptRunSettings, UserSummary

__all__ = [
    "AgainstBaseline",
    "AggregateMetrics",
    "ComparedExperiment",
    "ComparedMetric",
    "ComparedRow",
    "ComparedRowChoice",
    "ComparedValue",
    "ConfidenceInterval",
    "DatasetReference",
    "Experiment",
    "ExperimentComparison",
    "ExperimentDataset",
    "ExperimentFilter",
    "ExperimentPage",
    "ExperimentSort",
    "ExperimentStatus",
    "ExperimentTag",
    "ExperimentTextFilter",
    "LogGeneration",
    "MetricOfExperiment",
    "MetricSummary",
    "Playground",
    "Prompt",
    "RankingCriteria",
    "RankingCriterion",
    "RankingCriterionInput",
    "RowOfExperiment",
]


class AgainstBaseline(TypedDict):
    num_rows: int
    mean_difference: Optional[float]
    confidence_interval: Optional[ConfidenceInterval]
    wins: int
    losses: int
    ties: int


class AggregateMetrics(TypedDict):
    total_responses: int


class ComparedExperiment(TypedDict):
    experiment_id: str
    name: str
    dataset: Optional[Dict[str, Any]]
    num_traces: int
    traces_without_row: int
    num_rows: int
    missing_rows: int
    failed_rows: int


class ComparedMetric(TypedDict):
    metric: str
    type: Literal["integer", "floating_point", "boolean"]
    direction: Literal["higher", "lower"]
    experiments: List[MetricOfExperiment]


class ComparedRow(TypedDict):
    row_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    experiments: List[RowOfExperiment]


class _ComparedRowChoice(TypedDict):
    metric: str


class ComparedRowChoice(_ComparedRowChoice, total=False):
    show: Optional[Literal["losses", "wins", "ties", "missing", "all"]]
    order: Optional[Literal["difference", "created_at"]]


class ComparedValue(TypedDict):
    value: float
    difference: Optional[float]


class ConfidenceInterval(TypedDict):
    lower: float
    upper: float
    resamples: int


class DatasetReference(TypedDict):
    dataset_id: str
    version_index: int


class Experiment(TypedDict):
    id: str
    project_id: str
    task_type: int
    created_at: str
    updated_at: Optional[str]
    name: str
    created_by: Optional[str]
    created_by_user: Optional[UserSummary]
    num_spans: Optional[int]
    num_traces: Optional[int]
    num_sessions: Optional[int]
    dataset: Optional[ExperimentDataset]
    aggregate_metrics: AggregateMetrics
    structured_aggregate_metrics: Dict[str, MetricSummary]
    aggregate_feedback: Dict[str, Dict[str, Any]]
    rating_aggregates: Dict[str, Dict[str, Any]]
    ranking_score: Optional[float]
    rank: Optional[int]
    winner: Optional[bool]
    winner_source: Optional[Literal["chosen", "rank"]]
    playground_id: Optional[str]
    playground: Optional[Playground]
    prompt_run_settings: Optional[PromptRunSettings]
    prompt_model: Optional[str]
    prompt: Optional[Prompt]
    tags: Dict[str, List[ExperimentTag]]
    status: ExperimentStatus
    experiment_group_id: Optional[str]
    experiment_group_name: Optional[str]
    experiment_group_is_system: Optional[bool]


class ExperimentComparison(TypedDict):
    experiments: List[ComparedExperiment]
    total_rows: int
    rows_in_all: int
    shown_rows: int
    method: Literal["paired bootstrap, percentile interval"]
    confidence_level: float
    seed: int
    metrics: List[ComparedMetric]
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    rows: List[ComparedRow]


class ExperimentDataset(TypedDict):
    dataset_id: str
    version_index: int
    name: Optional[str]


ExperimentFilter = Union[
    "ListingCreatorFilter",
    "ExperimentTextFilter",
    "ListingDateFilter",
    Dict[str, Any],
]


class ExperimentPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    experiments: List[Experiment]


class _ExperimentSort(TypedDict):
    name: str


class ExperimentSort(_ExperimentSort, total=False):
    ascending: bool
    sort_type: Optional[Literal["column"]]


class ExperimentStatus(TypedDict):
    log_generation: LogGeneration


class ExperimentTag(TypedDict):
    id: str
    key: str
    value: str
    tag_type: str
    project_id: str
    run_id: str
    created_by: str
    created_at: str
    updated_at: str


class _ExperimentTextFilter(TypedDict):
    name: Literal["name", "experiment_group_name"]
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


class ExperimentTextFilter(_ExperimentTextFilter, total=False):
    value: Union[str, List[str], bool]
    case_sensitive: bool


class LogGeneration(TypedDict):
    progress_percent: int


class MetricOfExperiment(TypedDict):
    experiment_id: str
    num_rows: int
    mean: Optional[float]
    against_baseline: Optional[AgainstBaseline]


class MetricSummary(TypedDict):
    avg: Optional[float]
    sum: Optional[float]
    min: Optional[float]
    max: Optional[float]
    count: int
    pct: Optional[float]
    p50: Optional[float]
    p90: Optional[float]
    p95: Optional[float]
    p99: Optional[float]
    value_distribution: Optional[Dict[str, int]]


class Playground(TypedDict):
    playground_id: str
    name: str


class Prompt(TypedDict):
    prompt_template_id: str
    version_index: int
    name: str
    content: str


class RankingCriteria(TypedDict):
    criteria: List[RankingCriterion]
    default: bool


class RankingCriterion(TypedDict):
    metric: str
    weight: float
    direction: Literal["higher", "lower"]


class RankingCriterionInput(TypedDict):
    metric: str
    weight: float
    direction: Literal["higher", "lower"]


class RowOfExperiment(TypedDict):
    experiment_id: str
    trace_id: Optional[str]
    num_traces: int
    output: Any
    metrics: Dict[str, ComparedValue]
