"""Streams of an OpenAI client: passed through, and assembled for the record."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from .values import read


class ChatPieces:
    """Chunks of a chat completion, assembled to the completion."""

    def __init__(self) -> None:
        self._texts: List[str] = []
        self._calls: Dict[int, Dict[str, str]] = {}
        self._role = "assistant"
        self._seen: Dict[str, Any] = {}

    def add(self, chunk: Any) -> bool:
        """Adds a piece; true if it has content of the answer."""
        for name in ("model", "usage"):
            if read(chunk, name) is not None:
                self._seen[name] = read(chunk, name)
        choices = read(chunk, "choices") or []
        if not choices or (read(choices[0], "index") or 0) != 0:
            return False
        delta = read(choices[0], "delta")
        if read(choices[0], "finish_reason") is not None:
            self._seen["finish_reason"] = read(choices[0], "finish_reason")
        self._role = read(delta, "role") or self._role
        text = read(delta, "content") or read(delta, "refusal")
        if isinstance(text, str):
            self._texts.append(text)
        calls = read(delta, "tool_calls") or []
        for part in calls:
            self._call(part)
        return bool(text or calls)

    def _call(self, part: Any) -> None:
        call = self._calls.setdefault(
            read(part, "index") or 0, {"id": "", "name": "", "arguments": ""}
        )
        call["id"] = read(part, "id") or call["id"]
        function = read(part, "function")
        call["name"] += read(function, "name") or ""
        call["arguments"] += read(function, "arguments") or ""

    def whole(self) -> Dict[str, Any]:
        message: Dict[str, Any] = {"role": self._role, "content": "".join(self._texts)}
        if self._calls:
            message["tool_calls"] = [
                {"id": one["id"], "function": {"name": one["name"], "arguments": one["arguments"]}}
                for _, one in sorted(self._calls.items())
            ]
        choice = {"message": message, "finish_reason": self._seen.get("finish_reason")}
        return {**self._seen, "choices": [choice]}


class ResponsePieces:
    """Events of a response; the last one contains it whole."""

    def __init__(self) -> None:
        self._texts: List[str] = []
        self._whole: Any = None

    def add(self, event: Any) -> bool:
        kind = read(event, "type")
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self._whole = read(event, "response")
        text = read(event, "delta")
        if kind == "response.output_text.delta" and isinstance(text, str):
            self._texts.append(text)
            return True
        return kind == "response.function_call_arguments.delta"

    def whole(self) -> Any:
        if self._whole is not None:
            return self._whole
        part = {"type": "output_text", "text": "".join(self._texts)}
        return {"output": [{"type": "message", "content": [part]}], "status": "incomplete"}


class _Stream:
    """Proxy of the stream that observes its pieces."""

    def __init__(
        self,
        stream: Any,
        look: Callable[[Any], object],
        over: Callable[[Optional[BaseException]], None],
    ) -> None:
        self._stream, self._look, self._over = stream, look, over
        self._steps: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __del__(self) -> None:
        try:
            self._over(None)
        except Exception:
            pass


class SyncStream(_Stream):
    def __iter__(self) -> "SyncStream":
        return self

    def __next__(self) -> Any:
        if self._steps is None:
            self._steps = iter(self._stream)
        try:
            piece = next(self._steps)
        except StopIteration:
            self._over(None)
            raise
        except BaseException as error:
            self._over(error)
            raise
        self._look(piece)
        return piece

    def __enter__(self) -> "SyncStream":
        self._stream.__enter__()
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> Any:
        self._over(error)
        return self._stream.__exit__(kind, error, trace)

    def close(self) -> Any:
        self._over(None)
        return self._stream.close()


class AsyncStream(_Stream):
    def __aiter__(self) -> "AsyncStream":
        return self

    async def __anext__(self) -> Any:
        if self._steps is None:
            self._steps = self._stream.__aiter__()
        try:
            piece = await self._steps.__anext__()
        except StopAsyncIteration:
            self._over(None)
            raise
        except BaseException as error:
            self._over(error)
            raise
        self._look(piece)
        return piece

    async def __aenter__(self) -> "AsyncStream":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> Any:
        self._over(error)
        return await self._stream.__aexit__(kind, error, trace)

    async def close(self) -> Any:
        self._over(None)
        return await self._stream.close()
