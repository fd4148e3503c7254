"""What the client tells its user: warnings of the logger `assay`, which say whose they are."""

from __future__ import annotations

import logging
from typing import Optional, Set

logger = logging.getLogger("assay")
#: Different warnings of one kind that are remembered; names in them come from the program.
once_max = 100
_said: Set[str] = set()


def warn(text: str, error: Optional[BaseException] = None) -> None:
    logger.warning("assay: %s", text, exc_info=error)


def warn_once(text: str) -> None:
    """Once in a process; after `once_max` different ones no more."""
    if text not in _said and len(_said) < once_max:
        _said.add(text)
        warn(text)
