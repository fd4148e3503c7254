"""Experiments from code, and the test helper that judges their comparison."""

from __future__ import annotations

import importlib
import io
import logging
import subprocess
import sys
import tempfile
import threading
import types
import warnings
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Mapping
from unittest import TestCase, mock
from uuid import uuid4

from assay.errors import AssayError
from assay.experiment_run import Progress
from assay.testing import expect_not_worse

from .service import ServiceTest, package

csv = b"question,output\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n"


def answer(row: Mapping[str, Any]) -> str:
    return str(row["question"]).replace("q", "a")


def right(row: Mapping[str, Any], output: str) -> bool:
    return output == row["output"]


class Runs(ServiceTest):
    def dataset(self) -> Dict[str, Any]:
        name = f"rows {uuid4()}"
        made = self.assay.datasets.create(file=("rows.csv", csv), name=name)
        return dict(made)

    def traces(self, experiment_id: str) -> List[Dict[str, Any]]:
        found = self.assay.traces.search(experiment_id=experiment_id).all()
        return sorted((dict(one) for one in found), key=lambda one: str(one["input"]))

    def test_record_a_trace_for_each_row_with_its_reference_and_metrics(self) -> None:
        dataset = self.dataset()
        run = self.assay.run_experiment(dataset["name"], answer, [right], name="first")
        self.assertEqual((run.rows, run.ran, run.skipped, run.failed), (4, 4, 0, 0))
        self.assertEqual(run.experiment["dataset"]["dataset_id"], dataset["id"])
        rows = self.assay.datasets.get_content(dataset["id"]).all()
        traces = self.traces(run.experiment["id"])
        self.assertEqual(
            [one["user_metadata"]["dataset_row_id"] for one in traces],
            [row["row_id"] for row in rows],
        )
        self.assertEqual([one["output"] for one in traces], ["a1", "a2", "a3", "a4"])
        self.assertEqual([one["dataset_output"] for one in traces], ["a1", "a2", "a3", "a4"])
        self.assertEqual([one["dataset_input"] for one in traces], ["q1", "q2", "q3", "q4"])
        self.assertEqual([one["metrics"]["right"] for one in traces], [True] * 4)

    def test_go_on_after_exceptions_of_the_task_and_of_evaluators(self) -> None:
        dataset = self.dataset()

        def breaks(row: Mapping[str, Any]) -> str:
            if row["question"] == "q2":
                raise ValueError("no such question")
            return answer(row)

        def judge(row: Mapping[str, Any], output: str) -> float:
            if output == "a3":
                raise KeyError("odd")
            return 0.5

        calls: List[Progress] = []
        with self.assertLogs("assay", logging.WARNING):
            run = self.assay.run_experiment(
                dataset["id"], breaks, {"score": judge}, name="second", progress=calls.append
            )
        self.assertEqual((run.ran, run.failed, run.evaluator_errors), (4, 1, {"score": 1}))
        self.assertEqual((calls[0], calls[-1]), (Progress(0, 4, 0), Progress(4, 4, 1)))
        [_, second, third, _] = self.traces(run.experiment["id"])
        self.assertEqual(second["status_code"], 500)
        said = second["user_metadata"]["error.message"]
        self.assertEqual(said, "ValueError: no such question")
        self.assertIn("odd", third["user_metadata"]["evaluator_error.score"])
        with self.assertRaisesRegex(ValueError, "another dataset or version"):
            self.assay.run_experiment(self.dataset()["id"], answer, name="second")

    def test_run_only_the_rows_that_lack_a_trace_in_bounded_threads(self) -> None:
        dataset = self.dataset()
        busy, most, lock = 0, 0, threading.Lock()

        def stops(row: Mapping[str, Any]) -> str:
            nonlocal busy, most
            with lock:
                busy += 1
                most = max(most, busy)
            if row["question"] == "q3":
                raise KeyboardInterrupt
            with lock:
                busy -= 1
            return answer(row)

        with self.assertRaises(KeyboardInterrupt):
            self.assay.run_experiment(dataset["id"], stops, name="third", concurrency=1)
        self.assertEqual(most, 1)
        run = self.assay.run_experiment(dataset["id"], answer, [right], name="third")
        self.assertEqual(run.ran + run.skipped, 4)
        self.assertGreaterEqual(run.skipped, 2)
        self.assertEqual(run.repeated, 1)
        self.assertEqual(
            [(one["output"], one["status_code"]) for one in self.traces(run.experiment["id"])],
            [(f"a{at}", 200) for at in range(1, 5)],
        )

    def test_are_compared_with_a_baseline(self) -> None:
        dataset = self.dataset()
        self.assay.run_experiment(dataset["id"], lambda row: "x", [right], name="bad")
        run = self.assay.run_experiment(
            dataset["id"], answer, [right], name="good", baseline="bad", metrics=["right"]
        )
        comparison: Any = run.comparison
        expect_not_worse(comparison, "right", 1)
        with self.assertRaisesRegex(AssertionError, r"right of 'good'.* below the bar of 1.5"):
            expect_not_worse(comparison, "right", 1.5)

    def test_look_for_the_baseline_before_the_first_row(self) -> None:
        dataset = self.dataset()
        asked: List[Any] = []
        self.assay.run_experiment(dataset["id"], answer, [right], name="own")
        for baseline, said in (
            ("bda", "no experiment of the name 'bda'"),
            (str(uuid4()), "Experiment not found"),
            ("own", "'own' is its own baseline"),
        ):
            name = "own" if baseline == "own" else "late"
            with self.assertRaisesRegex((ValueError, AssayError), said):
                self.assay.run_experiment(
                    dataset["id"], asked.append, name=name, baseline=baseline
                )
        self.assertEqual(asked, [])
        names = [one["name"] for one in self.assay.experiments.list()]
        self.assertNotIn("late", names)

    def test_draw_a_line_on_a_terminal(self) -> None:
        screen = io.StringIO()
        with warnings.catch_warnings():
            # Sockets of earlier tests may be collected meanwhile, which Python says on stderr.
            warnings.simplefilter("ignore", ResourceWarning)
            terminal = mock.patch.object(screen, "isatty", lambda: True)
            with mock.patch("sys.stderr", screen), terminal:
                self.assay.run_experiment(self.dataset()["id"], answer, name="drawn")
        self.assertRegex(screen.getvalue(), r"\rdrawn \[#{24}\] 4/4\n$")


class PlugIn(TestCase):
    def test_is_named_by_the_package_and_has_the_helper_as_a_fixture(self) -> None:
        said = (package / "pyproject.toml").read_text("utf-8")
        self.assertIn('[project.entry-points.pytest11]\nassay = "assay.pytest_plugin"', said)
        build = "import sys, wheel_backend; wheel_backend.build_wheel(sys.argv[1])"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [sys.executable, "-B", "-c", build, folder],
                cwd=package,
                check=True,
            )
            [wheel] = Path(folder).iterdir()
            with zipfile.ZipFile(wheel) as files:
                [points] = [one for one in files.namelist() if one.endswith("entry_points.txt")]
                self.assertEqual(files.read(points), b"[pytest11]\nassay = assay.pytest_plugin\n")
        # A stand-in for pytest, which need not be there.
        pytest = types.ModuleType("pytest")
        setattr(pytest, "fixture", lambda scope: lambda function: function)
        with mock.patch.dict(sys.modules, {"pytest": pytest}):
            plug_in = importlib.import_module("assay.pytest_plugin")
        self.assertIs(plug_in.expect_not_worse(), expect_not_worse)
