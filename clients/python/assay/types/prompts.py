"""Types of prompts. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .filters import ListingNameFilter
from .several import Permission, PromptRunSettings, UserSummary

__all__ = [
    "PromptMessage",
    "PromptTemplate",
    "PromptTemplateFilter",
    "PromptTemplatePage",
    "PromptTemplateSort",
    "PromptTemplateVersion",
    "PromptTemplateVersionPage",
    "SuffixedName",
]


class PromptMessage(TypedDict):
    role: str
    content: str


class PromptTemplate(TypedDict):
    id: str
    name: str
    template: str
    selected_version: PromptTemplateVersion
    selected_version_id: str
    all_available_versions: List[int]
    total_versions: int
    max_version: int
    all_versions: List[PromptTemplateVersion]
    labels: Dict[str, int]
    hidden: bool
    project_id: Optional[str]
    created_at: str
    updated_at: str
    created_by_user: Optional[UserSummary]
    permissions: List[Permission]


PromptTemplateFilter = Union["ListingNameFilter", Dict[str, Any]]


class PromptTemplatePage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    templates: List[PromptTemplate]


class _PromptTemplateSort(TypedDict):
    name: Literal["name", "created_at", "updated_at"]


class PromptTemplateSort(_PromptTemplateSort, total=False):
    ascending: bool
    sort_type: Optional[Literal["column"]]


class PromptTemplateVersion(TypedDict):
    id: str
    prompt_template_id: str
    version: int
    template: Union[str, List[PromptMessage]]
    raw: bool
    settings: PromptRunSettings
    output_type: Optional[str]
    labels: List[str]
    model_changed: bool
    settings_changed: bool
    content_changed: bool
    lines_added: int
    lines_edited: int
    lines_removed: int
    created_at: str
    updated_at: str
    created_by_user: Optional[UserSummary]


class PromptTemplateVersionPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    versions: List[PromptTemplateVersion]


class _SuffixedName(TypedDict):
    value: str


class SuffixedName(_SuffixedName, total=False):
    append_suffix_if_duplicate: bool
