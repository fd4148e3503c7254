"""Types of groups. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from .several import Permission

__all__ = [
    "AddGroupMembers",
    "Group",
    "GroupMember",
    "GroupMemberInput",
    "GroupMemberPage",
    "GroupPage",
    "OwnGroup",
]


AddGroupMembers = List["GroupMemberInput"]


class Group(TypedDict):
    id: str
    name: str
    description: Optional[str]
    visibility: Literal["public", "private", "hidden", "protected"]
    created_at: str
    size: int
    permissions: List[Permission]
    role: Optional[Literal["pending", "member", "maintainer"]]


class GroupMember(TypedDict):
    id: str
    user_id: str
    group_role: Literal["pending", "member", "maintainer"]
    first_name: str
    last_name: str
    email: str
    created_at: str
    permissions: List[Permission]


class _GroupMemberInput(TypedDict):
    user_id: str


class GroupMemberInput(_GroupMemberInput, total=False):
    role: Optional[Literal["pending", "member", "maintainer"]]


class GroupMemberPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    members: List[GroupMember]


class GroupPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    groups: List[Group]


class OwnGroup(TypedDict):
    id: str
    name: str
    description: Optional[str]
    visibility: Literal["public", "private", "hidden", "protected"]
    created_at: str
    size: int
    permissions: List[Permission]
    role: Literal["pending", "member", "maintainer"]
