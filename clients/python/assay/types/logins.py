"""Types of logins. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from .several import Permission

__all__ = [
    "Credential",
    "CurrentUser",
]


class Credential(TypedDict):
    type: Literal["api_key", "login", "password"]
    id: Optional[str]
    project_id: Optional[str]
    project_role: Optional[Literal["viewer", "annotator", "editor", "owner"]]


class CurrentUser(TypedDict):
    id: str
    email: str
    first_name: str
    last_name: str
    role: Literal["read_only", "auditor", "user", "manager", "admin"]
    auth_method: str
    email_is_verified: bool
    organization_id: str
    created_at: str
    updated_at: str
    organization_name: str
    permissions: List[Permission]
    generic_permissions: List[Permission]
    credential: Credential
