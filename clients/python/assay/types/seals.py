"""Types of seals. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from .several import HistoryResource

__all__ = [
    "HistoryConsistency",
    "HistoryProof",
    "HistorySeal",
    "HistorySealPage",
    "ProvenHistoryActor",
    "ProvenHistoryEntry",
    "SealingKey",
    "SealingKeySet",
]


HistoryConsistency = TypedDict(
    "HistoryConsistency",
    {
        "from": int,
        "to": int,
        "from_root": str,
        "to_root": str,
        "hashes": List[str],
    },
)


class HistoryProof(TypedDict):
    entry: ProvenHistoryEntry
    salt: Optional[str]
    data: Optional[str]
    proof: str


class HistorySeal(TypedDict):
    size: int
    root: str
    head_hash: str
    position: str
    at: str
    note: str
    witnesses: List[str]


class HistorySealPage(TypedDict):
    seals: List[HistorySeal]
    next_cursor: Optional[str]


class ProvenHistoryActor(TypedDict):
    type: Literal["user", "api_key", "system"]
    id: str
    role: str


class ProvenHistoryEntry(TypedDict):
    seq: int
    position: str
    at: str
    event_id: str
    event_type: str
    schema_version: int
    stream: str
    revision: int
    actor: ProvenHistoryActor
    resource: HistoryResource
    project_id: Optional[str]
    organization_id: Optional[str]
    request_id: Optional[str]
    correlation_id: Optional[str]
    causation_id: Optional[str]
    erased: bool
    data_digest: str
    prev_hash: str
    hash: str


class _SealingKey(TypedDict):
    kid: str
    kty: str
    crv: str
    x: str
    use: Literal["sig"]
    alg: Literal["ES256", "EdDSA"]
    vkey: str


class SealingKey(_SealingKey, total=False):
    y: str


class SealingKeySet(TypedDict):
    keys: List[SealingKey]
