"""Types of collaborators. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

from .several import Permission

__all__ = [
    "AddCollaborators",
    "AddGroupCollaborators",
    "Collaborator",
    "CollaboratorInput",
    "CollaboratorPage",
    "GroupCollaborator",
    "GroupCollaboratorInput",
    "GroupCollaboratorPage",
]


AddCollaborators = List["CollaboratorInput"]


AddGroupCollaborators = List["GroupCollaboratorInput"]


class Collaborator(TypedDict):
    id: str
    role: Literal["viewer", "annotator", "editor", "owner"]
    created_at: str
    permissions: List[Permission]
    user_id: str
    email: str
    first_name: str
    last_name: str


class _CollaboratorInput(TypedDict):
    user_id: str


class CollaboratorInput(_CollaboratorInput, total=False):
    role: Optional[Literal["viewer", "annotator", "editor", "owner"]]


class CollaboratorPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    collaborators: List[Collaborator]


class GroupCollaborator(TypedDict):
    id: str
    role: Literal["viewer", "annotator", "editor", "owner"]
    created_at: str
    permissions: List[Permission]
    group_id: str
    group_name: str
    warning: Optional[str]


class _GroupCollaboratorInput(TypedDict):
    group_id: str


class GroupCollaboratorInput(_GroupCollaboratorInput, total=False):
    role: Optional[Literal["viewer", "annotator", "editor", "owner"]]


class GroupCollaboratorPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    collaborators: List[GroupCollaborator]
