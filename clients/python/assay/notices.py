"""Warnings to the user through the logger `assay`."""

from __future__ import annotations

import logging
from typing import Optional, Set

logger = logging.getLogger("assay")
#: Limit of different warnings of one kind, as they may contain names from the program.
once_max = 100
_said: Set[str] = set()


def warn(text: str, error: Optional[BaseException] = None) -> None:
    logger.warning("assay: %s", text, exc_info=error)


def warn_once(text: str) -> None:
    """Warns once in a process, up to `once_max` different warnings."""
    if text not in _said and len(_said) < once_max:
        _said.add(text)
        warn(text)
