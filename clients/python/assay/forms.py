"""Bodies of requests: JSON, forms with files, urlencoded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any, Dict, List, Mapping, Tuple, Union
from urllib.parse import urlencode
from uuid import uuid4

#: A file to upload: its bytes, its path, its name and bytes, or an open file, which is read from
#: its current position to its end. A text file is sent as UTF-8.
FileContent = Union[bytes, "os.PathLike[str]", Tuple[str, bytes], IO[bytes], IO[str]]


def encoded(kind: str, body: Any) -> Tuple[str, bytes]:
    """Content type and bytes; the same bytes are sent with every try of a request."""
    if kind == "form":
        return form(body)
    if kind == "urlencoded":
        return "application/x-www-form-urlencoded", urlencode(body).encode()
    return "application/json", json_bytes(body)


def json_bytes(value: Any) -> bytes:
    """UTF-8 JSON; unpaired surrogates, which UTF-8 cannot encode, become `?`. NaN is a ValueError.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def form(members: Mapping[str, Any]) -> Tuple[str, bytes]:
    """multipart/form-data; lists and objects as JSON text."""
    boundary = f"assay-{uuid4().hex}"
    parts: List[bytes] = []
    for name, value in members.items():
        disposition = f'form-data; name="{name}"'
        if is_file(value):
            file, content = file_of(value)
            disposition += f'; filename="{quoted(file)}"'
        else:
            content = text_of(value).encode()
        head = f"--{boundary}\r\nContent-Disposition: {disposition}\r\n\r\n"
        parts.append(head.encode() + content + b"\r\n")
    parts.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)


def is_file(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray, os.PathLike, tuple)) or hasattr(value, "read")


def file_of(value: Any) -> Tuple[str, bytes]:
    if isinstance(value, tuple):
        return value[0], value[1]
    if isinstance(value, os.PathLike):
        path = Path(value)
        return path.name, path.read_bytes()
    if hasattr(value, "read"):
        content = value.read()
        name = getattr(value, "name", None)
        return (
            os.path.basename(name) if isinstance(name, str) else "file",
            content.encode("utf-8") if isinstance(content, str) else bytes(content),
        )
    return "file", bytes(value)


def quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def query_string(members: Mapping[str, Any]) -> str:
    """With a leading `?`, '' if empty; a list repeats its parameter."""
    pairs: List[Tuple[str, str]] = []
    for name, value in members.items():
        listed = value if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, text_of(one)) for one in listed if one is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def given(members: Mapping[str, Any]) -> Dict[str, Any]:
    """Drops None values: absence and null mean the same to the service (contract 1.2)."""
    return {name: value for name, value in members.items() if value is not None}
