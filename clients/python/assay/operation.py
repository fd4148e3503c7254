"""How one operation is asked: a value that the generated nouns are made of."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    """Method and path of an operation, and how its request and answer are written.

    `repeats` says why it may be sent again: `read`, `keyed` (an Idempotency-Key goes along),
    `again` (PUT and DELETE are so by themselves), `gone` (as `again`, and a 404 to a second try
    is what the first one did), `once` (it may not). `body`: json, form or
    urlencoded. `answer`: json, text, file or none. `rows` is the list of a page, `token` says
    where the next one begins. `stamped`: the body says which client sent it.
    """

    method: str
    path: str
    repeats: str
    body: str = "json"
    answer: str = "json"
    rows: str = ""
    token: str = ""
    stamped: bool = False
