"""Types of api keys. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

__all__ = [
    "ApiKey",
    "ApiKeyPage",
    "NewApiKey",
]


class ApiKey(TypedDict):
    id: str
    description: str
    created_at: str
    updated_at: str
    created_by: str
    truncated: str
    expires_at: Optional[str]
    last_used: Optional[str]
    project_id: Optional[str]
    project_role: Optional[Literal["viewer", "annotator", "editor", "owner"]]


class ApiKeyPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    api_keys: List[ApiKey]


class NewApiKey(TypedDict):
    id: str
    description: str
    created_at: str
    updated_at: str
    created_by: str
    truncated: str
    expires_at: Optional[str]
    last_used: Optional[str]
    project_id: Optional[str]
    project_role: Optional[Literal["viewer", "annotator", "editor", "owner"]]
    api_key: str
