"""Sessions. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, overload

from ..downloads import Download
from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    ColumnList,
    CreateSessionResponse,
    DeletedRecords,
    FilterLeaf,
    FilterNode,
    RecordCount,
    RecordSort,
    Session,
    SessionFields,
    SessionTree,
)

_create = Operation("POST", "/v2/projects/{project_id}/sessions", "keyed", stamped=True)
_available_columns = Operation(
    "POST",
    "/v2/projects/{project_id}/sessions/available_columns",
    "read",
)
_count = Operation("POST", "/v2/projects/{project_id}/sessions/count", "read")
_delete = Operation("POST", "/v2/projects/{project_id}/sessions/delete", "keyed")
_export = Operation("POST", "/v2/projects/{project_id}/sessions/export", "read", answer="file")
_search = Operation(
    "POST",
    "/v2/projects/{project_id}/sessions/search",
    "read",
    rows="records",
    token="starting_token",
)
_get = Operation("GET", "/v2/projects/{project_id}/sessions/{session_id}", "read")


class Sessions(Noun):
    """Traces that belong to one conversation."""

    def create(
        self,
        *,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        name: Optional[str] = None,
        external_id: Optional[str] = None,
        previous_session_id: Optional[str] = None,
        user_metadata: Optional[Dict[str, Optional[str]]] = None,
        id: Optional[str] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> CreateSessionResponse:
        """Start a session.

        With an `id` of the client's own it can be sent again; other content under that id is a
        409. Requires `editor`; contract 5.6.
        """
        return self._ask(
            _create,
            path={"project_id": project_id},
            body={
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "name": name,
                "external_id": external_id,
                "previous_session_id": previous_session_id,
                "user_metadata": user_metadata,
                "id": id,
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
        """List the columns that sessions can be filtered, sorted and shown by.

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
        """Count sessions.

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
        """Delete sessions, at most 1000 per call.

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
        """All sessions of a search, as a file.

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
    ) -> Pages[Session]: ...

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
    ) -> Pages[SessionFields]: ...

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
        """Search sessions.

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
        session_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        project_id: Optional[str] = None,
    ) -> SessionTree:
        """Read a session with its traces, each with its tree.

        Traces come in pages, the oldest first; `next_starting_token` says where to go on.
        Requires `viewer`; contract 5.7.
        """
        return self._ask(
            _get,
            path={"project_id": project_id, "session_id": session_id},
            query={"starting_token": starting_token, "limit": limit},
        )
