"""Recorded generators: the record lasts from the first step to the last."""

from __future__ import annotations

import functools
import inspect
from typing import Any, AsyncIterator, Callable, Iterator, List

#: Limit of yielded items that are kept as its output.
items_max = 10_000


class Gathered:
    """Output of a generator: texts joined, anything else a list."""

    def __init__(self) -> None:
        self._items: List[Any] = []

    def add(self, item: Any) -> None:
        if len(self._items) < items_max:
            self._items.append(item)

    def whole(self) -> Any:
        if self._items and all(isinstance(one, str) for one in self._items):
            return "".join(self._items)
        return self._items or None


def stream_of(function: Callable[..., Any], begin: Callable[..., Any]) -> Callable[..., Any]:
    """The generator function, recorded; records of its consumer are not nested in it."""
    made = async_steps if inspect.isasyncgenfunction(function) else steps
    return made(function, begin)


def steps(function: Callable[..., Any], begin: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Iterator[Any]:
        call, given = begin(function, args, kwargs), Gathered()
        generator = function(*args, **kwargs)
        step, sent = generator.send, None
        try:
            while True:
                call.enter()
                try:
                    item = step(sent)
                finally:
                    call.leave()
                given.add(item)
                try:
                    step, sent = generator.send, (yield item)
                except GeneratorExit:
                    raise
                except BaseException as thrown:
                    step, sent = generator.throw, thrown
        except StopIteration as stop:
            call.returned(given.whole())
            call.end()
            return stop.value
        except GeneratorExit:
            generator.close()
            call.returned(given.whole())
            call.end()
            raise
        except BaseException as error:
            call.returned(given.whole())
            call.end(error)
            raise

    return wrapped


def async_steps(function: Callable[..., Any], begin: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapped(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        call, given = begin(function, args, kwargs), Gathered()
        generator = function(*args, **kwargs)
        step, sent = generator.asend, None
        try:
            while True:
                call.enter()
                try:
                    item = await step(sent)
                finally:
                    call.leave()
                given.add(item)
                try:
                    step, sent = generator.asend, (yield item)
                except GeneratorExit:
                    raise
                except BaseException as thrown:
                    step, sent = generator.athrow, thrown
        except StopAsyncIteration:
            call.returned(given.whole())
            call.end()
        except GeneratorExit:
            await generator.aclose()
            call.returned(given.whole())
            call.end()
            raise
        except BaseException as error:
            call.returned(given.whole())
            call.end(error)
            raise

    return wrapped
