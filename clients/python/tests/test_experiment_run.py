"""Experiments from code, and the test helper that judges their comparison."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
import tempfile
import threading
import types
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Mapping
from unittest import TestCase, mock
from uuid import uuid4

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

    def test_go_on_after_exceptions_and_are_resumed_by_name(self) -> None:
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
        again = self.assay.run_experiment(dataset["id"], breaks, {"score": judge}, name="second")
        self.assertEqual((again.ran, again.skipped), (0, 4))
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

    def test_draw_a_line_on_a_terminal(self) -> None:
        screen = io.StringIO()
        with mock.patch("sys.stderr", screen), mock.patch.object(screen, "isatty", lambda: True):
            self.assay.run_experiment(self.dataset()["id"], answer, name="drawn")
        self.assertRegex(screen.getvalue(), r"\rdrawn \[#{24}\] 4/4\n$")


def compared(direction: str, interval: Any) -> Dict[str, Any]:
    against = {"num_rows": 9, "mean_difference": 0.1, "confidence_interval": interval}
    return {
        "experiments": [
            {"experiment_id": "a", "name": "old"},
            {"experiment_id": "b", "name": "new"},
        ],
        "metrics": [
            {
                "metric": "reward",
                "direction": direction,
                "experiments": [
                    {"experiment_id": "a", "against_baseline": None},
                    {"experiment_id": "b", "against_baseline": against},
                ],
            }
        ],
    }


class Bars(TestCase):
    def test_are_held_by_the_lower_end_in_the_direction_of_the_metric(self) -> None:
        interval = {"lower": -0.05, "upper": 0.25}
        expect_not_worse(compared("higher", interval), "reward", -0.05)
        with self.assertRaises(AssertionError) as failed:
            expect_not_worse(compared("higher", interval), "reward")
        self.assertEqual(
            str(failed.exception),
            "reward of 'new' (higher is better): better by 0.1 on average, 95 % interval -0.05 to "
            "0.25 over 9 rows; the lower end is below the bar of 0",
        )
        expect_not_worse(compared("lower", interval), "reward", -0.25)
        with self.assertRaisesRegex(AssertionError, "better by -0.1 .* interval -0.25 to 0.05"):
            expect_not_worse(compared("lower", interval), "reward", -0.2)

    def test_fail_without_interval_metric_or_experiment(self) -> None:
        with self.assertRaisesRegex(AssertionError, "no interval, 9 rows"):
            expect_not_worse(compared("higher", None), "reward")
        with self.assertRaisesRegex(AssertionError, "no metric 'other'; it has reward"):
            expect_not_worse(compared("higher", None), "other")
        with self.assertRaisesRegex(AssertionError, "no experiment c"):
            expect_not_worse(compared("higher", None), "reward", experiment_id="c")


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
