"""Where a client reads and writes when a call does not say it."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional

from .connections import Request
from .errors import AlreadyExists, NotConfigured
from .forms import json_bytes, query_string
from .transport import Transport
from .values import is_uuid

Found = List[Dict[str, Any]]


class Place:
    """A project and, in it, a run, each by name or id; looked up at the first need of it.

    Names that do not exist are made: of the project, of the log stream, never of an experiment.
    Without a project it is the only one in sight. `once` sends each request one time only, for a
    caller that tries again itself.
    """

    def __init__(
        self,
        transport: Transport,
        project: Optional[str],
        log_stream: Optional[str],
        experiment_id: Optional[str],
    ) -> None:
        self._transport = transport
        self._project, self._log_stream = project, log_stream
        self._experiment_id = experiment_id
        self._lock = threading.Lock()
        self._ids: Dict[str, str] = {}

    def after_fork(self) -> None:
        """Another thread of the parent may have held the lock."""
        self._lock = threading.Lock()

    def project_id(self, once: bool = False) -> str:
        if self._project is not None and is_uuid(self._project):
            return self._project
        with self._lock:
            if "project" not in self._ids:
                self._ids["project"] = self._find_project(once)
            return self._ids["project"]

    def run(self, once: bool = False) -> Dict[str, str]:
        """The member that names the run in a request; none is the log stream `default`."""
        if self._experiment_id is not None:
            return {"experiment_id": self._experiment_id}
        if self._log_stream is None:
            return {}
        if is_uuid(self._log_stream):
            return {"log_stream_id": self._log_stream}
        project_id = self.project_id(once)
        with self._lock:
            if "log_stream" not in self._ids:
                path = f"/v2/projects/{project_id}/log_streams"
                found = self._named(path, self._log_stream, lambda: self._get(path, once), once)
                self._ids["log_stream"] = found
        return {"log_stream_id": self._ids["log_stream"]}

    def _find_project(self, once: bool) -> str:
        if self._project is not None:
            query = query_string({"project_name": self._project})
            look = lambda: self._get(f"/v2/projects{query}", once)  # noqa: E731
            return self._named("/v2/projects", self._project, look, once)
        in_sight = self._get("/v2/projects", once)
        if len(in_sight) != 1:
            raise NotConfigured(
                "Say which project: Assay(project='...') or the environment's ASSAY_PROJECT"
            )
        return str(in_sight[0]["id"])

    def _named(self, path: str, name: str, look: Callable[[], Found], once: bool) -> str:
        """The id of what has this name; made when nothing has, by whoever comes first."""
        for _ in range(2):
            for one in look():
                if one["name"] == name.strip():
                    return str(one["id"])
            try:
                return str(self._send("POST", path, {"name": name}, once)["id"])
            except AlreadyExists:
                continue
        raise NotConfigured(f"{name!r} is taken and cannot be seen with this key")

    def _get(self, path: str, once: bool) -> Found:
        listed: Found = self._send("GET", path, None, once)
        return listed

    def _send(self, method: str, path: str, body: Any, once: bool) -> Any:
        headers = {} if body is None else {"Content-Type": "application/json"}
        payload = None if body is None else json_bytes(body)
        request = Request(method, path, headers, payload)
        # A name is taken by one: to make it again is a 409 that the look-up mends.
        repeats = "read" if body is None else "again"
        send = self._transport.once if once else self._transport.send
        return send(request, repeats, "json")
