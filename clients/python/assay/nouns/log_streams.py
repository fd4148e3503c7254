"""Log streams. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import InsightsInput, InsightsSettings, ListingFilter, ListingSort, LogStream

_list = Operation("GET", "/v2/projects/{project_id}/log_streams", "read")
_create = Operation("POST", "/v2/projects/{project_id}/log_streams", "keyed")
_page = Operation(
    "GET",
    "/v2/projects/{project_id}/log_streams/paginated",
    "read",
    rows="log_streams",
    token="starting_token",
)
_search = Operation(
    "POST",
    "/v2/projects/{project_id}/log_streams/search",
    "read",
    rows="log_streams",
    token="starting_token",
)
_get = Operation("GET", "/v2/projects/{project_id}/log_streams/{log_stream_id}", "read")
_rename = Operation("PUT", "/v2/projects/{project_id}/log_streams/{log_stream_id}", "again")
_delete = Operation(
    "DELETE",
    "/v2/projects/{project_id}/log_streams/{log_stream_id}",
    "gone",
    answer="none",
)
_get_insights_settings = Operation(
    "GET",
    "/v2/projects/{project_id}/runs/{run_id}/insights-settings",
    "read",
)
_update_insights_settings = Operation(
    "PATCH",
    "/v2/projects/{project_id}/runs/{run_id}/insights-settings",
    "keyed",
)


class LogStreams(Noun):
    """Runs that a live application logs into."""

    def list(
        self,
        *,
        include_counts: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> List[LogStream]:
        """Log streams of a project.

        At most 1,000; counts are null unless requested. Requires `viewer`; contract 5.5.
        """
        return self._ask(
            _list,
            path={"project_id": project_id},
            query={"include_counts": include_counts},
        )

    def create(
        self,
        *,
        name: str,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> LogStream:
        """Create a log stream.

        Names are unique among the log streams of the project. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _create,
            path={"project_id": project_id},
            body={"name": name},
            key=idempotency_key,
        )

    def page(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        include_counts: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> Pages[LogStream]:
        """Log streams of a project, paged.

        Counts are null unless requested. Requires `viewer`; contract 5.5.
        """
        return self._pages(
            _page,
            path={"project_id": project_id},
            query={
                "starting_token": starting_token,
                "limit": limit,
                "include_counts": include_counts,
            },
        )

    def search(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[ListingFilter]] = None,
        sort: Optional[ListingSort] = None,
        include_counts: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> Pages[LogStream]:
        """Log streams of a project, filtered, sorted and paged.

        Counts are null unless requested. A misspelt member is refused. Requires `viewer`;
        contract 5.5.
        """
        return self._pages(
            _search,
            path={"project_id": project_id},
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
                "include_counts": include_counts,
            },
        )

    def get(
        self,
        log_stream_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> LogStream:
        """One log stream.

        Counts of its records are null here. Requires `viewer`; contract 5.5.
        """
        return self._ask(
            _get,
            path={"project_id": project_id, "log_stream_id": log_stream_id},
        )

    def rename(
        self,
        log_stream_id: str,
        *,
        name: str,
        project_id: Optional[str] = None,
    ) -> LogStream:
        """Rename a log stream.

        Its records stay where they are. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _rename,
            path={"project_id": project_id, "log_stream_id": log_stream_id},
            body={"name": name},
        )

    def delete(
        self,
        log_stream_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> None:
        """Delete a log stream with its records.

        Its records are not found at once and are erased. Unknown members and parameters are
        refused. Requires `owner`; contract 5.5.
        """
        return self._ask(
            _delete,
            path={"project_id": project_id, "log_stream_id": log_stream_id},
        )

    def get_insights_settings(
        self,
        run_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> InsightsSettings:
        """Insights settings of a run.

        Off by default. Requires `viewer`; contract 4.10.
        """
        return self._ask(
            _get_insights_settings,
            path={"project_id": project_id, "run_id": run_id},
        )

    def update_insights_settings(
        self,
        run_id: str,
        *,
        insights: InsightsInput,
        project_id: Optional[str] = None,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> InsightsSettings:
        """Switch the insights of a run on or off.

        `start_time` is that of the last switch from off to on. Requires `editor`; contract 4.10.
        """
        return self._ask(
            _update_insights_settings,
            path={"project_id": project_id, "run_id": run_id},
            body={"insights": insights},
            if_match=if_match,
            key=idempotency_key,
        )
