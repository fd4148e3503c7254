"""API keys. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Literal, Optional

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import ApiKey, Message, NewApiKey

_create = Operation("POST", "/v2/users/api_keys", "keyed")
_revoke = Operation("DELETE", "/v2/users/api_keys/{api_key_id}", "gone")
_list = Operation(
    "GET",
    "/v2/users/{user_id}/api_keys",
    "read",
    rows="api_keys",
    token="starting_token",
)


class APIKeys(Noun):
    """Credentials of programs, with the rights of their creator or fewer."""

    def create(
        self,
        *,
        description: str,
        expires_at: Optional[str] = None,
        project_role: Optional[Literal["viewer", "annotator", "editor", "owner"]] = None,
        project_id: Optional[str] = None,
        api_key: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> NewApiKey:
        """Create an API key.

        `api_key` is shown in this answer only. Without a project the key reaches as far as its
        creator. Unknown members and parameters are refused. Requires `api-key`; contract 4.4.
        """
        return self._ask(
            _create,
            body={
                "description": description,
                "expires_at": expires_at,
                "project_role": project_role,
                "project_id": project_id,
                "api_key": api_key,
            },
            key=idempotency_key,
        )

    def revoke(
        self,
        api_key_id: str,
    ) -> Message:
        """Revoke an API key and its children.

        Revoking a revoked key has the same response. Unknown members and parameters are refused.
        Requires `self`; contract 5.2.
        """
        return self._ask(
            _revoke,
            path={"api_key_id": api_key_id},
        )

    def list(
        self,
        user_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[ApiKey]:
        """API keys of a user.

        Revoked and expired keys are left out, and no key shows its value. Requires `self`;
        contract 5.2.
        """
        return self._pages(
            _list,
            path={"user_id": user_id},
            query={"starting_token": starting_token, "limit": limit},
        )
