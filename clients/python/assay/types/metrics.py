"""Types of metrics. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Dict, List, Literal, Optional, TypedDict, Union

from .records import StructuredError

__all__ = [
    "CustomSearchResponse",
    "Histogram",
    "MetricBucket",
    "MetricDetail",
    "MetricTotals",
    "WidgetValue",
]


class CustomSearchResponse(TypedDict):
    group_by_columns: List[str]
    aggregate_metrics: MetricTotals
    bucketed_metrics: Dict[str, List[MetricBucket]]
    ems_captured_error: bool
    standard_errors: Dict[str, StructuredError]
    population: Literal["traces", "spans"]


class Histogram(TypedDict):
    edges: List[float]
    counts: List[int]


class _MetricBucket(TypedDict):
    start_bucket_time: str
    end_bucket_time: str
    requests_count: int
    session_count: int
    span_count: int


class MetricBucket(_MetricBucket, total=False):
    group_by: Union[Optional[Union[str, float, bool]], List[Optional[Union[str, float, bool]]]]


class MetricDetail(TypedDict):
    id: str
    metric_name: str
    aggregation: Literal[
        "Count",
        "Sum",
        "Average",
        "Min",
        "Max",
        "P50",
        "P90",
        "P95",
        "P99",
        "PercentageTrue",
        "PercentageFalse",
        "Histogram",
    ]


class MetricTotals(TypedDict):
    requests_count: int
    session_count: int
    span_count: int


WidgetValue = Optional[Union[float, "Histogram", Dict[str, int]]]
