"""Values of evaluators: one type for each metric, and errors that are counted and said."""

from __future__ import annotations

import logging
from typing import Any, List, Mapping
from uuid import uuid4

from assay import Assay
from assay.testing import expect_not_worse

from .service import ServiceTest

csv = b"question,output\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n"


def answer(row: Mapping[str, Any]) -> str:
    return str(row["question"]).replace("q", "a")


def half(row: Mapping[str, Any]) -> str:
    """Right for two rows of four."""
    return answer(row) if answer(row) in ("a1", "a2") else "x"


def right(row: Mapping[str, Any], output: str) -> bool:
    return output == row["output"]


class Evaluators(ServiceTest):
    def setUp(self) -> None:
        # The type of a metric is that of its first value in the project.
        project = Assay().projects.create(name=str(uuid4()))["id"]
        self.assay = Assay(project=project)
        self.addCleanup(self.assay.close)
        made = self.assay.datasets.create(file=("rows.csv", csv), name=str(uuid4()))
        self.dataset = made["id"]

    def values(self, experiment_id: str, metric: str = "right") -> List[Any]:
        found = self.assay.traces.search(experiment_id=experiment_id).all()
        found.sort(key=lambda one: str(one["input"]))
        return [one["metrics"].get(metric) for one in found]

    def test_have_one_type_and_numbers_beside_booleans_are_booleans(self) -> None:
        self.assay.run_experiment(self.dataset, answer, [right], name="all")

        def mixed(row: Mapping[str, Any], output: str) -> Any:
            return True if output == row["output"] else 0.0

        run = self.assay.run_experiment(
            self.dataset, half, {"right": mixed}, name="half", baseline="all", concurrency=1
        )
        self.assertEqual((run.converted, run.evaluator_errors), ({"right": 2}, {}))
        self.assertEqual(self.values(run.experiment["id"]), [True, True, False, False])
        with self.assertRaisesRegex(AssertionError, "below the bar"):
            expect_not_worse(run, "right", at_least=-0.02)

        def rate(row: Mapping[str, Any], output: str) -> float:
            return 1 if output == row["output"] else 0.5

        with self.assertLogs("assay", logging.WARNING):
            rates = self.assay.run_experiment(
                self.dataset, half, {"right": rate}, name="rates"
            )
        self.assertEqual((rates.converted, rates.evaluator_errors), ({"right": 2}, {"right": 2}))
        self.assertEqual(
            rates.first_errors["right"],
            "0.5 is a number, and the first value of 'right' in the project was a boolean. Return "
            "a boolean, 0 or 1, or name the metric differently",
        )
        self.assertEqual(self.values(rates.experiment["id"]), [True, True, None, None])

    def test_have_one_type_and_booleans_beside_numbers_are_1_and_0(self) -> None:
        outcomes = {"a1": 0.5, "a2": True, "a3": False, "a4": "good"}
        with self.assertLogs("assay", logging.WARNING):
            run = self.assay.run_experiment(
                self.dataset,
                answer,
                {"score": lambda row, output: outcomes[output]},
                name="scores",
                concurrency=1,
            )
        self.assertEqual((run.converted, run.evaluator_errors), ({"score": 2}, {"score": 1}))
        self.assertEqual(self.values(run.experiment["id"], "score"), [0.5, 1, 0, None])

    def test_that_raise_or_return_nan_are_counted_and_said_once(self) -> None:
        def raises(row: Mapping[str, Any], output: str) -> bool:
            raise TypeError("not a row")

        def score(row: Mapping[str, Any], output: str) -> float:
            return 1 if output == "a1" else float("nan")

        evaluators = {"right": raises, "score": score, "odd": lambda row, output: {}}
        with self.assertLogs("assay", logging.WARNING) as said:
            run = self.assay.run_experiment(
                self.dataset, answer, evaluators, name="broken", concurrency=1
            )
        self.assertEqual(run.evaluator_errors, {"right": 4, "score": 3, "odd": 4})
        told = [record.getMessage() for record in said.records]
        begin = "assay: evaluator %r of experiment 'broken' gave no value for a row: "
        end = ". evaluator_errors counts such rows"
        self.assertEqual(
            told,
            [
                begin % "right" + "TypeError: not a row" + end,
                begin % "odd" + "{} is neither a number nor a boolean nor a text" + end,
                begin % "score" + "NaN is not a finite number" + end,
            ],
        )
        with self.assertLogs("assay", logging.WARNING):
            compared = self.assay.run_experiment(
                self.dataset, answer, {"right": raises}, name="whole", baseline="broken"
            )
        with self.assertRaisesRegex(
            AssertionError,
            "no metric 'right'; .*gave no value for 4 rows, first: TypeError: not a row",
        ):
            expect_not_worse(compared, "right")

    def test_of_a_candidate_that_raises_on_rows_fail_the_regression_test(self) -> None:
        self.assay.run_experiment(self.dataset, answer, [right], name="old")

        def crashes(row: Mapping[str, Any]) -> str:
            if half(row) == "x":
                raise ValueError("crash")
            return answer(row)

        run = self.assay.run_experiment(
            self.dataset, crashes, [right], name="new", baseline="old"
        )
        for compared in (run, run.comparison):
            with self.assertRaises(AssertionError) as failed:
                expect_not_worse(compared, "right", at_least=-0.02)  # type: ignore[arg-type]
            self.assertEqual(
                str(failed.exception),
                "right of 'new' (higher is better): 2 rows failed, and 2 of the 4 rows with a "
                "value in the baseline have none; missing_at_most is 0",
            )
        expect_not_worse(run, "right", at_least=-0.02, missing_at_most=2)
        with self.assertRaisesRegex(AssertionError, "2 rows failed, and 0 of the 4 rows"):
            expect_not_worse(run, "duration_ns", at_least=-1e12)
