"""Types of views. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import TypedDict

__all__ = [
    "SavedView",
]


class SavedView(TypedDict):
    id: str
    name: str
    page: str
    state: str
    is_shared: bool
    created_by: str
    created_at: str
    updated_at: str
