"""The running service that ASSAY_URL and ASSAY_API_KEY name."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest import TestCase
from uuid import uuid4

from assay import Assay

package = Path(__file__).resolve().parent.parent
repository = package.parent.parent


class ServiceTest(TestCase):
    """Each class has a project of its own; each test a client that records into it."""

    project: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.project = Assay().projects.create(name=f"{cls.__name__} {uuid4()}")["id"]

    def setUp(self) -> None:
        self.assay = Assay(project=self.project)
        self.addCleanup(self.assay.close)

    def recorded(self, name: str) -> Dict[str, Any]:
        """The one trace of this name, with its tree, once all is sent."""
        self.assertTrue(self.assay.flush(30))
        named = {"type": "text", "name": "name", "operator": "eq", "value": name}
        [trace] = self.assay.traces.search(filters=[named])  # type: ignore[list-item]
        return self.assay.traces.get(trace["id"])  # type: ignore[return-value]


def outline(record: Dict[str, Any]) -> Any:
    """Names of a tree: `('trace', ['a', ('b', ['c'])])`."""
    spans = [outline(one) for one in record["spans"]]
    return (record["name"], spans) if spans else record["name"]


def program(source: str, *args: str, **env: str) -> "subprocess.Popen[str]":
    """A Python program of its own, with the client in its path."""
    return subprocess.Popen(
        [sys.executable, "-B", "-c", source, *args],
        env={**os.environ, "PYTHONPATH": str(package), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def eventually(true: Callable[[], bool], seconds: float = 30) -> bool:
    """True once it becomes true in time."""
    until, pause = time.monotonic() + seconds, threading.Event()
    while not true():
        if time.monotonic() > until:
            return False
        pause.wait(0.01)
    return True


def all_spans(record: Dict[str, Any]) -> List[Dict[str, Any]]:
    return [one for span in record["spans"] for one in [span, *all_spans(span)]]
