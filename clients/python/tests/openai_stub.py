"""A stub of the OpenAI client: the shapes of the real one, answers from the test."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, AsyncIterator, Dict, Iterator, List


def made(value: Any) -> Any:
    """Objects with attributes, as the real client answers."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: made(one) for key, one in value.items()})
    return [made(one) for one in value] if isinstance(value, list) else value


class Stream:
    def __init__(self, pieces: List[Any], error: Any = None) -> None:
        self._steps = self._run(pieces, error)
        self.response = "of the real one"
        self.closed = False

    def _run(self, pieces: List[Any], error: Any) -> Iterator[Any]:
        yield from pieces
        if error is not None:
            raise error

    def __iter__(self) -> Iterator[Any]:
        return self._steps

    def __next__(self) -> Any:
        return next(self._steps)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        self.closed = True


class AsyncStream:
    def __init__(self, pieces: List[Any]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[Any]:
        for one in self._pieces:
            yield one

    async def __aenter__(self) -> "AsyncStream":
        return self

    async def __aexit__(self, *error: Any) -> None:
        pass


class Resource:
    def __init__(self, answers: List[Any], later: bool) -> None:
        self.answers, self.later = answers, later
        self.asked: List[Dict[str, Any]] = []

    def create(self, **given: Any) -> Any:
        self.asked.append(given)
        answer = self.answers.pop(0)
        # Like the real one: not a coroutine function, but its result is awaited.
        return self._coming(answer) if self.later else self._came(answer)

    async def _coming(self, answer: Any) -> Any:
        return self._came(answer)

    def _came(self, answer: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer


class OpenAI:
    def __init__(self, *answers: Any, later: bool = False) -> None:
        queue = list(answers)
        self.chat = SimpleNamespace(completions=Resource(queue, later))
        self.responses = Resource(queue, later)


def completion(text: str, **more: Any) -> Any:
    message = {"role": "assistant", "content": text, "tool_calls": None, **more}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return made({"model": "model-a-2026", "choices": [choice], "usage": usage})


def chunk(finish: Any = None, **delta: Any) -> Any:
    said = {"role": None, "content": None, "tool_calls": None, **delta}
    choice = {"index": 0, "delta": said, "finish_reason": finish}
    return made({"model": "model-a-2026", "choices": [choice], "usage": None})


def tool_part(index: int, arguments: str, name: Any = None, id: Any = None) -> Dict[str, Any]:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
