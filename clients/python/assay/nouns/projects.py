"""Projects. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    ListUnpricedModelsResponse,
    ListingFilter,
    ListingSort,
    Message,
    PriceInput,
    PriceList,
    PriceMatch,
    Project,
    ShippedPriceList,
)

_get_shipped_price_list = Operation("GET", "/v2/price_list/shipped", "read")
_list = Operation("GET", "/v2/projects", "read")
_create = Operation("POST", "/v2/projects", "keyed")
_list_all_projects = Operation("GET", "/v2/projects/all", "read")
_page = Operation("POST", "/v2/projects/paginated", "read", rows="projects", token="starting_token")
_get = Operation("GET", "/v2/projects/{project_id}", "read")
_update = Operation("PUT", "/v2/projects/{project_id}", "again")
_delete = Operation("DELETE", "/v2/projects/{project_id}", "gone")
_get_price_list = Operation("GET", "/v2/projects/{project_id}/price_list", "read")
_set_price_list = Operation("PUT", "/v2/projects/{project_id}/price_list", "again")
_match_model_price = Operation("POST", "/v2/projects/{project_id}/price_list/match", "read")
_list_unpriced_models = Operation("GET", "/v2/projects/{project_id}/price_list/unpriced", "read")


class Projects(Noun):
    """Containers of everything else; the role in a project determines access."""

    def get_shipped_price_list(self) -> ShippedPriceList:
        """Read the list prices of models that the service ships.

        Prices of the standard tier, each with the page of the provider that says it. Requires
        `signed-in`; contract 5.4.
        """
        return self._ask(_get_shipped_price_list)

    def list(
        self,
        *,
        project_name: Optional[str] = None,
        type: Optional[Literal["gen_ai", "prompt_evaluation", "llm_monitor", "protect"]] = None,
    ) -> List[Project]:
        """Visible projects.

        At most 1,000. `project_name` matches whole names. Requires `signed-in`; contract 5.4.
        """
        return self._ask(
            _list,
            query={"project_name": project_name, "type": type},
        )

    def create(
        self,
        *,
        name: str,
        type: Optional[Literal["gen_ai", "prompt_evaluation", "llm_monitor", "protect"]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Project:
        """Create a project.

        The caller becomes its owner; names are unique in the organisation. Requires `user`;
        contract 5.4.
        """
        return self._ask(
            _create,
            body={"name": name, "type": type},
            key=idempotency_key,
        )

    def list_all_projects(
        self,
        *,
        type: Optional[Literal["gen_ai", "prompt_evaluation", "llm_monitor", "protect"]] = None,
    ) -> List[Project]:
        """All visible projects.

        At most 1,000. Requires `signed-in`; contract 5.4.
        """
        return self._ask(
            _list_all_projects,
            query={"type": type},
        )

    def page(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[ListingFilter]] = None,
        sort: Optional[ListingSort] = None,
    ) -> Pages[Project]:
        """Visible projects, filtered, sorted and paged.

        The newest first unless `sort` says otherwise. A misspelt member is refused. Requires
        `signed-in`; contract 5.4.
        """
        return self._pages(
            _page,
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
            },
        )

    def get(
        self,
        project_id: str,
    ) -> Project:
        """One project.

        With its newest 100 runs, and what the caller may do in it. Requires `viewer`; contract
        5.4.
        """
        return self._ask(
            _get,
            path={"project_id": project_id},
        )

    def update(
        self,
        project_id: str,
        *,
        name: Optional[str] = None,
        description: Optional[str] = None,
        labels: Optional[Sequence[str]] = None,
    ) -> Project:
        """Rename a project or change its details.

        Members that are left out stay as they are; a member that is not listed is refused.
        Requires `owner`; contract 5.4.
        """
        return self._ask(
            _update,
            path={"project_id": project_id},
            body={"name": name, "description": description, "labels": labels},
        )

    def delete(
        self,
        project_id: str,
    ) -> Message:
        """Delete a project with all in it.

        All in it is not found at once; its contents are erased by a job. Datasets lose the link
        to it. Unknown members and parameters are refused. Requires `owner`; contract 5.4.
        """
        return self._ask(
            _delete,
            path={"project_id": project_id},
        )

    def get_price_list(
        self,
        project_id: str,
    ) -> PriceList:
        """What tokens of models cost in a project.

        By model, then by date; empty until prices are set. Its prices count before shipped ones.
        Requires `viewer`; contract 5.4.
        """
        return self._ask(
            _get_price_list,
            path={"project_id": project_id},
        )

    def set_price_list(
        self,
        project_id: str,
        *,
        prices: Sequence[PriceInput],
        use_shipped: Optional[bool] = None,
    ) -> PriceList:
        """Say what tokens of models cost in a project.

        Replaces the list. Spans that are logged from then on and send no `cost` have one by it.
        Requires `editor`; contract 5.4.
        """
        return self._ask(
            _set_price_list,
            path={"project_id": project_id},
            body={"prices": prices, "use_shipped": use_shipped},
        )

    def match_model_price(
        self,
        project_id: str,
        *,
        model: str,
        at: Optional[str] = None,
    ) -> PriceMatch:
        """Find the price that a model has in a project.

        The rule says how the name of the model was found in the list. Requires `viewer`; contract
        5.4.
        """
        return self._ask(
            _match_model_price,
            path={"project_id": project_id},
            body={"model": model, "at": at},
        )

    def list_unpriced_models(
        self,
        project_id: str,
        *,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
    ) -> ListUnpricedModelsResponse:
        """List models that have tokens and no cost in a project.

        By the number of their llm spans, most first. A price that is set later does not give
        these spans a cost. Requires `viewer`; contract 5.4.
        """
        return self._ask(
            _list_unpriced_models,
            path={"project_id": project_id},
            query={"start_time": start_time, "end_time": end_time},
        )
