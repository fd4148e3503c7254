"""Annotations. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..types import (
    AnnotationTemplate,
    ConstraintsInput,
    Message,
    Rating,
    RatingOperation,
    RatingResult,
    RatingValue,
    TraceSelector,
)

_rate_traces = Operation("POST", "/v2/projects/{project_id}/annotation/ratings", "keyed")
_list_templates = Operation("GET", "/v2/projects/{project_id}/annotation/templates", "read")
_create_template = Operation("POST", "/v2/projects/{project_id}/annotation/templates", "keyed")
_reorder_templates = Operation(
    "POST",
    "/v2/projects/{project_id}/annotation/templates/reorder",
    "keyed",
)
_get_template = Operation(
    "GET",
    "/v2/projects/{project_id}/annotation/templates/{template_id}",
    "read",
)
_update_template = Operation(
    "PATCH",
    "/v2/projects/{project_id}/annotation/templates/{template_id}",
    "keyed",
)
_delete_template = Operation(
    "DELETE",
    "/v2/projects/{project_id}/annotation/templates/{template_id}",
    "gone",
)
_read_rating = Operation(
    "GET",
    "/v2/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating",
    "read",
)
_give_rating = Operation(
    "PUT",
    "/v2/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating",
    "again",
)
_withdraw_rating = Operation(
    "DELETE",
    "/v2/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating",
    "gone",
)


class Annotations(Noun):
    """Templates that say how people rate traces, and the ratings."""

    def rate_traces(
        self,
        *,
        operations: Sequence[RatingOperation],
        selector: TraceSelector,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[RatingResult]:
        """Give or withdraw ratings on many traces.

        Each operation is applied to each trace, and has a result of its own for it. Requires
        `annotator`; contract 4.8.
        """
        return self._ask(
            _rate_traces,
            path={"project_id": project_id},
            body={"operations": operations, "selector": selector},
            key=idempotency_key,
        )

    def list_templates(
        self,
        *,
        project_id: Optional[str] = None,
    ) -> List[AnnotationTemplate]:
        """Annotation templates of a project, by position.

        At most 200. Requires `viewer`; contract 5.8.
        """
        return self._ask(
            _list_templates,
            path={"project_id": project_id},
        )

    def create_template(
        self,
        *,
        name: str,
        constraints: ConstraintsInput,
        include_explanation: Optional[bool] = None,
        criteria: Optional[str] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> AnnotationTemplate:
        """Create an annotation template.

        `constraints` say what a rating can be, and never change. Requires `editor`; contract 5.8.
        """
        return self._ask(
            _create_template,
            path={"project_id": project_id},
            body={
                "name": name,
                "include_explanation": include_explanation,
                "criteria": criteria,
                "constraints": constraints,
            },
            key=idempotency_key,
        )

    def reorder_templates(
        self,
        *,
        ordering: Sequence[str],
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[AnnotationTemplate]:
        """Put the annotation templates of a project in order.

        `ordering` names every live template once. Requires `editor`; contract 5.8.
        """
        return self._ask(
            _reorder_templates,
            path={"project_id": project_id},
            body={"ordering": ordering},
            key=idempotency_key,
        )

    def get_template(
        self,
        template_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> AnnotationTemplate:
        """One annotation template.

        With the number of its current ratings. Requires `viewer`; contract 5.8.
        """
        return self._ask(
            _get_template,
            path={"project_id": project_id, "template_id": template_id},
        )

    def update_template(
        self,
        template_id: str,
        *,
        name: Optional[str] = None,
        criteria: Optional[str] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> AnnotationTemplate:
        """Change name or criteria of an annotation template.

        What a rating can be does not change. Requires `editor`; contract 5.8.
        """
        return self._ask(
            _update_template,
            path={"project_id": project_id, "template_id": template_id},
            body={"name": name, "criteria": criteria},
            key=idempotency_key,
        )

    def delete_template(
        self,
        template_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Message:
        """Delete an annotation template; its ratings count no more.

        Its ratings are left out of aggregates from then on. Unknown members and parameters are
        refused. Requires `editor`; contract 5.8.
        """
        return self._ask(
            _delete_template,
            path={"project_id": project_id, "template_id": template_id},
        )

    def read_rating(
        self,
        template_id: str,
        trace_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Rating:
        """The caller's rating of a trace.

        Not found if the caller gave none. Requires `viewer`; contract 5.8.
        """
        return self._ask(
            _read_rating,
            path={"project_id": project_id, "template_id": template_id, "trace_id": trace_id},
        )

    def give_rating(
        self,
        template_id: str,
        trace_id: str,
        *,
        rating: RatingValue,
        explanation: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> Rating:
        """Give or replace the caller's rating of a trace.

        Everyone has one rating of a trace under a template. Requires `annotator`; contract 5.8.
        """
        return self._ask(
            _give_rating,
            path={"project_id": project_id, "template_id": template_id, "trace_id": trace_id},
            body={"rating": rating, "explanation": explanation},
        )

    def withdraw_rating(
        self,
        template_id: str,
        trace_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Message:
        """Withdraw the caller's rating of a trace.

        Not found if the caller gave none. Unknown members and parameters are refused. Requires
        `annotator`; contract 5.8.
        """
        return self._ask(
            _withdraw_rating,
            path={"project_id": project_id, "template_id": template_id, "trace_id": trace_id},
        )
