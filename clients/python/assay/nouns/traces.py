"""Traces. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, Union, overload

from ..downloads import Download
from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    ColumnList,
    ContentPart,
    DeletedRecords,
    FilterLeaf,
    FilterNode,
    LogTracesResponse,
    NewTrace,
    RecordCount,
    RecordSort,
    Trace,
    TraceFields,
    TraceTree,
    UpdateTraceResponse,
)

_log = Operation("POST", "/v2/projects/{project_id}/traces", "keyed", stamped=True)
_available_columns = Operation("POST", "/v2/projects/{project_id}/traces/available_columns", "read")
_count = Operation("POST", "/v2/projects/{project_id}/traces/count", "read")
_delete = Operation("POST", "/v2/projects/{project_id}/traces/delete", "keyed")
_export = Operation("POST", "/v2/projects/{project_id}/traces/export", "read", answer="file")
_search = Operation(
    "POST",
    "/v2/projects/{project_id}/traces/search",
    "read",
    rows="records",
    token="starting_token",
)
_get = Operation("GET", "/v2/projects/{project_id}/traces/{trace_id}", "read")
_update = Operation("PATCH", "/v2/projects/{project_id}/traces/{trace_id}", "keyed", stamped=True)


class Traces(Noun):
    """One run of an application each, with its spans: logged, changed, read, deleted."""

    def log(
        self,
        *,
        traces: Sequence[NewTrace],
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        session_id: Optional[str] = None,
        session_external_id: Optional[str] = None,
        is_complete: Optional[bool] = None,
        include_trace_ids: Optional[bool] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> LogTracesResponse:
        """Log traces with their spans.

        Ids that are sent are kept, so that the same request can be sent again: what is there
        already is counted and not stored twice. Without a run, the log stream `default` is used.
        A malformed trace is rejected alone, and named in `rejected`. Requires `editor`; contract
        5.6.
        """
        return self._ask(
            _log,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "traces": traces,
                "session_id": session_id,
                "session_external_id": session_external_id,
                "is_complete": is_complete,
                "include_trace_ids": include_trace_ids,
            },
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
        """List the columns that traces can be filtered, sorted and shown by.

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
        """Count traces.

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

    def delete(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        dry_run: Optional[bool] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> DeletedRecords:
        """Delete traces, at most 1000 per call.

        Those that a search with the same members finds; at least one of them narrows. While
        `remaining` is true there are more: call again. With `dry_run` nothing is deleted:
        `matched_count` is how many match, `ids` are the first 1,000. Unknown members and
        parameters are refused. Requires `owner`; contract 5.7.
        """
        return self._ask(
            _delete,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "filters": filters,
                "filter_tree": filter_tree,
                "start_time": start_time,
                "end_time": end_time,
                "dry_run": dry_run,
            },
            key=idempotency_key,
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
        """All traces of a search, as a file.

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
    ) -> Pages[Trace]: ...

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
    ) -> Pages[TraceFields]: ...

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
        """Search traces.

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
        trace_id: str,
        *,
        tree: Optional[bool] = None,
        otel: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> TraceTree:
        """Read a trace with its tree of spans.

        Siblings are in the order of `step_number`, `created_at` and `id`. With `tree=false` the
        spans are neither read nor answered. Requires `viewer`; contract 5.7.
        """
        return self._ask(
            _get,
            path={"project_id": project_id, "trace_id": trace_id},
            query={"tree": tree, "otel": otel},
        )

    def update(
        self,
        trace_id: str,
        *,
        input: Optional[Union[str, Sequence[ContentPart]]] = None,
        output: Optional[Union[str, Sequence[ContentPart]]] = None,
        is_complete: Optional[bool] = None,
        status_code: Optional[int] = None,
        tags: Optional[Sequence[Optional[str]]] = None,
        duration_ns: Optional[int] = None,
        metrics: Optional[Dict[str, Any]] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> UpdateTraceResponse:
        """Change a trace.

        Members that are given overwrite; tags are added, metrics merged by name. Requires
        `editor`; contract 5.6.
        """
        return self._ask(
            _update,
            path={"project_id": project_id, "trace_id": trace_id},
            body={
                "input": input,
                "output": output,
                "is_complete": is_complete,
                "status_code": status_code,
                "tags": tags,
                "duration_ns": duration_ns,
                "metrics": metrics,
            },
            key=idempotency_key,
        )
