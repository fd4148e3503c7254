"""Calls of an OpenAI client as llm spans. Duck typing: the library is not imported."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, Optional, TypeVar

from .openai_streams import AsyncStream, ChatPieces, ResponsePieces, SyncStream
from .record import Record
from .recording import Recorder
from .values import event_types, plain, read, text_of, tool_call_of

Client = TypeVar("Client")
mark = "_assay_original"


class Interface:
    """Mapping of the requests and answers of one OpenAI interface."""

    name = "chat.completions"
    pieces: Callable[[], Any] = ChatPieces

    def asked(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        return {"input": given.get("messages")}

    def answered(self, answer: Any) -> Dict[str, Any]:
        choices = read(answer, "choices") or [None]
        return {
            "output": read(choices[0], "message"),
            "finish_reason": read(choices[0], "finish_reason"),
        }


class Responses(Interface):
    name = "responses"
    pieces = ResponsePieces

    def asked(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        asked = given.get("input")
        listed = asked if isinstance(asked, (list, tuple)) else [] if asked is None else [asked]
        messages = [item_message(one) for one in listed]
        if isinstance(given.get("instructions"), str):
            messages.insert(0, {"role": "system", "content": given["instructions"]})
        return {"input": messages}

    def answered(self, answer: Any) -> Dict[str, Any]:
        texts: List[str] = []
        calls, events = [], []
        for item in read(answer, "output") or []:
            kind = read(item, "type")
            if kind == "function_call":
                calls.append(tool_call_of(item))
            elif kind == "message":
                texts += [str(read(one, "text") or "") for one in read(item, "content") or []]
            elif kind in event_types:
                said = plain(item) if not isinstance(item, Mapping) else dict(item)
                events.append(said if isinstance(said, dict) else {"type": kind})
        message: Dict[str, Any] = {"role": "assistant", "content": "".join(texts)}
        if calls:
            message["tool_calls"] = calls
        why = read(read(answer, "incomplete_details"), "reason")
        finish = why if isinstance(why, str) else read(answer, "status")
        return {"output": message, "finish_reason": finish, "events": events}


def item_message(item: Any) -> Any:
    """An item of a response's input as a message."""
    kind = read(item, "type")
    if kind == "function_call_output":
        said = {"role": "tool", "content": text_of(read(item, "output"))}
        return {**said, "tool_call_id": text_of(read(item, "call_id"))}
    if kind == "function_call":
        return {"role": "assistant", "content": "", "tool_calls": [tool_call_of(item)]}
    return item


def usage_of(answer: Any) -> Dict[str, Any]:
    """Tokens under the names of contract 3.4; chat says prompt, responses say input."""
    usage = read(answer, "usage")
    read_in, read_out = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")
    named = {
        "num_input_tokens": (read_in, ""),
        "num_output_tokens": (read_out, ""),
        "num_total_tokens": (("total_tokens",), ""),
        "num_cached_input_tokens": (read_in, "cached_tokens"),
        "num_audio_input_tokens": (read_in, "audio_tokens"),
        "num_reasoning_tokens": (read_out, "reasoning_tokens"),
        "num_audio_output_tokens": (read_out, "audio_tokens"),
    }
    found = {}
    for metric, (names, part) in named.items():
        for name in names:
            count = read(read(usage, f"{name}_details"), part) if part else read(usage, name)
            if isinstance(count, int):
                found[metric] = count
    return found


class Call:
    """One call, from its request to the end of its answer."""

    def __init__(self, recorder: Recorder, interface: Interface, given: Mapping[str, Any]) -> None:
        self._recorder, self._interface = recorder, interface
        self._began = time.perf_counter_ns()
        self._stream = bool(given.get("stream"))
        name = interface.name
        self.record: Record = recorder.begin("llm", name, self._quietly(self._request, given) or {})

    def _request(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        members = {key: given.get(key) for key in ("model", "temperature", "tools")}
        model = members["model"]
        return {**members, "model": None if model is None else str(model), **self._asked(given)}

    def _asked(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        return self._interface.asked(given)

    def _quietly(self, step: Callable[..., Any], *args: Any) -> Any:
        try:
            return step(*args)
        except Exception as error:
            self._recorder.failed(error)
            return None

    def failed(self, error: BaseException) -> None:
        code = getattr(error, "status_code", None)
        if isinstance(code, int):
            self.record.status_code = code
        self._recorder.end(self.record, error)

    def came(self, answer: Any) -> Any:
        """Result for the program: the answer, or its stream with each piece observed."""
        if not self._stream:
            self._quietly(self._note, answer)
            self._recorder.end(self.record)
            return answer
        pieces = self._interface.pieces()
        kind = AsyncStream if hasattr(answer, "__aiter__") else SyncStream
        look = functools.partial(self._quietly, self._piece, pieces)
        return kind(answer, look, functools.partial(self._over, pieces))

    async def awaited(self, coming: Any) -> Any:
        try:
            answer = await coming
        except BaseException as error:
            self.failed(error)
            raise
        return self.came(answer)

    def _note(self, answer: Any) -> None:
        self.record.set(**self._interface.answered(answer))
        self.record.set(model=read(answer, "model"))
        self.record.metrics.update(usage_of(answer))

    def _piece(self, pieces: Any, piece: Any) -> None:
        if pieces.add(piece):
            first = time.perf_counter_ns() - self._began
            self.record.metrics.setdefault("time_to_first_token_ns", first)

    def _over(self, pieces: Any, error: Optional[BaseException]) -> None:
        if self.record.ended:
            return
        self._quietly(lambda: self._note(pieces.whole()))
        if error is not None:
            self.failed(error)
        else:
            self._recorder.end(self.record)


def wrap_openai(client: Client, recorder: Recorder) -> Client:
    """Records the client's calls from now on and returns the client; idempotent."""
    for interface in (Interface(), Responses()):
        resource: Any = client
        for name in interface.name.split("."):
            resource = getattr(resource, name, None)
        for method in ("create", "parse"):
            original = getattr(resource, method, None)
            if callable(original) and not hasattr(original, mark):
                try:
                    setattr(resource, method, recorded(original, recorder, interface))
                except Exception as error:
                    recorder.failed(error)
    return client


def recorded(
    original: Callable[..., Any], recorder: Recorder, interface: Interface
) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        one = Call(recorder, interface, kwargs)
        try:
            answer = original(*args, **kwargs)
        except BaseException as error:
            one.failed(error)
            raise
        return one.awaited(answer) if inspect.isawaitable(answer) else one.came(answer)

    setattr(call, mark, original)
    return call
