"""History. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Literal, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import HistoryEntry, HistoryVerdict

_list = Operation("GET", "/v2/history", "read", rows="entries", token="cursor")
_verify = Operation("GET", "/v2/history/verify", "read")
_list_resource_history = Operation(
    "GET",
    "/v2/history/{resource}/{id}",
    "read",
    rows="entries",
    token="cursor",
)
_list_project_history = Operation(
    "GET",
    "/v2/projects/{project_id}/history",
    "read",
    rows="entries",
    token="cursor",
)


class History(Noun):
    """Audit log: what happened, who did it, and a hash chain that proves it unchanged."""

    def list(
        self,
        *,
        actor: Optional[Sequence[str]] = None,
        event_type: Optional[Sequence[str]] = None,
        resource_type: Optional[
            Sequence[
                Literal[
                    "organization",
                    "user",
                    "api_key",
                    "group",
                    "project",
                    "log_stream",
                    "experiment",
                    "session",
                    "trace",
                    "dataset",
                    "annotation_template",
                    "prompt_template",
                    "scorer",
                    "scorer_task",
                    "integration",
                    "org_job",
                ]
            ]
        ] = None,
        resource_id: Optional[Sequence[str]] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        technical: Optional[bool] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        project_id: Optional[Sequence[str]] = None,
    ) -> Pages[HistoryEntry]:
        """History of the organisation, newest first.

        With `technical` it lists all that the hashes go over. Deleted projects stay here. A
        misspelt member is refused. Requires `audit-org`; contract 5.14.
        """
        return self._pages(
            _list,
            query={
                "actor": actor,
                "event_type": event_type,
                "resource_type": resource_type,
                "resource_id": resource_id,
                "start_time": start_time,
                "end_time": end_time,
                "technical": technical,
                "order": order,
                "cursor": cursor,
                "limit": limit,
                "project_id": project_id,
            },
        )

    def verify(
        self,
        *,
        from_seq: Optional[int] = None,
        to_seq: Optional[int] = None,
    ) -> HistoryVerdict:
        """Recompute the history from the log.

        Compares every entry with its event, and digests with the data that still exist. A call
        ends after 10 s or 1,000,000 events: `next_seq` is where to go on. Requires `audit-org`;
        contract 5.14.
        """
        return self._ask(
            _verify,
            query={"from_seq": from_seq, "to_seq": to_seq},
        )

    def list_resource_history(
        self,
        resource: Literal[
            "organization",
            "user",
            "api_key",
            "group",
            "project",
            "log_stream",
            "experiment",
            "session",
            "trace",
            "dataset",
            "annotation_template",
            "prompt_template",
            "scorer",
            "scorer_task",
            "integration",
            "org_job",
        ],
        id: str,
        *,
        project_id: Optional[str] = None,
        at: Optional[str] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Pages[HistoryEntry]:
        """History of one resource, oldest first.

        With `at` also `state`: the resource as its events up to there made it, null where it did
        not exist. A misspelt member is refused. Requires `audit-resource`; contract 5.14.
        """
        return self._pages(
            _list_resource_history,
            path={"resource": resource, "id": id},
            query={
                "project_id": project_id,
                "at": at,
                "order": order,
                "cursor": cursor,
                "limit": limit,
            },
        )

    def list_project_history(
        self,
        *,
        actor: Optional[Sequence[str]] = None,
        event_type: Optional[Sequence[str]] = None,
        resource_type: Optional[
            Sequence[
                Literal[
                    "organization",
                    "user",
                    "api_key",
                    "group",
                    "project",
                    "log_stream",
                    "experiment",
                    "session",
                    "trace",
                    "dataset",
                    "annotation_template",
                    "prompt_template",
                    "scorer",
                    "scorer_task",
                    "integration",
                    "org_job",
                ]
            ]
        ] = None,
        resource_id: Optional[Sequence[str]] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        technical: Optional[bool] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        project_id: Optional[str] = None,
    ) -> Pages[HistoryEntry]:
        """History of a project, newest first.

        A filter that is repeated means any of its values. A page may hold fewer entries than
        `limit` although `next_cursor` is not null. A misspelt member is refused. Requires
        `audit-project`; contract 5.14.
        """
        return self._pages(
            _list_project_history,
            path={"project_id": project_id},
            query={
                "actor": actor,
                "event_type": event_type,
                "resource_type": resource_type,
                "resource_id": resource_id,
                "start_time": start_time,
                "end_time": end_time,
                "technical": technical,
                "order": order,
                "cursor": cursor,
                "limit": limit,
            },
        )
