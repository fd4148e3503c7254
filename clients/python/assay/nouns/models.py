"""Models. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Optional

from ..noun import Noun
from ..operation import Operation
from ..types import ModelAccess

_get_access = Operation("GET", "/v2/projects/{project_id}/model_access", "read")
_set_access = Operation("PUT", "/v2/projects/{project_id}/model_access", "again")
_lend_integration = Operation(
    "PUT",
    "/v2/projects/{project_id}/model_access/integrations/{integration_id}",
    "again",
)
_end_integration_lending = Operation(
    "DELETE",
    "/v2/projects/{project_id}/model_access/integrations/{integration_id}",
    "again",
)


class Models(Noun):
    """Models that a project may call: integrations that are lent to it, and its budgets."""

    def get_access(
        self,
        *,
        project_id: Optional[str] = None,
    ) -> ModelAccess:
        """Integrations that a project may call, with budgets and default models.

        In the order in which they were lent; with default settings until some are set. Requires
        `viewer`; contract 5.17.
        """
        return self._ask(
            _get_access,
            path={"project_id": project_id},
        )

    def set_access(
        self,
        *,
        default_model: Optional[str] = None,
        judge_model: Optional[str] = None,
        daily_budget: Optional[float] = None,
        daily_calls: Optional[int] = None,
        allow_unpriced: Optional[bool] = None,
        name_clusters: Optional[bool] = None,
        project_id: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> ModelAccess:
        """Set the budgets and default models of a project.

        Replaces all settings; integrations stay lent. Requires `owner`; contract 5.17.
        """
        return self._ask(
            _set_access,
            path={"project_id": project_id},
            body={
                "default_model": default_model,
                "judge_model": judge_model,
                "daily_budget": daily_budget,
                "daily_calls": daily_calls,
                "allow_unpriced": allow_unpriced,
                "name_clusters": name_clusters,
            },
            if_match=if_match,
        )

    def lend_integration(
        self,
        integration_id: str,
        *,
        daily_budget: Optional[float] = None,
        calls_per_minute: Optional[int] = None,
        project_id: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> ModelAccess:
        """Lend the caller's integration to a project, or change its limits.

        The project calls models with it until the lending ends; others never see it. Requires
        `lender`; contract 5.17.
        """
        return self._ask(
            _lend_integration,
            path={"project_id": project_id, "integration_id": integration_id},
            body={"daily_budget": daily_budget, "calls_per_minute": calls_per_minute},
            if_match=if_match,
        )

    def end_integration_lending(
        self,
        integration_id: str,
        *,
        project_id: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> ModelAccess:
        """End the lending of an integration to a project.

        By the user who lent it, or by an owner of the project. Unknown members and parameters are
        refused. Requires `lender`; contract 5.17.
        """
        return self._ask(
            _end_integration_lending,
            path={"project_id": project_id, "integration_id": integration_id},
            if_match=if_match,
        )
