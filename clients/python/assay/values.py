"""Conversion of any value to the forms that the service accepts (contract 5.6)."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, timezone
from typing import Any, Dict, Iterable, List, Optional

#: Bounds of contract 1.11, in characters or items.
text_max, name_max, metadata_value_max, metadata_key_max = 1_048_576, 255, 4096, 256
metadata_max, tags_max, tag_max, metrics_max, metric_name_max = 200, 100, 255, 200, 128
external_id_max = 1024
roles = ("agent", "assistant", "developer", "function", "system", "tool", "user")
event_types = ("message", "reasoning", "internal_tool_call", "web_search_call")
event_types += ("image_generation", "mcp_call", "mcp_list_tools", "mcp_approval_request")
#: Allowed values of these members; others are dropped, as they would cost the whole trace.
legal = {
    "agent_type": ("react", "supervisor", "classifier", "planner", "judge", "reflection")
    + ("router", "default"),
    "check_stage": ("pre", "post"),
    "applies_to": ("tool_call", "llm_call"),
}
uuid_form = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
kinds = ("llm", "retriever", "tool", "workflow", "agent", "control")


def read(value: Any, name: str) -> Any:
    """A member of a mapping or an attribute of an object; None when it has none."""
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def plain(value: Any) -> Any:
    """Converts objects without a JSON form to ones that have it."""
    try:
        if isinstance(value, (datetime, date)):
            return value.isoformat()
        if isinstance(value, (set, frozenset)):
            return list(value)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return dump(mode="json")
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def text_of(value: Any) -> str:
    """A string is itself, anything else its JSON, else its `repr`."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bytes):
        text = value.decode("utf-8", "replace")
    else:
        known = isinstance(value, (Mapping, list, tuple, int, float)) or value is None
        said = value if known else plain(value)
        try:
            text = said if isinstance(said, str) else json_of(said)
        except Exception:
            text = str(plain(value))
    return text[:text_max]


def json_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=plain)


def is_message(value: Any) -> bool:
    return read(value, "role") in roles and not isinstance(value, str)


def message_of(value: Any) -> Dict[str, Any]:
    """A chat message; a text becomes a user's message."""
    if not is_message(value):
        return {"role": "user", "content": text_of(value)}
    content = read(value, "content")
    message: Dict[str, Any] = {"role": read(value, "role"), "content": content_of(content)}
    if read(value, "tool_call_id") is not None:
        message["tool_call_id"] = text_of(read(value, "tool_call_id"))
    calls = read(value, "tool_calls")
    if calls:
        message["tool_calls"] = [tool_call_of(one) for one in calls]
    return message


def content_of(content: Any) -> Any:
    """A text or a list of parts; an image or a sound is replaced by a placeholder."""
    if content is None:
        return ""
    if not isinstance(content, (list, tuple)):
        return text_of(content)
    return [{"type": "text", "text": part_text(one)} for one in content]


def part_text(part: Any) -> str:
    for name in ("text", "refusal", "input_text", "output_text"):
        said = read(part, name)
        if isinstance(said, str):
            return text_of(said)
    return part if isinstance(part, str) else f"[{read(part, 'type') or 'part'}]"


def tool_call_of(call: Any) -> Dict[str, Any]:
    function = read(call, "function") or call
    said = {"name": text_of(read(function, "name") or ""), "arguments": "{}"}
    if read(function, "arguments") is not None:
        said["arguments"] = text_of(read(function, "arguments"))
    return {"id": text_of(read(call, "id") or read(call, "call_id") or ""), "function": said}


def messages_of(value: Any) -> List[Dict[str, Any]]:
    if isinstance(value, (list, tuple)):
        return [message_of(one) for one in value]
    return [message_of(value)]


def document_of(value: Any) -> Dict[str, Any]:
    content = read(value, "content")
    if not isinstance(content, str):
        content = read(value, "page_content")
    if not isinstance(content, str):
        return {"content": text_of(value)}
    metadata = read(value, "metadata")
    if not isinstance(metadata, Mapping):
        return {"content": content[:text_max]}
    simple = {
        str(key): one if isinstance(one, (str, bool, int, float)) else text_of(one)
        for key, one in metadata.items()
        if one is not None and not (isinstance(one, float) and not math.isfinite(one))
    }
    return {"content": content[:text_max], "metadata": simple}


def input_of(kind: str, value: Any) -> Any:
    """The input of a record of that kind, or `trace`."""
    if value is None:
        return None
    if kind == "llm":
        return messages_of(value)
    chat = isinstance(value, (list, tuple)) and len(value) > 0 and all(map(is_message, value))
    if chat and kind in ("workflow", "agent", "control"):
        return messages_of(value)
    return text_of(value)


def output_of(kind: str, value: Any) -> Any:
    if value is None:
        return None
    if kind == "llm":
        return message_of(value) if is_message(value) else text_of(value)
    if kind == "retriever":
        listed = value if isinstance(value, (list, tuple)) else [value]
        return [document_of(one) for one in listed]
    if kind == "control":
        return dict(value) if isinstance(value, Mapping) else None
    if kind in ("workflow", "agent") and is_message(value):
        return message_of(value)
    return text_of(value)


def metadata_of(members: Any) -> Dict[str, str]:
    """Entries with a key; values as texts."""
    entries = members.items() if isinstance(members, Mapping) else ()
    kept = [
        (str(key)[:metadata_key_max], text_of(value)[:metadata_value_max])
        for key, value in entries
        if value is not None and str(key) != ""
    ]
    return dict(kept[:metadata_max])


def tags_of(tags: Optional[Iterable[Any]]) -> List[str]:
    if isinstance(tags, str):
        tags = [tags]
    return [str(one)[:tag_max] for one in tags or () if str(one) != ""][:tags_max]


def metrics_of(metrics: Any) -> Dict[str, Any]:
    """Finite numbers, booleans and texts."""
    kept: Dict[str, Any] = {}
    entries = list(metrics.items()) if isinstance(metrics, Mapping) else []
    for key, value in entries[:metrics_max]:
        name = str(key)[:metric_name_max]
        if isinstance(value, (bool, str)):
            kept[name] = value if isinstance(value, bool) else text_of(value)
        elif value is not None:
            number = number_of(value)
            if number is not None:
                kept[name] = number
    return kept


def number_of(value: Any) -> Any:
    if isinstance(value, int):
        return value if abs(value) < 2**1023 else None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def why_no_metric(value: Any) -> str:
    """Error of an invalid metric value, or of too many metrics."""
    if isinstance(value, (bool, str)) or number_of(value) is not None:
        return f"a record takes {metrics_max} metrics"
    said = text_of(value)[:80]
    if is_number(value):
        return f"{said} is not a finite number"
    return f"{said} is neither a number nor a boolean nor a text"


def is_number(value: Any) -> bool:
    """True for a number, including infinite, NaN or beyond the doubles."""
    try:
        float(value)
    except OverflowError:
        return True
    except Exception:
        return False
    return True


def objects_of(value: Any) -> List[Dict[str, Any]]:
    """A list of JSON objects; other items are dropped."""
    if not isinstance(value, (list, tuple)):
        return []
    whole = json.loads(json.dumps([*value], default=plain).replace("NaN", "null"))
    return [one for one in whole if isinstance(one, dict)]


def is_uuid(value: Any) -> bool:
    return uuid_form.fullmatch(str(value)) is not None


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")
