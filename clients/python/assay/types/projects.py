"""Types of projects. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict

__all__ = [
    "ListUnpricedModelsResponse",
    "Price",
    "PriceInput",
    "PriceList",
    "PriceMatch",
    "ShippedPrice",
    "ShippedPriceList",
    "UnpricedModel",
]


class ListUnpricedModelsResponse(TypedDict):
    models: List[UnpricedModel]


Price = TypedDict(
    "Price",
    {
        "model": str,
        "from": str,
        "input": float,
        "output": float,
        "cache_read": float,
        "cache_write": float,
        "reasoning": float,
        "input_audio": float,
        "output_audio": float,
        "input_image": float,
        "output_image": float,
    },
    total=False,
)


PriceInput = TypedDict(
    "PriceInput",
    {
        "model": str,
        "from": str,
        "input": float,
        "output": float,
        "cache_read": float,
        "cache_write": float,
        "reasoning": float,
        "input_audio": float,
        "output_audio": float,
        "input_image": float,
        "output_image": float,
    },
    total=False,
)


class PriceList(TypedDict):
    prices: List[Price]
    use_shipped: bool
    shipped_version: str


class PriceMatch(TypedDict):
    entry: Optional[Price]
    rule: Optional[Literal["exact", "pattern", "simplified", "simplified_pattern"]]
    list: Optional[Literal["project", "shipped"]]


ShippedPrice = TypedDict(
    "ShippedPrice",
    {
        "model": str,
        "from": str,
        "input": float,
        "output": float,
        "cache_read": float,
        "cache_write": float,
        "reasoning": float,
        "input_audio": float,
        "output_audio": float,
        "input_image": float,
        "output_image": float,
        "source": str,
    },
    total=False,
)


class ShippedPriceList(TypedDict):
    version: str
    prices: List[ShippedPrice]


class UnpricedModel(TypedDict):
    model: Optional[str]
    spans: int
    tokens: int
    entry: Optional[Price]
    rule: Optional[Literal["exact", "pattern", "simplified", "simplified_pattern"]]
    list: Optional[Literal["project", "shipped"]]
