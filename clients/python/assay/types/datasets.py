"""Types of datasets. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .filters import ListingIdFilter, ListingNameFilter
from .several import Permission, UserSummary

__all__ = [
    "AddedDatasetRecords",
    "AppendRow",
    "Dataset",
    "DatasetCell",
    "DatasetCellScalar",
    "DatasetColumnMapping",
    "DatasetColumnMappingInput",
    "DatasetColumnRole",
    "DatasetColumnRoleInput",
    "DatasetEdit",
    "DatasetFilter",
    "DatasetPage",
    "DatasetRow",
    "DatasetRowMetadata",
    "DatasetRowPage",
    "DatasetSort",
    "DatasetVersion",
    "DatasetVersionPage",
    "DeleteRow",
    "FilterRows",
    "PrependRow",
    "RemoveColumn",
    "RenameColumn",
    "UpdateRow",
]


class AddedDatasetRecords(TypedDict):
    dataset_id: str
    version_index: int
    added_count: int
    present_count: int
    left_out: List[str]
    next_starting_token: Optional[int]


class _AppendRow(TypedDict):
    edit_type: Literal["append_row"]
    values: Dict[str, DatasetCell]


class AppendRow(_AppendRow, total=False):
    row_id: Optional[str]


class Dataset(TypedDict):
    id: str
    name: str
    created_at: str
    updated_at: str
    project_count: int
    num_rows: int
    column_names: List[str]
    created_by_user: Optional[UserSummary]
    current_version_index: int
    draft: bool
    permissions: List[Permission]
    column_mapping: Optional[DatasetColumnMapping]


DatasetCell = Optional[Union[str, float, Dict[str, "DatasetCellScalar"]]]


DatasetCellScalar = Optional[Union[str, float]]


class DatasetColumnMapping(TypedDict):
    input: Optional[DatasetColumnRole]
    output: Optional[DatasetColumnRole]
    generated_output: Optional[DatasetColumnRole]
    metadata: Optional[DatasetColumnRole]
    mgt: Optional[Dict[str, Optional[DatasetColumnRole]]]


class DatasetColumnMappingInput(TypedDict, total=False):
    input: Optional[DatasetColumnRoleInput]
    output: Optional[DatasetColumnRoleInput]
    generated_output: Optional[DatasetColumnRoleInput]
    metadata: Optional[DatasetColumnRoleInput]
    mgt: Optional[Dict[str, DatasetColumnRoleInput]]


class DatasetColumnRole(TypedDict):
    columns: List[str]
    flatten: bool


DatasetColumnRoleInput = Union[Dict[str, Any], List[str]]


DatasetEdit = Union[
    "PrependRow",
    "AppendRow",
    "UpdateRow",
    "DeleteRow",
    "FilterRows",
    "RemoveColumn",
    "RenameColumn",
]


DatasetFilter = Union["ListingNameFilter", Dict[str, Any], "ListingIdFilter"]


class DatasetPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    datasets: List[Dataset]


class DatasetRow(TypedDict):
    row_id: str
    index: int
    values: List[DatasetCell]
    values_dict: Dict[str, DatasetCell]
    metadata: DatasetRowMetadata


class DatasetRowMetadata(TypedDict):
    created_in_version: int
    created_at: str
    created_by_user: Optional[UserSummary]
    updated_in_version: int
    updated_at: str
    updated_by_user: Optional[UserSummary]


class DatasetRowPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    rows: List[DatasetRow]
    column_names: List[str]
    warning_message: Optional[str]


class _DatasetSort(TypedDict):
    name: Literal["name", "created_at", "updated_at", "num_rows", "project_count"]


class DatasetSort(_DatasetSort, total=False):
    ascending: bool
    sort_type: Optional[Literal["column"]]


class DatasetVersion(TypedDict):
    version_index: int
    name: str
    created_at: str
    created_by_user: Optional[UserSummary]
    num_rows: int
    column_names: List[str]
    rows_added: int
    rows_removed: int
    rows_edited: int
    columns_added: int
    columns_removed: int
    columns_renamed: int


class DatasetVersionPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    versions: List[DatasetVersion]


class DeleteRow(TypedDict):
    edit_type: Literal["delete_row"]
    row_id: str


class FilterRows(TypedDict):
    edit_type: Literal["filter_rows"]
    row_ids: List[str]


class _PrependRow(TypedDict):
    edit_type: Literal["prepend_row"]
    values: Dict[str, DatasetCell]


class PrependRow(_PrependRow, total=False):
    row_id: Optional[str]


class RemoveColumn(TypedDict):
    edit_type: Literal["remove_column"]
    column_name: str


class RenameColumn(TypedDict):
    edit_type: Literal["rename_column"]
    column_name: str
    new_column_name: str


class UpdateRow(TypedDict):
    edit_type: Literal["update_row"]
    row_id: str
    values: Dict[str, DatasetCell]
