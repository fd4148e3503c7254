"""Views. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional

from ..noun import Noun
from ..operation import Operation
from ..types import Message, SavedView

_list = Operation("GET", "/v2/projects/{project_id}/views", "read")
_create = Operation("POST", "/v2/projects/{project_id}/views", "keyed")
_get = Operation("GET", "/v2/projects/{project_id}/views/{view_id}", "read")
_update = Operation("PATCH", "/v2/projects/{project_id}/views/{view_id}", "keyed")
_delete = Operation("DELETE", "/v2/projects/{project_id}/views/{view_id}", "gone")


class Views(Noun):
    """Saved views of pages, private to a user or shared with the project."""

    def list(
        self,
        *,
        page: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> List[SavedView]:
        """Saved views of a project: the shared ones and the caller's own.

        Newest first, 1,000 at most. Requires `viewer`; contract 5.16.
        """
        return self._ask(
            _list,
            path={"project_id": project_id},
            query={"page": page},
        )

    def create(
        self,
        *,
        name: str,
        page: str,
        state: str,
        is_shared: Optional[bool] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> SavedView:
        """Save a view of a page.

        Private to its creator unless `is_shared`, which takes an editor. Requires `view-write`;
        contract 5.16.
        """
        return self._ask(
            _create,
            path={"project_id": project_id},
            body={"name": name, "page": page, "state": state, "is_shared": is_shared},
            key=idempotency_key,
        )

    def get(
        self,
        view_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> SavedView:
        """One saved view.

        A private view of another user is unknown. Requires `viewer`; contract 5.16.
        """
        return self._ask(
            _get,
            path={"project_id": project_id, "view_id": view_id},
        )

    def update(
        self,
        view_id: str,
        *,
        name: Optional[str] = None,
        state: Optional[str] = None,
        is_shared: Optional[bool] = None,
        project_id: Optional[str] = None,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> SavedView:
        """Rename a saved view, overwrite or share it.

        A shared view is changed by editors; only its creator makes it private again. Requires
        `view-write`; contract 5.16.
        """
        return self._ask(
            _update,
            path={"project_id": project_id, "view_id": view_id},
            body={"name": name, "state": state, "is_shared": is_shared},
            if_match=if_match,
            key=idempotency_key,
        )

    def delete(
        self,
        view_id: str,
        *,
        project_id: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> Message:
        """Delete a saved view.

        A shared view is deleted by editors. Unknown members and parameters are refused. Requires
        `view-write`; contract 5.16.
        """
        return self._ask(
            _delete,
            path={"project_id": project_id, "view_id": view_id},
            if_match=if_match,
        )
