"""Groups. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import AddGroupMembers, Group, GroupMember, GroupMemberInput, Message, OwnGroup

_list_own_groups = Operation("GET", "/v2/current_user/groups", "read")
_list = Operation("GET", "/v2/groups", "read", rows="groups", token="starting_token")
_create = Operation("POST", "/v2/groups", "keyed")
_get = Operation("GET", "/v2/groups/{group_id}", "read")
_update = Operation("PATCH", "/v2/groups/{group_id}", "keyed")
_delete = Operation("DELETE", "/v2/groups/{group_id}", "gone")
_list_members = Operation(
    "GET",
    "/v2/groups/{group_id}/members",
    "read",
    rows="members",
    token="starting_token",
)
_add_members = Operation("POST", "/v2/groups/{group_id}/members", "keyed")
_update_member = Operation("PATCH", "/v2/groups/{group_id}/members/{user_id}", "keyed")
_remove_member = Operation("DELETE", "/v2/groups/{group_id}/members/{user_id}", "gone")


class Groups(Noun):
    """Users who share their project roles."""

    def list_own_groups(self) -> List[OwnGroup]:
        """Groups of the caller.

        Includes groups that the caller is pending in. Requires `person`; contract 4.15.
        """
        return self._ask(_list_own_groups)

    def list(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[Group]:
        """Visible groups of the organisation.

        By name. Hidden groups are shown to their members, managers and admins. Requires `person`;
        contract 5.3.
        """
        return self._pages(
            _list,
            query={"starting_token": starting_token, "limit": limit},
        )

    def create(
        self,
        *,
        name: str,
        description: Optional[str] = None,
        visibility: Optional[Literal["public", "private", "hidden", "protected"]] = None,
        users: Optional[Sequence[GroupMemberInput]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Group:
        """Create a group.

        The caller becomes its maintainer; names are unique in the organisation. Requires `user`;
        contract 5.3.
        """
        return self._ask(
            _create,
            body={
                "name": name,
                "description": description,
                "visibility": visibility,
                "users": users,
            },
            key=idempotency_key,
        )

    def get(
        self,
        group_id: str,
    ) -> Group:
        """One group.

        A hidden group is 404 for users who are not in it. Requires `group-sight`; contract 5.3.
        """
        return self._ask(
            _get,
            path={"group_id": group_id},
        )

    def update(
        self,
        group_id: str,
        *,
        name: Optional[str] = None,
        description: Optional[str] = None,
        visibility: Optional[Literal["public", "private", "hidden", "protected"]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Group:
        """Rename a group or change its description or visibility.

        Members that are left out stay as they are. Requires `maintainer`; contract 5.3.
        """
        return self._ask(
            _update,
            path={"group_id": group_id},
            body={"name": name, "description": description, "visibility": visibility},
            key=idempotency_key,
        )

    def delete(
        self,
        group_id: str,
    ) -> Message:
        """Delete a group; its project roles end.

        Its members lose the project roles that they had through it. Unknown members and
        parameters are refused. Requires `maintainer`; contract 5.3.
        """
        return self._ask(
            _delete,
            path={"group_id": group_id},
        )

    def list_members(
        self,
        group_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[GroupMember]:
        """Members of a group.

        By e-mail. Of private and hidden groups only for their members, managers and admins.
        Requires `group-sight`; contract 5.3.
        """
        return self._pages(
            _list_members,
            path={"group_id": group_id},
            query={"starting_token": starting_token, "limit": limit},
        )

    def add_members(
        self,
        group_id: str,
        body: AddGroupMembers,
        *,
        idempotency_key: Optional[str] = None,
    ) -> List[GroupMember]:
        """Add members to a group, or join it.

        Maintainers add anyone; others add themselves, and wait if the group is private. Requires
        `group-sight`; contract 5.3.
        """
        return self._ask(
            _add_members,
            path={"group_id": group_id},
            body=body,
            key=idempotency_key,
        )

    def update_member(
        self,
        group_id: str,
        user_id: str,
        *,
        role: Literal["pending", "member", "maintainer"],
        idempotency_key: Optional[str] = None,
    ) -> GroupMember:
        """Change the role of a member, or admit a pending one.

        The last maintainer keeps the role (409). Requires `maintainer`; contract 5.3.
        """
        return self._ask(
            _update_member,
            path={"group_id": group_id, "user_id": user_id},
            body={"role": role},
            key=idempotency_key,
        )

    def remove_member(
        self,
        group_id: str,
        user_id: str,
    ) -> Message:
        """Remove a member from a group, or leave it.

        The last maintainer stays (409). Unknown members and parameters are refused. Requires
        `group-sight`; contract 5.3.
        """
        return self._ask(
            _remove_member,
            path={"group_id": group_id, "user_id": user_id},
        )
