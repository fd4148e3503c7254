"""Types of service. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, Literal, TypedDict

__all__ = [
    "HealthcheckResponse",
    "ReadDescriptionResponse",
]


class HealthcheckResponse(TypedDict):
    api_version: Literal["v2"]
    message: Literal["ok"]
    version: str


ReadDescriptionResponse = Dict[str, Any]
