"""Types of projects. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, TypedDict

__all__ = [
    "Price",
    "PriceInput",
    "PriceList",
]


Price = TypedDict(
    "Price",
    {
        "model": str,
        "from": str,
        "input": float,
        "output": float,
    },
)


PriceInput = TypedDict(
    "PriceInput",
    {
        "model": str,
        "from": str,
        "input": float,
        "output": float,
    },
)


class PriceList(TypedDict):
    prices: List[Price]
