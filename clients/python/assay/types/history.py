"""Types of history. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .several import HistoryResource

__all__ = [
    "HistoryActor",
    "HistoryBreak",
    "HistoryEntry",
    "HistoryHead",
    "HistoryPage",
    "HistorySealed",
    "HistoryVerdict",
    "ResourceHistoryPage",
]


class HistoryActor(TypedDict):
    type: Literal["user", "api_key", "system"]
    id: str
    email: Optional[str]
    role: str


class HistoryBreak(TypedDict):
    seq: int
    reason: Literal["data", "entry", "missing", "extra", "order", "moved", "erased", "seal"]
    expected: Optional[Union[str, int]]
    found: Optional[Union[str, int]]


class HistoryEntry(TypedDict):
    seq: int
    position: str
    at: str
    event_id: str
    event_type: str
    schema_version: int
    stream: str
    revision: int
    actor: HistoryActor
    resource: HistoryResource
    project_id: Optional[str]
    request_id: Optional[str]
    correlation_id: Optional[str]
    causation_id: Optional[str]
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]
    erased: bool
    data_digest: str
    prev_hash: str
    hash: str


class HistoryHead(TypedDict):
    seq: int
    position: str
    hash: str


class HistoryPage(TypedDict):
    entries: List[HistoryEntry]
    next_cursor: Optional[str]
    limit: int
    head: HistoryHead


class HistorySealed(TypedDict):
    seq: int
    root: str
    at: str


class HistoryVerdict(TypedDict):
    status: Literal["intact", "broken"]
    checked: int
    erased: int
    from_seq: int
    to_seq: int
    head_hash: str
    next_seq: Optional[int]
    sealed: Optional[HistorySealed]
    broken_at: Optional[HistoryBreak]


class _ResourceHistoryPage(TypedDict):
    entries: List[HistoryEntry]
    next_cursor: Optional[str]
    limit: int
    head: HistoryHead


class ResourceHistoryPage(_ResourceHistoryPage, total=False):
    state: Optional[Dict[str, Any]]
