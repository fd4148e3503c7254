"""Default project and run of a client."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional

from .connections import Request
from .errors import AlreadyExists, NoSuchProject, NotConfigured
from .forms import json_bytes, query_string
from .notices import warn
from .transport import Transport
from .values import is_uuid

Found = List[Dict[str, Any]]
#: Limit of existing names in the error for a missing one.
told_max = 10


class Place:
    """A project and, in it, a run, each by name or id; resolved lazily.

    Recording creates a missing project or log stream, with a warning, but never an experiment.
    Other calls get `NoSuchProject`. The default is the only visible project. `once` sends each
    request without retries, for a caller that retries itself.
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

    def project_id(self, make: bool = False, once: bool = False) -> str:
        if self._project is not None and is_uuid(self._project):
            return self._project
        with self._lock:
            if "project" not in self._ids:
                self._ids["project"] = self._find_project(make, once)
            return self._ids["project"]

    def run(self, once: bool = False) -> Dict[str, str]:
        """The member that selects the run in a request; without one the log stream `default`."""
        if self._experiment_id is not None:
            return {"experiment_id": self._experiment_id}
        if self._log_stream is None:
            return {}
        if is_uuid(self._log_stream):
            return {"log_stream_id": self._log_stream}
        project_id = self.project_id(True, once)
        with self._lock:
            if "log_stream" not in self._ids:
                path, name = f"/v2/projects/{project_id}/log_streams", self._log_stream.strip()
                look = lambda: id_in(self._get(path, once), name)  # noqa: E731
                self._ids["log_stream"] = look() or self._made("log stream", path, name, look, once)
        return {"log_stream_id": self._ids["log_stream"]}

    def _find_project(self, make: bool, once: bool) -> str:
        if self._project is not None:
            name = self._project.strip()
            path = f"/v2/projects{query_string({'project_name': name})}"
            look = lambda: id_in(self._get(path, once), name)  # noqa: E731
            found = look()
            if found is None and not make:
                raise self._no_such(name, once)
            return found or self._made("project", "/v2/projects", name, look, once)
        in_sight = self._get("/v2/projects", once)
        if len(in_sight) != 1:
            raise NotConfigured(
                "Say which project: Assay(project='...') or the environment's ASSAY_PROJECT"
            )
        return str(in_sight[0]["id"])

    def _no_such(self, name: str, once: bool) -> NoSuchProject:
        there = [str(one["name"]) for one in self._get("/v2/projects", once)]
        others = f" There are: {', '.join(there)}." if 0 < len(there) <= told_max else ""
        return NoSuchProject(
            f"Project {name!r} does not exist.{others} Recording makes it, or projects.create()"
        )

    def _made(
        self, kind: str, path: str, name: str, look: Callable[[], Optional[str]], once: bool
    ) -> str:
        """The id of a new one of this name, or of one that was created concurrently."""
        try:
            made = str(self._send("POST", path, {"name": name}, once)["id"])
        except AlreadyExists:
            found = look()
            if found is None:
                raise NotConfigured(f"{name!r} is taken and cannot be seen with this key") from None
            return found
        warn(f"made {kind} {name}")
        return made

    def _get(self, path: str, once: bool) -> Found:
        listed: Found = self._send("GET", path, None, once)
        return listed

    def _send(self, method: str, path: str, body: Any, once: bool) -> Any:
        headers = {} if body is None else {"Content-Type": "application/json"}
        payload = None if body is None else json_bytes(body)
        request = Request(method, path, headers, payload)
        # Names are unique: a concurrent creation is a 409 that the next look-up resolves.
        repeats = "read" if body is None else "again"
        send = self._transport.once if once else self._transport.send
        return send(request, repeats, "json")


def id_in(listed: Found, name: str) -> Optional[str]:
    return next((str(one["id"]) for one in listed if one["name"] == name), None)
