"""Outages in which nothing can be sent, and their warnings."""

from __future__ import annotations

import time
from typing import Optional

from .notices import warn

#: Seconds: shorter outages are not reported.
said_after = 3.0
#: Seconds between two warnings, for an unstable service.
quiet = 60.0


class Outage:
    """Outage from the first failed or deferred try to the next success: one warning."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._cause: Optional[str] = None
        self._since: Optional[float] = None
        self._told: Optional[float] = None
        self._said = False

    def goes_on(self, cause: str, began: float, wait: float) -> None:
        """A try that began at that time has failed; the next one follows after `wait` seconds."""
        self._cause = cause
        if self._since is None:
            self._since = began
        self.waited(time.monotonic() + wait - self._since)

    def waited(self, seconds: float) -> None:
        """Seconds that a caller waits for it."""
        now = time.monotonic()
        if self._said or seconds < said_after:
            return
        if self._told is not None and now - self._told < quiet:
            return
        self._said, self._told = True, now
        warn(f"{self.cause}; still trying")

    def over(self) -> None:
        self._cause = self._since = None
        self._said = False

    @property
    def cause(self) -> str:
        """The address, and the cause of the failure."""
        return f"{self._address}: {self._cause or 'not all was answered in time'}"
