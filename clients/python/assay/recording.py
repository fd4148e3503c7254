"""Recording of traces and spans around blocks and functions."""

from __future__ import annotations

import asyncio
import functools
import inspect
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Optional, Type, TypeVar, Union, cast

from .notices import warn
from .outbox import Outbox
from .record import Record
from .records import Span, Trace, of_trace
from .streams import stream_of

Function = TypeVar("Function", bound=Callable[..., Any])
#: Current record, per task or thread; asyncio hands it to new tasks.
current: "ContextVar[Optional[Record]]" = ContextVar("assay_current", default=None)
conversation: "ContextVar[Optional[str]]" = ContextVar("assay_session", default=None)


class Recorder:
    """Begins and ends records; its own errors are logged once and never raised."""

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox
        self._said = False

    def begin(self, kind: str, name: str, fields: Dict[str, Any]) -> Record:
        """A trace if none is current; else a span in the current record."""
        parent = current.get()
        if parent is not None and parent.trace.outbox is not self.outbox:
            parent = None
        try:
            return self._begun(parent, kind, name, fields)
        except Exception as error:
            self.failed(error)
            return self._begun(parent, kind, name, {})

    def _begun(
        self, parent: Optional[Record], kind: str, name: str, fields: Dict[str, Any]
    ) -> Record:
        mine = {key: one for key, one in fields.items() if one is not None}
        whole = {key: mine.pop(key) for key in of_trace if key in mine}
        if parent is not None:
            return Span(parent, "workflow" if kind == "trace" else kind, name, mine)
        if conversation.get() is not None:
            whole.setdefault("session_external_id", conversation.get())
        if kind == "trace":
            return Trace(self.outbox, name, {**mine, **whole})
        trace = Trace(self.outbox, name, {"input": mine.get("input"), **whole})
        span = Span(trace, kind, name, mine)
        span.alone = True
        return span

    def end(self, record: Record, error: Optional[BaseException] = None) -> None:
        try:
            if error is not None and not record.ended:
                left = isinstance(error, (asyncio.CancelledError, GeneratorExit))
                record.failed(error, 499 if left else 500)
            record.end()
        except Exception as trouble:
            self.failed(trouble)
            self.outbox.drop(1, 0, f"a record cannot be written: {trouble!r}")

    def failed(self, error: BaseException) -> None:
        if not self._said:
            self._said = True
            warn("recording failed; the program goes on", error)


class Recording:
    """Result of `trace` and `span`: a block, `with` or `async with`, or a decorator."""

    def __init__(self, recorder: Recorder, kind: str, name: Optional[str], fields: Any) -> None:
        self._recorder, self._kind, self._name = recorder, kind, name
        self._takes_input = fields.pop("capture_input", True)
        self._takes_output = fields.pop("capture_output", True)
        self._fields = fields
        self._entered: List[Any] = []

    def __enter__(self) -> Any:
        record = self._recorder.begin(self._kind, self._name or self._kind, {**self._fields})
        self._entered.append((record, current.set(record)))
        return record

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        record, token = self._entered.pop()
        leave(token)
        self._recorder.end(record, error)

    async def __aenter__(self) -> Any:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.__exit__(kind, error, trace)

    def __call__(self, function: Function) -> Function:
        """Decorates a function: each call is recorded with its arguments and its result."""
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            wrapped = stream_of(function, self._call)
        elif inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                with self._call(function, args, kwargs) as call:
                    return call.returned(await function(*args, **kwargs))

        else:

            @functools.wraps(function)
            def wrapped(*args: Any, **kwargs: Any) -> Any:
                with self._call(function, args, kwargs) as call:
                    return call.returned(function(*args, **kwargs))

        return cast(Function, wrapped)

    def _call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> "Call":
        fields = {**self._fields}
        if self._takes_input and "input" not in fields:
            fields["input"] = arguments(function, args, kwargs)
        name = self._name or getattr(function, "__name__", self._kind)
        record = self._recorder.begin(self._kind, name, fields)
        return Call(self._recorder, record, self._takes_output)


class Call:
    """One call of a recorded function: its record is current within `with`, and ends with it."""

    def __init__(self, recorder: Recorder, record: Record, takes_output: bool) -> None:
        self._recorder, self.record, self._takes_output = recorder, record, takes_output
        self._token: "Optional[Token[Optional[Record]]]" = None

    def returned(self, value: Any) -> Any:
        if self._takes_output and self.record.output is None:
            self.record.output = value
        return value

    def __enter__(self) -> "Call":
        self.enter()
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        self.leave()
        self.end(error)

    def enter(self) -> None:
        self._token = current.set(self.record)

    def leave(self) -> None:
        if self._token is not None:
            leave(self._token)

    def end(self, error: Optional[BaseException] = None) -> None:
        self._recorder.end(self.record, error)


def leave(token: "Token[Optional[Record]]") -> None:
    """Restores the previous record as current."""
    try:
        current.reset(token)
    except (ValueError, RuntimeError):
        # Entered in another context, as when the garbage collector closes a generator.
        pass


#: Cached: inspecting a signature takes longer than the rest of a record.
signature_of = functools.lru_cache(maxsize=1024)(inspect.signature)


def arguments(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Arguments by name, without `self`; a single one stands for itself."""
    try:
        bound = signature_of(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {"args": args, "kwargs": kwargs} if args or kwargs else None
    named = {key: one for key, one in bound.items() if key not in ("self", "cls")}
    if len(named) == 1:
        return next(iter(named.values()))
    return named or None


def carried(function: Function) -> Function:
    """The function for another thread: its records are nested in the current record here.

    `Thread(target=carried(work))`, `executor.submit(carried(work), ...)`.
    """
    record, session = current.get(), conversation.get()

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        token, other = current.set(record), conversation.set(session)
        try:
            return function(*args, **kwargs)
        finally:
            conversation.reset(other)
            leave(token)

    return cast(Function, wrapped)


@contextmanager
def session(external_id: str) -> Iterator[None]:
    """Traces that begin within belong to the session with this external id, created if missing."""
    token = conversation.set(external_id)
    try:
        yield
    finally:
        conversation.reset(token)


def begun_as(recorder: Recorder, kind: str, name: Union[None, str, Function], fields: Any) -> Any:
    """Handles `@trace`, `@trace(...)` and `with trace(...)` alike."""
    if callable(name):
        return Recording(recorder, kind, None, fields)(name)
    return Recording(recorder, kind, name, fields)
