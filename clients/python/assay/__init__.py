"""The Python client of Assay.

`Assay()` has every operation by noun and records traces. For programs with one client there are
`trace`, `span`, `session`, `wrap_openai` and `flush` right here: they use a default client that is
created from ASSAY_URL, ASSAY_API_KEY and ASSAY_PROJECT on first use.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, ContextManager, Optional, TypeVar, Union, overload

from .client import Assay
from .errors import (
    AlreadyExists,
    AssayError,
    Complaint,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InProgress,
    Invalid,
    LogDamaged,
    MalformedRequest,
    NoSuchProject,
    NotConfigured,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    ReadModelBehind,
    ReadModelFilling,
    Refused,
    ServiceFailed,
    TokenExpired,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UnsupportedMediaType,
    WaitTimedOut,
)
from .downloads import Download
from .experiment_run import ExperimentRun, Progress
from .notices import warn
from .outbox import Counts
from .pages import Pages
from .recording import Recording, carried
from .records import Span, Trace
from .version import version as __version__

__all__ = [
    "AlreadyExists",
    "Assay",
    "AssayError",
    "Complaint",
    "Conflict",
    "ConnectionFailed",
    "Counts",
    "Download",
    "ExperimentRun",
    "Forbidden",
    "InProgress",
    "Invalid",
    "LogDamaged",
    "MalformedRequest",
    "NoSuchProject",
    "NotConfigured",
    "NotFound",
    "Pages",
    "PayloadTooLarge",
    "PreconditionFailed",
    "Progress",
    "ReadModelBehind",
    "ReadModelFilling",
    "Recording",
    "Refused",
    "ServiceFailed",
    "Span",
    "TokenExpired",
    "TooManyRequests",
    "Trace",
    "Unauthenticated",
    "Unavailable",
    "UnsupportedMediaType",
    "WaitTimedOut",
    "__version__",
    "carried",
    "default",
    "flush",
    "session",
    "span",
    "trace",
    "wrap_openai",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Client = TypeVar("Client")
_lock = threading.Lock()
_default: Optional[Assay] = None


def default() -> Assay:
    """The client of this module's functions; missing settings never stop a program that only
    records.
    """
    global _default
    with _lock:
        if _default is None:
            try:
                _default = Assay()
            except NotConfigured as error:
                warn(f"{error}. Nothing can be recorded")
                _default = Assay(api_key="")
        return _default


@overload
def trace(name: Function) -> Function: ...


@overload
def trace(name: Optional[str] = None, **fields: Any) -> Recording: ...


def trace(name: Union[None, str, Function] = None, **fields: Any) -> Any:
    """`Assay.trace` of the default client."""
    return default().trace(name, **fields)  # type: ignore[arg-type]


@overload
def span(name: Function) -> Function: ...


@overload
def span(name: Optional[str] = None, *, type: str = "workflow", **fields: Any) -> Recording: ...


def span(name: Union[None, str, Function] = None, *, type: str = "workflow", **fields: Any) -> Any:
    """`Assay.span` of the default client."""
    return default().span(name, type=type, **fields)  # type: ignore[call-overload]


def session(external_id: str) -> ContextManager[None]:
    """`Assay.session` of the default client."""
    return default().session(external_id)


def wrap_openai(client: Client) -> Client:
    """`Assay.wrap_openai` of the default client."""
    return default().wrap_openai(client)


def flush(timeout: Optional[float] = 30.0) -> bool:
    """`Assay.flush` of the default client."""
    return default().flush(timeout)
