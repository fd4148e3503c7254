"""Times in which nothing can be sent, and when the user hears of them."""

from __future__ import annotations

import time
from typing import Optional

from .notices import warn

#: Seconds: what is over sooner is not worth a word.
said_after = 3.0
#: Seconds between two warnings, for a service that comes and goes.
quiet = 60.0


class Outage:
    """From the first try that is not answered, or put off, to the next that is: one warning."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._cause: Optional[str] = None
        self._since: Optional[float] = None
        self._told: Optional[float] = None
        self._said = False

    def goes_on(self, cause: str, began: float, wait: float) -> None:
        """A try that began then has failed; the next one comes after `wait` seconds."""
        self._cause = cause
        if self._since is None:
            self._since = began
        self.waited(time.monotonic() + wait - self._since)

    def waited(self, seconds: float) -> None:
        """Somebody waits so long for it."""
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
        """The address, and why nothing can be sent to it."""
        return f"{self._address}: {self._cause or 'not all was answered in time'}"
