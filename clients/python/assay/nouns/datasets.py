"""Datasets. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, Union

from ..downloads import Download
from ..forms import FileContent
from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    AddedDatasetRecords,
    Dataset,
    DatasetColumnMappingInput,
    DatasetEdit,
    DatasetFilter,
    DatasetRow,
    DatasetSort,
    DatasetVersion,
    FilterLeaf,
    FilterNode,
    Message,
    Project,
    RecordSort,
)

_list = Operation("GET", "/v2/datasets", "read", rows="datasets", token="starting_token")
_create = Operation("POST", "/v2/datasets", "keyed", body="form")
_query = Operation("POST", "/v2/datasets/query", "read", rows="datasets", token="starting_token")
_get = Operation("GET", "/v2/datasets/{dataset_id}", "read")
_update = Operation("PATCH", "/v2/datasets/{dataset_id}", "keyed")
_delete = Operation("DELETE", "/v2/datasets/{dataset_id}", "gone")
_get_content = Operation(
    "GET",
    "/v2/datasets/{dataset_id}/content",
    "read",
    rows="rows",
    token="starting_token",
)
_replace_content = Operation("PUT", "/v2/datasets/{dataset_id}/content", "again", answer="none")
_edit_content = Operation("PATCH", "/v2/datasets/{dataset_id}/content", "keyed", answer="none")
_export_content = Operation(
    "GET",
    "/v2/datasets/{dataset_id}/content/export",
    "read",
    answer="file",
)
_append_records = Operation("POST", "/v2/datasets/{dataset_id}/content/from_records", "keyed")
_list_projects = Operation(
    "GET",
    "/v2/datasets/{dataset_id}/projects",
    "read",
    rows="projects",
    token="starting_token",
)
_link = Operation("PUT", "/v2/datasets/{dataset_id}/projects/{project_id}", "again")
_unlink = Operation("DELETE", "/v2/datasets/{dataset_id}/projects/{project_id}", "again")
_query_versions = Operation(
    "POST",
    "/v2/datasets/{dataset_id}/versions/query",
    "read",
    rows="versions",
    token="starting_token",
)
_get_version_content = Operation(
    "GET",
    "/v2/datasets/{dataset_id}/versions/{version_index}/content",
    "read",
    rows="rows",
    token="starting_token",
)


class Datasets(Noun):
    """Tables of inputs and expected outputs; every change of content is a version."""

    def list(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[Dataset]:
        """Visible datasets, paged.

        Of the whole organisation, as far as the caller may read them. Requires `signed-in`;
        contract 5.11.
        """
        return self._pages(
            _list,
            query={"starting_token": starting_token, "limit": limit},
        )

    def create(
        self,
        *,
        file: Optional[FileContent] = None,
        name: Optional[str] = None,
        draft: Optional[bool] = None,
        append_suffix_if_duplicate: Optional[bool] = None,
        project_id: Optional[str] = None,
        column_mapping: Optional[DatasetColumnMappingInput] = None,
        copy_from_dataset_id: Optional[str] = None,
        copy_from_dataset_version_index: Optional[int] = None,
        format: Optional[Literal["csv", "json", "jsonl"]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dataset:
        """Create a dataset from a file, from another one or empty.

        Columns and rows are those of the file (CSV, JSON or JSON lines), of the dataset named, or
        none. `project_id` becomes its home. Requires `creator`; contract 5.11.
        """
        return self._ask(
            _create,
            query={"format": format},
            body={
                "file": file,
                "name": name,
                "draft": draft,
                "append_suffix_if_duplicate": append_suffix_if_duplicate,
                "project_id": project_id,
                "column_mapping": column_mapping,
                "copy_from_dataset_id": copy_from_dataset_id,
                "copy_from_dataset_version_index": copy_from_dataset_version_index,
            },
            key=idempotency_key,
        )

    def query(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[DatasetFilter]] = None,
        sort: Optional[DatasetSort] = None,
    ) -> Pages[Dataset]:
        """Visible datasets, filtered, sorted and paged.

        By name, draft, id or use in a project. A misspelt member is refused. Requires
        `signed-in`; contract 5.11.
        """
        return self._pages(
            _query,
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
            },
        )

    def get(
        self,
        dataset_id: str,
        *,
        as_of: Optional[str] = None,
    ) -> Dataset:
        """One dataset.

        The `ETag` can be sent as `If-Match`; `as_of` shows it as it was. Requires `dataset-read`;
        contract 5.11.
        """
        return self._ask(
            _get,
            path={"dataset_id": dataset_id},
            query={"as_of": as_of},
        )

    def update(
        self,
        dataset_id: str,
        *,
        name: Optional[Union[str, Dict[str, Any]]] = None,
        column_mapping: Optional[DatasetColumnMappingInput] = None,
        draft: Optional[Literal[False]] = None,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dataset:
        """Rename a dataset, map its columns or publish it.

        A published dataset does not become a draft again. Requires `dataset-write`; contract 4.7.
        """
        return self._ask(
            _update,
            path={"dataset_id": dataset_id},
            body={"name": name, "column_mapping": column_mapping, "draft": draft},
            if_match=if_match,
            key=idempotency_key,
        )

    def delete(
        self,
        dataset_id: str,
        *,
        if_match: Optional[str] = None,
    ) -> Message:
        """Delete a dataset; its rows are erased.

        Experiments keep its id. Unknown members and parameters are refused. Requires
        `dataset-write`; contract 5.11.
        """
        return self._ask(
            _delete,
            path={"dataset_id": dataset_id},
            if_match=if_match,
        )

    def get_content(
        self,
        dataset_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        as_of: Optional[str] = None,
    ) -> Pages[DatasetRow]:
        """Rows of a dataset.

        Of the current version; `as_of` shows it as it was. Requires `dataset-read`; contract
        5.11.
        """
        return self._pages(
            _get_content,
            path={"dataset_id": dataset_id},
            query={"starting_token": starting_token, "limit": limit, "as_of": as_of},
        )

    def replace_content(
        self,
        dataset_id: str,
        *,
        rollback_version: Optional[int] = None,
        source_dataset_id: Optional[str] = None,
        version_index: Optional[int] = None,
        if_match: Optional[str] = None,
    ) -> None:
        """A new version with the content of an older one or of another dataset.

        Either `rollback_version`, or `dataset_id` with `version_index`. Requires `dataset-write`;
        contract 5.11.
        """
        return self._ask(
            _replace_content,
            path={"dataset_id": dataset_id},
            body={
                "rollback_version": rollback_version,
                "dataset_id": source_dataset_id,
                "version_index": version_index,
            },
            if_match=if_match,
        )

    def edit_content(
        self,
        dataset_id: str,
        *,
        edits: Sequence[DatasetEdit],
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Edit rows and columns: one new version.

        Edits are applied in order, all or none. Edits that change nothing leave no version.
        Requires `dataset-write`; contract 5.11.
        """
        return self._ask(
            _edit_content,
            path={"dataset_id": dataset_id},
            body={"edits": edits},
            if_match=if_match,
            key=idempotency_key,
        )

    def export_content(
        self,
        dataset_id: str,
        *,
        version_index: Optional[int] = None,
        format: Optional[Literal["jsonl", "csv"]] = None,
        formulas: Optional[Literal["escape", "keep"]] = None,
    ) -> Download:
        """All rows of a version of a dataset, as a file.

        Of the current version unless `version_index` says otherwise; JSON Lines, or CSV with
        `format=csv`. Whole only when its transfer ended as HTTP says. A misspelt member is
        refused. Requires `dataset-read`; contract 5.11.
        """
        return self._ask(
            _export_content,
            path={"dataset_id": dataset_id},
            query={"version_index": version_index, "format": format, "formulas": formulas},
        )

    def append_records(
        self,
        dataset_id: str,
        *,
        project_id: str,
        kind: Optional[Literal["traces", "spans"]] = None,
        columns: Optional[Dict[str, str]] = None,
        log_stream_id: Optional[str] = None,
        experiment_id: Optional[str] = None,
        metrics_testing_id: Optional[str] = None,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        sort: Optional[RecordSort] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> AddedDatasetRecords:
        """Add traces or spans of a project as rows: one new version.

        The records that a search with the same members finds, as columns `input`, `output` and
        `trace_id` unless `columns` says otherwise. A record that has a row already is not added.
        Unknown members and parameters are refused. Requires `dataset-write`; contract 5.11.
        """
        return self._ask(
            _append_records,
            path={"dataset_id": dataset_id},
            body={
                "project_id": project_id,
                "kind": kind,
                "columns": columns,
                "log_stream_id": log_stream_id,
                "experiment_id": experiment_id,
                "metrics_testing_id": metrics_testing_id,
                "filters": filters,
                "filter_tree": filter_tree,
                "sort": sort,
                "start_time": start_time,
                "end_time": end_time,
                "starting_token": starting_token,
                "limit": limit,
            },
            key=idempotency_key,
        )

    def list_projects(
        self,
        dataset_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[Project]:
        """Visible projects that a dataset is linked to.

        Projects that the caller cannot see are left out. Requires `dataset-read`; contract 5.11.
        """
        return self._pages(
            _list_projects,
            path={"dataset_id": dataset_id},
            query={"starting_token": starting_token, "limit": limit},
        )

    def link(
        self,
        dataset_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Dataset:
        """Link a dataset to a project.

        Viewers of the project may read it from then on. Requires `dataset-read`; contract 5.11.
        """
        return self._ask(
            _link,
            path={"dataset_id": dataset_id, "project_id": project_id},
        )

    def unlink(
        self,
        dataset_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Dataset:
        """Remove the link from a dataset to a project.

        The home project stays linked (409); experiments that use the dataset keep their link.
        Unknown members and parameters are refused. Requires `dataset-read`; contract 5.11.
        """
        return self._ask(
            _unlink,
            path={"dataset_id": dataset_id, "project_id": project_id},
        )

    def query_versions(
        self,
        dataset_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[DatasetVersion]:
        """Versions of a dataset, the newest first.

        Each with what it added, removed and edited. Requires `dataset-read`; contract 5.11.
        """
        return self._pages(
            _query_versions,
            path={"dataset_id": dataset_id},
            body={"starting_token": starting_token, "limit": limit},
        )

    def get_version_content(
        self,
        dataset_id: str,
        version_index: int,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[DatasetRow]:
        """Rows of a version of a dataset.

        Every version stays readable. Requires `dataset-read`; contract 5.11.
        """
        return self._pages(
            _get_version_content,
            path={"dataset_id": dataset_id, "version_index": version_index},
            query={"starting_token": starting_token, "limit": limit},
        )
