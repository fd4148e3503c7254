"""Metrics. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Literal, Optional, Sequence, Union

from ..noun import Noun
from ..operation import Operation
from ..types import ColumnList, CustomSearchResponse, FilterNode, MetricDetail

_testing_columns = Operation(
    "POST",
    "/v2/projects/{project_id}/metrics-testing/available_columns",
    "read",
)
_custom_search = Operation("POST", "/v2/projects/{project_id}/metrics/custom_search", "read")


class Metrics(Noun):
    """Measurements, over time and by group."""

    def testing_columns(
        self,
        *,
        name: str,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        cot_enabled: Optional[bool] = None,
        metric_key: Optional[str] = None,
        required_scorers: Optional[Sequence[str]] = None,
        score_type: Optional[Literal["bool", "int", "float", "str"]] = None,
        project_id: Optional[str] = None,
    ) -> ColumnList:
        """List the columns of traces with those of a metric under test.

        The metric under test is listed although no record has a value of it yet. Requires
        `viewer`; contract 4.12.
        """
        return self._ask(
            _testing_columns,
            path={"project_id": project_id},
            body={
                "name": name,
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "cot_enabled": cot_enabled,
                "metric_key": metric_key,
                "required_scorers": required_scorers,
                "score_type": score_type,
            },
        )

    def custom_search(
        self,
        *,
        start_time: str,
        end_time: str,
        metric_details: Sequence[MetricDetail],
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filter_tree: Optional[FilterNode] = None,
        interval_minutes: Optional[int] = None,
        group_by: Optional[Union[str, Sequence[str]]] = None,
        utc_offset_minutes: Optional[int] = None,
        population: Optional[Literal["traces", "spans"]] = None,
        project_id: Optional[str] = None,
    ) -> CustomSearchResponse:
        """Aggregate metrics over time buckets, filtered and grouped.

        Each widget has a value over the whole window and one for each bucket and group. Traces
        are counted, unless `group_by` or the filter names a column that only spans have;
        `population` settles it, and the answer says it. `any_span.model` groups traces by a
        column of their spans, and a list groups by up to three columns. A misspelt member is
        refused. Requires `viewer`; contract 4.5.
        """
        return self._ask(
            _custom_search,
            path={"project_id": project_id},
            body={
                "start_time": start_time,
                "end_time": end_time,
                "metric_details": metric_details,
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "filter_tree": filter_tree,
                "interval_minutes": interval_minutes,
                "group_by": group_by,
                "utc_offset_minutes": utc_offset_minutes,
                "population": population,
            },
        )
