"""What the client raises. Everything the service refuses is a `Refused` of its own kind."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Type


class AssayError(Exception):
    """Whatever this client raises."""


class NotConfigured(AssayError):
    """A project or a credential is needed; none was given, or one that cannot be sent."""


class NoSuchProject(AssayError):
    """No project has the name that the client was made with, and only recording makes it."""


class ConnectionFailed(AssayError):
    """No answer came, in all tries. A write may have happened: ask again with the same key."""


class WaitTimedOut(AssayError, TimeoutError):
    """The work that was polled is not over yet; it goes on."""


class Complaint(NamedTuple):
    """One entry of a 422: where, what about it, and which rule (contract 1.4)."""

    loc: Tuple[str, ...]
    msg: str
    type: str


class Refused(AssayError):
    """The service answered with an error (contract 1.5).

    `status`, `code` ('' where the answer has none), `detail`, `request_id`, and `retry_after` in
    seconds where the service said so.
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
    """401: past its time."""


class Forbidden(Refused):
    """403: in sight, but not allowed; `detail` says which role it takes."""


class NotFound(Refused):
    """404: not there, or out of sight."""


class Conflict(Refused):
    """409: the state forbids it."""


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
    """503: the log cannot be written, the service sheds load, a question took too long."""


class ReadModelBehind(Unavailable):
    """503: what was asked for is not readable yet."""


class ReadModelFilling(ReadModelBehind):
    """503: a read model is filled from the log; `problem["progress"]` says how far it is."""


class LogDamaged(Unavailable):
    """503: waiting mends nothing; the operator has to."""


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
    """The exception for an answer that is none of 2xx; headers have names in lower case."""
    said = problem if isinstance(problem, dict) else {"detail": str(problem)}
    kind = by_code.get(str(said.get("code"))) or by_status.get(status)
    if kind is None:
        kind = ServiceFailed if status >= 500 else Refused
    return kind(status, said, headers)


def passes(refused: Refused) -> bool:
    """Whether the same request may be answered otherwise a little later."""
    if isinstance(refused, (LogDamaged, InProgress)):
        return isinstance(refused, InProgress)
    return refused.status in (408, 429, 502, 503, 504)


def cause_of(error: BaseException) -> str:
    """Why no answer came, in the system's words where it has some."""
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
