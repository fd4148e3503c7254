"""Types of users. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .several import Permission

__all__ = [
    "Invitation",
    "InviteUsersResponse",
    "IssueInvitationResponse",
    "Role",
    "User",
    "UserFilter",
    "UserPage",
    "UserSort",
    "UserTextFilter",
]


class Invitation(TypedDict):
    user_id: str
    email: str
    role: Literal["read_only", "auditor", "user", "manager", "admin"]
    invitation_token: Optional[str]
    expires_at: str


class InviteUsersResponse(TypedDict):
    message: str
    invitations: List[Invitation]


class IssueInvitationResponse(TypedDict):
    invitation_token: str
    expires_at: str


class Role(TypedDict):
    name: str
    display_name: str
    description: str


class User(TypedDict):
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


UserFilter = Union["UserTextFilter", Dict[str, Any]]


class UserPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    users: List[User]


class _UserSort(TypedDict):
    name: Literal["email", "first_name", "last_name", "role", "created_at"]


class UserSort(_UserSort, total=False):
    ascending: bool
    sort_type: Optional[Literal["column"]]


class _UserTextFilter(TypedDict):
    name: Literal["email", "first_name", "last_name"]
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


class UserTextFilter(_UserTextFilter, total=False):
    value: Union[str, List[str], bool]
    case_sensitive: bool
