"""Types of filters. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

__all__ = [
    "BooleanFilter",
    "CollectionFilter",
    "DateFilter",
    "ErrorFilter",
    "FilterLeaf",
    "FilterNode",
    "FullyAnnotatedFilter",
    "IdFilter",
    "ListingCreatorFilter",
    "ListingDateFilter",
    "ListingFilter",
    "ListingIdFilter",
    "ListingNameFilter",
    "ListingSort",
    "NumberFilter",
    "RecordSort",
    "TextFilter",
]


class _BooleanFilter(TypedDict):
    type: Literal["boolean"]
    value: bool


class BooleanFilter(_BooleanFilter, total=False):
    name: str
    column_id: str
    operator: Literal["eq", "ne"]


class _CollectionFilter(TypedDict):
    type: Literal["collection"]
    operator: Literal["eq", "contains", "one_of", "not_in"]
    value: Union[str, List[str]]


class CollectionFilter(_CollectionFilter, total=False):
    name: str
    column_id: str
    case_sensitive: bool


class _DateFilter(TypedDict):
    type: Literal["date"]
    operator: Literal["eq", "ne", "gt", "gte", "lt", "lte"]
    value: str


class DateFilter(_DateFilter, total=False):
    name: str
    column_id: str


class _ErrorFilter(TypedDict):
    type: Literal["error"]


class ErrorFilter(_ErrorFilter, total=False):
    name: str
    column_id: str
    operator: Literal["any", "one_of"]
    value: List[int]


FilterLeaf = Union[
    "TextFilter",
    "IdFilter",
    "DateFilter",
    "NumberFilter",
    "BooleanFilter",
    "CollectionFilter",
    "ErrorFilter",
    "FullyAnnotatedFilter",
]


FilterNode = Dict[str, Any]


class _FullyAnnotatedFilter(TypedDict):
    type: Literal["fully_annotated"]


class FullyAnnotatedFilter(_FullyAnnotatedFilter, total=False):
    name: str
    column_id: str
    user_ids: Optional[List[str]]


class _IdFilter(TypedDict):
    type: Literal["id"]
    value: Union[str, List[str]]


class IdFilter(_IdFilter, total=False):
    name: str
    column_id: str
    operator: Literal["eq", "ne", "one_of", "not_in", "contains"]


class _ListingCreatorFilter(TypedDict):
    name: Literal["id", "created_by"]
    value: Union[str, List[str]]


class ListingCreatorFilter(_ListingCreatorFilter, total=False):
    operator: Literal["eq", "ne", "one_of", "not_in", "contains"]


class ListingDateFilter(TypedDict):
    name: Literal["created_at", "updated_at"]
    operator: Literal["eq", "ne", "gt", "gte", "lt", "lte"]
    value: str


ListingFilter = Union["ListingCreatorFilter", "ListingNameFilter", "ListingDateFilter"]


class _ListingIdFilter(TypedDict):
    name: Literal["id"]
    value: Union[str, List[str]]


class ListingIdFilter(_ListingIdFilter, total=False):
    operator: Literal["eq", "ne", "one_of", "not_in", "contains"]


class _ListingNameFilter(TypedDict):
    name: Literal["name"]
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


class ListingNameFilter(_ListingNameFilter, total=False):
    value: Union[str, List[str], bool]
    case_sensitive: bool


class _ListingSort(TypedDict):
    name: Literal["name", "created_at", "updated_at"]


class ListingSort(_ListingSort, total=False):
    ascending: bool
    sort_type: Optional[Literal["column"]]


class _NumberFilter(TypedDict):
    type: Literal["number"]
    operator: Literal["eq", "ne", "gt", "gte", "lt", "lte", "between"]
    value: Union[float, List[float]]


class NumberFilter(_NumberFilter, total=False):
    name: str
    column_id: str


class RecordSort(TypedDict, total=False):
    column_id: str
    name: str
    ascending: bool
    sort_type: Literal["column"]


class _TextFilter(TypedDict):
    type: Literal["text"]
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


class TextFilter(_TextFilter, total=False):
    name: str
    column_id: str
    value: Union[str, List[str], bool]
    case_sensitive: bool
