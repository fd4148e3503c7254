"""Types of models. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

__all__ = [
    "LentIntegration",
    "ModelAccess",
]


class LentIntegration(TypedDict):
    integration_id: str
    provider: Literal[
        "anthropic",
        "aws_bedrock",
        "aws_sagemaker",
        "azure",
        "custom",
        "databricks",
        "mistral",
        "nvidia",
        "openai",
        "vegas_gateway",
        "vertex_ai",
        "writer",
    ]
    lent_by: str
    daily_budget: Optional[float]
    calls_per_minute: int
    state: Literal["usable", "disabled", "deleted", "not_editor"]
    models: List[str]


class ModelAccess(TypedDict):
    integrations: List[LentIntegration]
    default_model: Optional[str]
    judge_model: Optional[str]
    daily_budget: float
    daily_calls: int
    allow_unpriced: bool
    name_clusters: bool
