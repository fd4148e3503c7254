"""Downloads: answers that are files, streamed."""

from __future__ import annotations

import json
import os
from http.client import HTTPException, HTTPResponse
from types import TracebackType
from typing import Any, Callable, Iterator, Optional, Type, Union

from .errors import ConnectionFailed


_CUT_LINE_START = b'{"ended_early":{'


class Download:
    """A streamed file. Iterating a JSON Lines file yields its objects, any other its lines.

    A truncated transfer raises `ConnectionFailed`: a file that ended without an error is complete
    (contract 5.7). It can be read once; reading it to its end, or leaving a `with` block, returns
    the connection to the pool.
    """

    def __init__(self, answer: HTTPResponse, done: Callable[[bool], None]) -> None:
        self._answer, self._done = answer, done
        self.content_type = answer.headers.get("content-type", "").split(";")[0]

    def __iter__(self) -> Iterator[Any]:
        if self.content_type != "application/x-ndjson":
            return self.lines()
        return (json.loads(line) for line in self.lines())

    def lines(self) -> Iterator[str]:
        rest = b""
        # Yielded as a row unless the transfer is cut.
        held: Optional[bytes] = None
        try:
            for piece in self.pieces():
                *whole, rest = (rest + piece).split(b"\n")
                for line in whole:
                    if held is not None:
                        yield held.decode("utf-8")
                    held = line if self._may_say_why(line) else None
                    if held is None:
                        yield line.decode("utf-8")
        except ConnectionFailed as error:
            if held is None:
                raise
            why = json.loads(held)["ended_early"].get("detail", "no reason")
            raise ConnectionFailed(f"The file ends early: {why}") from error
        if held is not None:
            yield held.decode("utf-8")
        if rest:
            yield rest.decode("utf-8")

    def _may_say_why(self, line: bytes) -> bool:
        """True if the line begins like the last one of a truncated file; a row may too."""
        return self.content_type == "application/x-ndjson" and line.startswith(_CUT_LINE_START)

    def pieces(self) -> Iterator[bytes]:
        """Bytes in chunks of at most 64 KiB."""
        whole = False
        try:
            while True:
                piece = self._answer.read1(65536)
                if not piece:
                    break
                yield piece
            if self._answer.length:
                raise ConnectionFailed("The transfer of the file broke off")
            whole = True
        except (OSError, HTTPException) as error:
            raise ConnectionFailed(f"The transfer of the file broke off: {error!r}") from error
        finally:
            self._done(whole)

    def read(self) -> bytes:
        return b"".join(self.pieces())

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Saves atomically: the file has its name only once it is complete."""
        partial = f"{os.fspath(path)}.partial"
        with open(partial, "wb") as file:
            for piece in self.pieces():
                file.write(piece)
        os.replace(partial, path)

    def close(self) -> None:
        self._done(False)

    def __enter__(self) -> "Download":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
