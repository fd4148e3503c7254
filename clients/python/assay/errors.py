"""Exceptions of the client. Each refusal of the service is a subclass of `Refused`."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Type


class AssayError(Exception):
    """Base class of this client's exceptions."""


class NotConfigured(AssayError):
    """A required project or credential is missing, or cannot be sent."""


class NoSuchProject(AssayError):
    """The client's default project does not exist; only recording creates it."""


class ConnectionFailed(AssayError):
    """All tries failed without an answer. A write may have happened: repeat it with the same key.
    """


class WaitTimedOut(AssayError, TimeoutError):
    """The polled work exceeded the time limit; it continues."""


class Complaint(NamedTuple):
    """One entry of a 422: location, message and rule (contract 1.4)."""

    loc: Tuple[str, ...]
    msg: str
    type: str


class Refused(AssayError):
    """The service answered with an error (contract 1.5).

    `status`, `code` ('' if the answer has none), `detail`, `request_id`, and `retry_after` in
    seconds if given.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))
        self.detail = text_of_detail(problem.get("detail", ""))
        self.request_id = headers.get("x-request-id", "")
        after = headers.get("retry-after", "")
        self.retry_after: Optional[float] = float(after) if after.isdigit() else None
        super().__init__(f"{status} {self.code}: {self.detail} (request {self.request_id})")


class MalformedRequest(Refused):
    """400"""


class Unauthenticated(Refused):
    """401: no credential, or not a valid one."""


class TokenExpired(Unauthenticated):
    """401: the token has expired."""


class Forbidden(Refused):
    """403: visible, but not allowed; `detail` names the required role."""


class NotFound(Refused):
    """404: missing, or not visible."""


class Conflict(Refused):
    """409: the current state forbids it."""


class AlreadyExists(Conflict):
    """409: the name or id is taken."""


class InProgress(Conflict):
    """409: the first request with this key is still running."""


class PreconditionFailed(Refused):
    """412: `if_match` does not match."""


class PayloadTooLarge(Refused):
    """413"""


class UnsupportedMediaType(Refused):
    """415"""


class Invalid(Refused):
    """422: `complaints` says what is wrong and where."""

    def __init__(self, status: int, problem: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(status, problem, headers)
        self.complaints = complaints_of(problem.get("detail"))


class TooManyRequests(Refused):
    """429"""


class ServiceFailed(Refused):
    """500: a defect of the service."""


class Unavailable(Refused):
    """503: the log is not writable, the service sheds load, or a request timed out."""


class ReadModelBehind(Unavailable):
    """503: the read model lags behind the required position."""


class ReadModelFilling(ReadModelBehind):
    """503: a read model is being filled from the log; `problem["progress"]` has its progress."""


class LogDamaged(Unavailable):
    """503: permanent, until the operator repairs the log."""


by_code: Dict[str, Type[Refused]] = {
    "token_expired": TokenExpired,
    "already_exists": AlreadyExists,
    "idempotency_in_progress": InProgress,
    "read_model_behind": ReadModelBehind,
    "read_model_filling": ReadModelFilling,
    "log_damaged": LogDamaged,
}
by_status: Dict[int, Type[Refused]] = {
    400: MalformedRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: PreconditionFailed,
    413: PayloadTooLarge,
    415: UnsupportedMediaType,
    422: Invalid,
    429: TooManyRequests,
    500: ServiceFailed,
    503: Unavailable,
}


def refusal(status: int, problem: Any, headers: Mapping[str, str]) -> Refused:
    """The exception for an answer other than 2xx; header names are in lower case."""
    said = problem if isinstance(problem, dict) else {"detail": str(problem)}
    kind = by_code.get(str(said.get("code"))) or by_status.get(status)
    if kind is None:
        kind = ServiceFailed if status >= 500 else Refused
    return kind(status, said, headers)


def passes(refused: Refused) -> bool:
    """True for a transient error, after which the same request may succeed."""
    if isinstance(refused, (LogDamaged, InProgress)):
        return isinstance(refused, InProgress)
    return refused.status in (408, 429, 502, 503, 504)


def cause_of(error: BaseException) -> str:
    """Cause of a failed connection, in the system's words if it has some."""
    said = getattr(error, "strerror", None)
    if isinstance(said, str):
        return said[:1].lower() + said[1:]
    return f"{type(error).__name__}: {error}"


def complaints_of(detail: Any) -> List[Complaint]:
    listed = detail if isinstance(detail, list) else []
    return [Complaint(tuple(one["loc"]), one["msg"], one["type"]) for one in listed]


def text_of_detail(detail: Any) -> str:
    listed = complaints_of(detail)
    if not listed:
        return str(detail)
    return "; ".join(f"{'/'.join(one.loc)}: {one.msg}" for one in listed)
