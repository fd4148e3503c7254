"""Spans. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, Union, overload

from ..downloads import Download
from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    ChatMessage,
    ColumnList,
    ContentPart,
    ControlResult,
    FilterLeaf,
    FilterNode,
    LogSpansResponse,
    NewSpan,
    RecordCount,
    RecordSort,
    RetrievedDocument,
    Span,
    SpanFields,
    SpanTree,
    UpdateSpanResponse,
)

_log = Operation("POST", "/v2/projects/{project_id}/spans", "keyed", stamped=True)
_available_columns = Operation("POST", "/v2/projects/{project_id}/spans/available_columns", "read")
_count = Operation("POST", "/v2/projects/{project_id}/spans/count", "read")
_export = Operation("POST", "/v2/projects/{project_id}/spans/export", "read", answer="file")
_search = Operation(
    "POST",
    "/v2/projects/{project_id}/spans/search",
    "read",
    rows="records",
    token="starting_token",
)
_get = Operation("GET", "/v2/projects/{project_id}/spans/{span_id}", "read")
_update = Operation("PATCH", "/v2/projects/{project_id}/spans/{span_id}", "keyed", stamped=True)


class Spans(Noun):
    """The steps of a trace: calls of models, retrievers and tools, workflows, agents."""

    def log(
        self,
        *,
        trace_id: str,
        parent_id: str,
        spans: Sequence[NewSpan],
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> LogSpansResponse:
        """Log more spans of a trace.

        For a trace that exists; a `parent_id` that is not there yet is waited for, and meanwhile
        the trace stands in. A malformed span is rejected alone. Requires `editor`; contract 5.6.
        """
        return self._ask(
            _log,
            path={"project_id": project_id},
            body={"trace_id": trace_id, "parent_id": parent_id, "spans": spans},
            key=idempotency_key,
        )

    def available_columns(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> ColumnList:
        """List the columns that spans can be filtered, sorted and shown by.

        Standard columns, and those of metrics, user metadata and ratings that the records in
        question have. Requires `viewer`; contract 4.1.
        """
        return self._ask(
            _available_columns,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "start_time": start_time,
                "end_time": end_time,
            },
        )

    def count(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        sort: Optional[RecordSort] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        truncate_fields: Optional[bool] = None,
        include_counts: Optional[bool] = None,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        fields: Optional[Sequence[str]] = None,
        project_id: Optional[str] = None,
    ) -> RecordCount:
        """Count spans.

        All that the same search would find; its page is ignored. A misspelt member is refused.
        Requires `viewer`; contract 5.7.
        """
        return self._ask(
            _count,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "filters": filters,
                "filter_tree": filter_tree,
                "sort": sort,
                "start_time": start_time,
                "end_time": end_time,
                "truncate_fields": truncate_fields,
                "include_counts": include_counts,
                "starting_token": starting_token,
                "limit": limit,
                "after": after,
                "fields": fields,
            },
        )

    def export(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        sort: Optional[RecordSort] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        truncate_fields: Optional[bool] = None,
        include_counts: Optional[bool] = None,
        format: Optional[Literal["jsonl", "csv"]] = None,
        formulas: Optional[Literal["escape", "keep"]] = None,
        project_id: Optional[str] = None,
    ) -> Download:
        """All spans of a search, as a file.

        JSON Lines, or CSV with `format: csv`; sent while it is made, so it is whole only when its
        transfer ended as HTTP says. In CSV a text that a spreadsheet would run begins with `'`,
        unless `formulas` is `keep`. A misspelt member is refused. Requires `viewer`; contract
        5.7.
        """
        return self._ask(
            _export,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "filters": filters,
                "filter_tree": filter_tree,
                "sort": sort,
                "start_time": start_time,
                "end_time": end_time,
                "truncate_fields": truncate_fields,
                "include_counts": include_counts,
                "format": format,
                "formulas": formulas,
            },
        )

    @overload
    def search(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        sort: Optional[RecordSort] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        truncate_fields: Optional[bool] = None,
        include_counts: Optional[bool] = None,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        fields: None = None,
        project_id: Optional[str] = None,
    ) -> Pages[Span]: ...

    @overload
    def search(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        sort: Optional[RecordSort] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        truncate_fields: Optional[bool] = None,
        include_counts: Optional[bool] = None,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        fields: Sequence[str],
        project_id: Optional[str] = None,
    ) -> Pages[SpanFields]: ...

    def search(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        sort: Optional[RecordSort] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        truncate_fields: Optional[bool] = None,
        include_counts: Optional[bool] = None,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        fields: Optional[Sequence[str]] = None,
        project_id: Optional[str] = None,
    ) -> Pages[Any]:
        """Search spans.

        Flat, without the tree of spans; newest first unless `sort` says otherwise. Without a run,
        the whole project is searched. A misspelt member is refused. Requires `viewer`; contract
        5.7.
        """
        return self._pages(
            _search,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "filters": filters,
                "filter_tree": filter_tree,
                "sort": sort,
                "start_time": start_time,
                "end_time": end_time,
                "truncate_fields": truncate_fields,
                "include_counts": include_counts,
                "starting_token": starting_token,
                "limit": limit,
                "after": after,
                "fields": fields,
            },
        )

    def get(
        self,
        span_id: str,
        *,
        tree: Optional[bool] = None,
        otel: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> SpanTree:
        """Read a span with the tree below it.

        Siblings are in the order of `step_number`, `created_at` and `id`. With `tree=false` the
        spans below it are neither read nor answered. Requires `viewer`; contract 5.7.
        """
        return self._ask(
            _get,
            path={"project_id": project_id, "span_id": span_id},
            query={"tree": tree, "otel": otel},
        )

    def update(
        self,
        span_id: str,
        *,
        input: Optional[Union[str, Sequence[ChatMessage], Sequence[ContentPart]]] = None,
        output: Optional[
            Union[
                str,
                ChatMessage,
                RetrievedDocument,
                ControlResult,
                Sequence[RetrievedDocument],
                Sequence[ContentPart],
            ]
        ] = None,
        status_code: Optional[int] = None,
        tags: Optional[Sequence[Optional[str]]] = None,
        duration_ns: Optional[int] = None,
        metrics: Optional[Dict[str, Any]] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> UpdateSpanResponse:
        """Change a span.

        Members that are given overwrite; tags are added, metrics merged by name. Requires
        `editor`; contract 5.6.
        """
        return self._ask(
            _update,
            path={"project_id": project_id, "span_id": span_id},
            body={
                "input": input,
                "output": output,
                "status_code": status_code,
                "tags": tags,
                "duration_ns": duration_ns,
                "metrics": metrics,
            },
            key=idempotency_key,
        )
