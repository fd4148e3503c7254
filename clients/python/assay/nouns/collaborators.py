"""Collaborators. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    AddCollaborators,
    AddGroupCollaborators,
    Collaborator,
    GroupCollaborator,
    Message,
)

_list_group_collaborators = Operation(
    "GET",
    "/v2/projects/{project_id}/groups",
    "read",
    rows="collaborators",
    token="starting_token",
)
_add_group_collaborators = Operation("POST", "/v2/projects/{project_id}/groups", "keyed")
_update_group_collaborator = Operation(
    "PATCH",
    "/v2/projects/{project_id}/groups/{group_id}",
    "keyed",
)
_remove_group_collaborator = Operation(
    "DELETE",
    "/v2/projects/{project_id}/groups/{group_id}",
    "gone",
)
_list = Operation(
    "GET",
    "/v2/projects/{project_id}/users",
    "read",
    rows="collaborators",
    token="starting_token",
)
_add = Operation("POST", "/v2/projects/{project_id}/users", "keyed")
_update = Operation("PATCH", "/v2/projects/{project_id}/users/{user_id}", "keyed")
_remove = Operation("DELETE", "/v2/projects/{project_id}/users/{user_id}", "gone")


class Collaborators(Noun):
    """Users and groups that a project is shared with, each with a role."""

    def list_group_collaborators(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        project_id: Optional[str] = None,
    ) -> Pages[GroupCollaborator]:
        """Groups that a project is shared with.

        By name. Requires `viewer`; contract 5.4.
        """
        return self._pages(
            _list_group_collaborators,
            path={"project_id": project_id},
            query={"starting_token": starting_token, "limit": limit},
        )

    def add_group_collaborators(
        self,
        body: AddGroupCollaborators,
        *,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[GroupCollaborator]:
        """Share a project with groups.

        Members and maintainers of the group have the role from then on. Requires `owner`;
        contract 5.4.
        """
        return self._ask(
            _add_group_collaborators,
            path={"project_id": project_id},
            body=body,
            key=idempotency_key,
        )

    def update_group_collaborator(
        self,
        group_id: str,
        *,
        role: Literal["viewer", "annotator", "editor", "owner"],
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> GroupCollaborator:
        """Change the role of a group in a project.

        The role of everybody in the group changes at once. Requires `owner`; contract 5.4.
        """
        return self._ask(
            _update_group_collaborator,
            path={"project_id": project_id, "group_id": group_id},
            body={"role": role},
            key=idempotency_key,
        )

    def remove_group_collaborator(
        self,
        group_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Message:
        """Stop sharing a project with a group.

        Members keep roles that they have otherwise. Unknown members and parameters are refused.
        Requires `owner`; contract 5.4.
        """
        return self._ask(
            _remove_group_collaborator,
            path={"project_id": project_id, "group_id": group_id},
        )

    def list(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        project_id: Optional[str] = None,
    ) -> Pages[Collaborator]:
        """Users that a project is shared with.

        By e-mail; those who have a role through a group are not among them. Requires `viewer`;
        contract 5.4.
        """
        return self._pages(
            _list,
            path={"project_id": project_id},
            query={"starting_token": starting_token, "limit": limit},
        )

    def add(
        self,
        body: AddCollaborators,
        *,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[Collaborator]:
        """Share a project with users.

        An existing collaborator gets the new role. Requires `owner`; contract 5.4.
        """
        return self._ask(
            _add,
            path={"project_id": project_id},
            body=body,
            key=idempotency_key,
        )

    def update(
        self,
        user_id: str,
        *,
        role: Literal["viewer", "annotator", "editor", "owner"],
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Collaborator:
        """Change the role of a user in a project.

        The last owner keeps the role (409). Requires `owner`; contract 5.4.
        """
        return self._ask(
            _update,
            path={"project_id": project_id, "user_id": user_id},
            body={"role": role},
            key=idempotency_key,
        )

    def remove(
        self,
        user_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Message:
        """Stop sharing a project with a user, or leave it.

        Everyone may remove themselves; the last owner stays (409). Unknown members and parameters
        are refused. Requires `owner`; contract 5.4.
        """
        return self._ask(
            _remove,
            path={"project_id": project_id, "user_id": user_id},
        )
