"""Users. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    AccessToken,
    InviteUsersResponse,
    IssueInvitationResponse,
    Message,
    Role,
    User,
    UserFilter,
    UserSort,
)

_list_collaborator_roles = Operation("GET", "/v2/collaborator_roles", "read")
_list_group_roles = Operation("GET", "/v2/group_roles", "read")
_accept_invitation = Operation("POST", "/v2/invitations/accept", "once")
_invite = Operation("POST", "/v2/invite_users", "keyed")
_list_roles = Operation("GET", "/v2/user_roles", "read")
_search = Operation("POST", "/v2/users/all", "read", rows="users", token="starting_token")
_get = Operation("GET", "/v2/users/{user_id}", "read")
_update = Operation("PUT", "/v2/users/{user_id}", "again")
_remove = Operation("DELETE", "/v2/users/{user_id}", "gone")
_issue_invitation = Operation("POST", "/v2/users/{user_id}/invitation", "keyed")


class Users(Noun):
    """People of the organisation, their roles and their invitations."""

    def list_collaborator_roles(self) -> List[Role]:
        """Project roles.

        A fixed list, the strongest first. Requires `signed-in`; contract 5.2.
        """
        return self._ask(_list_collaborator_roles)

    def list_group_roles(self) -> List[Role]:
        """Group roles.

        A fixed list, the strongest first. Requires `signed-in`; contract 5.2.
        """
        return self._ask(_list_group_roles)

    def accept_invitation(
        self,
        *,
        token: str,
        password: str,
        first_name: Optional[str] = None,
        last_name: Optional[str] = None,
    ) -> AccessToken:
        """Accept an invitation with its one-time token, choose a password and log in.

        A used or unknown token is a 401. Requires `public`; contract 5.2.
        """
        return self._ask(
            _accept_invitation,
            body={
                "token": token,
                "password": password,
                "first_name": first_name,
                "last_name": last_name,
            },
        )

    def invite(
        self,
        *,
        emails: Sequence[str],
        role: Optional[Literal["read_only", "auditor", "user", "manager", "admin"]] = None,
        group_ids: Optional[Sequence[str]] = None,
        auth_method: Optional[
            Literal["email", "google", "github", "okta", "azure-ad", "custom", "saml", "invite"]
        ] = None,
        idempotency_key: Optional[str] = None,
    ) -> InviteUsersResponse:
        """Invite users; the inviter hands the one-time tokens over.

        Nothing is mailed: each token is shown once and is good for 7 days. Requires `manager`;
        contract 5.2.
        """
        return self._ask(
            _invite,
            body={
                "emails": emails,
                "role": role,
                "group_ids": group_ids,
                "auth_method": auth_method,
            },
            key=idempotency_key,
        )

    def list_roles(self) -> List[Role]:
        """Organisation roles.

        A fixed list, the strongest first. Requires `signed-in`; contract 5.2.
        """
        return self._ask(_list_roles)

    def search(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[UserFilter]] = None,
        sort: Optional[UserSort] = None,
    ) -> Pages[User]:
        """Users of the organisation, filtered, sorted and paged.

        Newest first unless `sort` says otherwise. A misspelt member is refused. Requires
        `person`; contract 5.2.
        """
        return self._pages(
            _search,
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
            },
        )

    def get(
        self,
        user_id: str,
    ) -> User:
        """One user of the organisation.

        Of the caller's organisation; others are not found. Requires `person`; contract 5.2.
        """
        return self._ask(
            _get,
            path={"user_id": user_id},
        )

    def update(
        self,
        user_id: str,
        *,
        first_name: Optional[str] = None,
        last_name: Optional[str] = None,
        role: Optional[Literal["read_only", "auditor", "user", "manager", "admin"]] = None,
    ) -> User:
        """Change the name or the role of a user.

        Only an admin changes `role`, and the last admin keeps it (409). Requires `self`; contract
        5.2.
        """
        return self._ask(
            _update,
            path={"user_id": user_id},
            body={"first_name": first_name, "last_name": last_name, "role": role},
        )

    def remove(
        self,
        user_id: str,
    ) -> Message:
        """Remove a user; keys, logins and memberships end.

        What the user logged stays. Unknown members and parameters are refused. Requires
        `manager`; contract 5.2.
        """
        return self._ask(
            _remove,
            path={"user_id": user_id},
        )

    def issue_invitation(
        self,
        user_id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> IssueInvitationResponse:
        """Issue another one-time token to a user, such as one who lost the password.

        It replaces any token before, is good for 7 days and sets a password, which ends the
        logins of the user. Requires `manager`; contract 5.2.
        """
        return self._ask(
            _issue_invitation,
            path={"user_id": user_id},
            key=idempotency_key,
        )
