"""Paged listings."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, TypeVar

Item = TypeVar("Item")
Page = Dict[str, Any]


class Pages(Generic[Item]):
    """All items of a listing, requested lazily page by page during iteration.

    Each `for` begins anew. `pages()` has whole answers, `first()` the first one, `one()` the first
    item or None. The total order of a listing is fixed, so pages of unchanged data neither overlap
    nor skip (contract 1.10).
    """

    def __init__(self, ask: Callable[[Optional[Any]], Page], rows: str, token: str) -> None:
        self._ask, self._rows, self._token = ask, rows, token

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page[self._rows]

    def pages(self) -> Iterator[Page]:
        start: Optional[Any] = None
        while True:
            page = self._ask(start)
            yield page
            start = page.get(f"next_{self._token}")
            if start is None:
                return

    def first(self) -> Page:
        return self._ask(None)

    def one(self) -> Optional[Item]:
        rows: List[Item] = self.first()[self._rows]
        return rows[0] if rows else None

    def all(self) -> List[Item]:
        return list(self)
