"""Prompts. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional, Sequence, Union

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    Message,
    PromptMessage,
    PromptSettings,
    PromptTemplate,
    PromptTemplateFilter,
    PromptTemplateSort,
    PromptTemplateVersion,
    SuffixedName,
)

_list_project_prompt_templates = Operation("GET", "/v2/projects/{project_id}/templates", "read")
_create_project_prompt_template = Operation("POST", "/v2/projects/{project_id}/templates", "keyed")
_get_version_by_name = Operation("GET", "/v2/projects/{project_id}/templates/versions", "read")
_add_version_of_project = Operation(
    "POST",
    "/v2/projects/{project_id}/templates/{prompt_template_id}/versions",
    "keyed",
)
_query_versions_of_project = Operation(
    "POST",
    "/v2/projects/{project_id}/templates/{prompt_template_id}/versions/query",
    "read",
    rows="versions",
    token="starting_token",
)
_get_version_of_project = Operation(
    "GET",
    "/v2/projects/{project_id}/templates/{prompt_template_id}/versions/{version}",
    "read",
)
_select_version_of_project = Operation(
    "PUT",
    "/v2/projects/{project_id}/templates/{prompt_template_id}/versions/{version}",
    "again",
)
_create_template = Operation("POST", "/v2/templates", "keyed")
_query_templates = Operation(
    "POST",
    "/v2/templates/query",
    "read",
    rows="templates",
    token="starting_token",
)
_get_template = Operation("GET", "/v2/templates/{prompt_template_id}", "read")
_rename_template = Operation("PATCH", "/v2/templates/{prompt_template_id}", "keyed")
_delete_template = Operation("DELETE", "/v2/templates/{prompt_template_id}", "gone")
_label_version = Operation("PUT", "/v2/templates/{prompt_template_id}/labels/{label}", "again")
_unlabel_version = Operation("DELETE", "/v2/templates/{prompt_template_id}/labels/{label}", "again")
_add_version = Operation("POST", "/v2/templates/{prompt_template_id}/versions", "keyed")
_query_versions = Operation(
    "POST",
    "/v2/templates/{prompt_template_id}/versions/query",
    "read",
    rows="versions",
    token="starting_token",
)
_get_version = Operation("GET", "/v2/templates/{prompt_template_id}/versions/{version}", "read")
_select_version = Operation("PUT", "/v2/templates/{prompt_template_id}/versions/{version}", "again")


class Prompts(Noun):
    """Prompt templates with their versions and labels."""

    def list_project_prompt_templates(
        self,
        *,
        project_id: Optional[str] = None,
    ) -> List[PromptTemplate]:
        """Prompt templates whose home is the project, newest first.

        Each with its selected version; hidden ones are left out. Requires `viewer`; contract
        5.18.
        """
        return self._ask(
            _list_project_prompt_templates,
            path={"project_id": project_id},
        )

    def create_project_prompt_template(
        self,
        *,
        template: Union[str, Sequence[PromptMessage]],
        name: Union[str, SuffixedName],
        raw: Optional[bool] = None,
        settings: Optional[PromptSettings] = None,
        output_type: Optional[str] = None,
        hidden: Optional[bool] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> PromptTemplate:
        """Create a prompt template with the project as its home.

        Its first version is selected. `settings` are those of a run (4.6). Requires `editor`;
        contract 5.18.
        """
        return self._ask(
            _create_project_prompt_template,
            path={"project_id": project_id},
            body={
                "template": template,
                "raw": raw,
                "settings": settings,
                "output_type": output_type,
                "name": name,
                "hidden": hidden,
            },
            key=idempotency_key,
        )

    def get_version_by_name(
        self,
        *,
        template_name: Optional[str] = None,
        version: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> PromptTemplateVersion:
        """A version of a prompt template of a project, by the name of the template.

        Without `version`: the selected one. Requires `viewer`; contract 5.18.
        """
        return self._ask(
            _get_version_by_name,
            path={"project_id": project_id},
            query={"template_name": template_name, "version": version},
        )

    def add_version_of_project(
        self,
        prompt_template_id: str,
        *,
        template: Union[str, Sequence[PromptMessage]],
        raw: Optional[bool] = None,
        settings: Optional[PromptSettings] = None,
        output_type: Optional[str] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> PromptTemplateVersion:
        """Add a version to a prompt template.

        It is selected. One that equals the newest is not added; that one is answered. Requires
        `prompt-write`; contract 5.18.
        """
        return self._ask(
            _add_version_of_project,
            path={"project_id": project_id, "prompt_template_id": prompt_template_id},
            body={
                "template": template,
                "raw": raw,
                "settings": settings,
                "output_type": output_type,
            },
            key=idempotency_key,
        )

    def query_versions_of_project(
        self,
        prompt_template_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        project_id: Optional[str] = None,
    ) -> Pages[PromptTemplateVersion]:
        """Versions of a prompt template, newest first, paged.

        With what each changed in the one before it. Requires `prompt-read`; contract 5.18.
        """
        return self._pages(
            _query_versions_of_project,
            path={"project_id": project_id, "prompt_template_id": prompt_template_id},
            body={"starting_token": starting_token, "limit": limit},
        )

    def get_version_of_project(
        self,
        prompt_template_id: str,
        version: str,
        *,
        project_id: Optional[str] = None,
    ) -> PromptTemplateVersion:
        """A version of a prompt template, by number or label.

        The label `latest` is the newest version. Requires `prompt-read`; contract 5.18.
        """
        return self._ask(
            _get_version_of_project,
            path={
                "project_id": project_id,
                "prompt_template_id": prompt_template_id,
                "version": version,
            },
        )

    def select_version_of_project(
        self,
        prompt_template_id: str,
        version: str,
        *,
        project_id: Optional[str] = None,
    ) -> PromptTemplate:
        """Select a version of a prompt template.

        The selected one is shown and run where none is named. Requires `prompt-write`; contract
        5.18.
        """
        return self._ask(
            _select_version_of_project,
            path={
                "project_id": project_id,
                "prompt_template_id": prompt_template_id,
                "version": version,
            },
        )

    def create_template(
        self,
        *,
        template: Union[str, Sequence[PromptMessage]],
        name: Union[str, SuffixedName],
        raw: Optional[bool] = None,
        settings: Optional[PromptSettings] = None,
        output_type: Optional[str] = None,
        hidden: Optional[bool] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> PromptTemplate:
        """Create a prompt template.

        Its first version is selected. `settings` are those of a run (4.6). Requires `creator`;
        contract 5.18.
        """
        return self._ask(
            _create_template,
            query={"project_id": project_id},
            body={
                "template": template,
                "raw": raw,
                "settings": settings,
                "output_type": output_type,
                "name": name,
                "hidden": hidden,
            },
            key=idempotency_key,
        )

    def query_templates(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[PromptTemplateFilter]] = None,
        sort: Optional[PromptTemplateSort] = None,
    ) -> Pages[PromptTemplate]:
        """Visible prompt templates, filtered, sorted and paged.

        Each with its selected version; hidden ones are left out. A misspelt member is refused.
        Requires `signed-in`; contract 5.18.
        """
        return self._pages(
            _query_templates,
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
            },
        )

    def get_template(
        self,
        prompt_template_id: str,
    ) -> PromptTemplate:
        """One prompt template.

        `all_versions` has the ten newest ones. The `ETag` can be sent as `If-Match`. Requires
        `prompt-read`; contract 5.18.
        """
        return self._ask(
            _get_template,
            path={"prompt_template_id": prompt_template_id},
        )

    def rename_template(
        self,
        prompt_template_id: str,
        *,
        name: Optional[Union[str, SuffixedName]] = None,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> PromptTemplate:
        """Rename a prompt template.

        Its versions stay as they are. Requires `prompt-write`; contract 5.18.
        """
        return self._ask(
            _rename_template,
            path={"prompt_template_id": prompt_template_id},
            body={"name": name},
            if_match=if_match,
            key=idempotency_key,
        )

    def delete_template(
        self,
        prompt_template_id: str,
        *,
        if_match: Optional[str] = None,
    ) -> Message:
        """Delete a prompt template; its texts are erased.

        Experiments keep their copy of the prompt. Unknown members and parameters are refused.
        Requires `prompt-write`; contract 5.18.
        """
        return self._ask(
            _delete_template,
            path={"prompt_template_id": prompt_template_id},
            if_match=if_match,
        )

    def label_version(
        self,
        prompt_template_id: str,
        label: str,
        *,
        version: int,
    ) -> PromptTemplate:
        """Give a version of a prompt template a label.

        A label means one version; it moves here from another. Requires `prompt-write`; contract
        5.18.
        """
        return self._ask(
            _label_version,
            path={"prompt_template_id": prompt_template_id, "label": label},
            body={"version": version},
        )

    def unlabel_version(
        self,
        prompt_template_id: str,
        label: str,
    ) -> PromptTemplate:
        """Take a label away from a prompt template.

        The version stays. Unknown members and parameters are refused. Requires `prompt-write`;
        contract 5.18.
        """
        return self._ask(
            _unlabel_version,
            path={"prompt_template_id": prompt_template_id, "label": label},
        )

    def add_version(
        self,
        prompt_template_id: str,
        *,
        template: Union[str, Sequence[PromptMessage]],
        raw: Optional[bool] = None,
        settings: Optional[PromptSettings] = None,
        output_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> PromptTemplateVersion:
        """Add a version to a prompt template.

        It is selected. One that equals the newest is not added; that one is answered. Requires
        `prompt-write`; contract 5.18.
        """
        return self._ask(
            _add_version,
            path={"prompt_template_id": prompt_template_id},
            body={
                "template": template,
                "raw": raw,
                "settings": settings,
                "output_type": output_type,
            },
            key=idempotency_key,
        )

    def query_versions(
        self,
        prompt_template_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[PromptTemplateVersion]:
        """Versions of a prompt template, newest first, paged.

        With what each changed in the one before it. Requires `prompt-read`; contract 5.18.
        """
        return self._pages(
            _query_versions,
            path={"prompt_template_id": prompt_template_id},
            body={"starting_token": starting_token, "limit": limit},
        )

    def get_version(
        self,
        prompt_template_id: str,
        version: str,
    ) -> PromptTemplateVersion:
        """A version of a prompt template, by number or label.

        The label `latest` is the newest version. Requires `prompt-read`; contract 5.18.
        """
        return self._ask(
            _get_version,
            path={"prompt_template_id": prompt_template_id, "version": version},
        )

    def select_version(
        self,
        prompt_template_id: str,
        version: str,
    ) -> PromptTemplate:
        """Select a version of a prompt template.

        The selected one is shown and run where none is named. Requires `prompt-write`; contract
        5.18.
        """
        return self._ask(
            _select_version,
            path={"prompt_template_id": prompt_template_id, "version": version},
        )
