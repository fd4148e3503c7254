"""The test helper that judges the comparison of experiments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict
from unittest import TestCase

from assay.experiment_run import ExperimentRun
from assay.testing import expect_not_worse


def compared(direction: str, interval: Any, both: int = 9, failed: int = 0) -> Dict[str, Any]:
    against = {"num_rows": both, "mean_difference": 0.1, "confidence_interval": interval}
    return {
        "experiments": [
            {"experiment_id": "a", "name": "old"},
            {"experiment_id": "b", "name": "new", "failed_rows": failed},
        ],
        "metrics": [
            {
                "metric": "reward",
                "direction": direction,
                "experiments": [
                    {"experiment_id": "a", "num_rows": 9, "against_baseline": None},
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
        with self.assertRaisesRegex(AssertionError, "no interval over 9 rows"):
            expect_not_worse(compared("higher", None), "reward")
        with self.assertRaisesRegex(AssertionError, "no metric 'other'; it has reward"):
            expect_not_worse(compared("higher", None), "other")
        with self.assertRaisesRegex(AssertionError, "no experiment c"):
            expect_not_worse(compared("higher", None), "reward", experiment_id="c")

    def test_fail_when_rows_failed_or_lack_a_value_that_the_baseline_has(self) -> None:
        interval = {"lower": -0.05, "upper": 0.25}
        lacking = compared("higher", interval, both=8)
        with self.assertRaises(AssertionError) as said:
            expect_not_worse(lacking, "reward", -1)
        self.assertEqual(
            str(said.exception),
            "reward of 'new' (higher is better): 0 rows failed, and 1 of the 9 rows with a value "
            "in the baseline have none; missing_at_most is 0",
        )
        expect_not_worse(lacking, "reward", -1, missing_at_most=1)
        failing = compared("higher", interval, failed=2)
        with self.assertRaisesRegex(AssertionError, "2 rows failed, and 0 of the 9 rows"):
            expect_not_worse(failing, "reward", -1, missing_at_most=1)
        expect_not_worse(failing, "reward", -1, missing_at_most=2)
        with self.assertRaisesRegex(AssertionError, "2 rows failed.*; better by 0.1 on"):
            expect_not_worse(failing, "reward", 0.5)

    def test_say_which_errors_of_the_evaluator_leave_rows_without_a_value(self) -> None:
        run = ExperimentRun(
            experiment={"id": "b"},
            rows=9,
            ran=9,
            skipped=0,
            failed=0,
            evaluator_errors={"reward": 8},
            comparison=compared("higher", None, both=1),
            repeated=0,
            first_errors={"reward": "KeyError: 'odd'"},
            converted={},
        )
        with self.assertRaisesRegex(
            AssertionError,
            "no interval over 1 row with a value in both; it takes at least 2. Its evaluator gave "
            "no value for 8 rows, first: KeyError: 'odd'",
        ):
            expect_not_worse(run, "reward")
        with self.assertRaisesRegex(AssertionError, "has no comparison"):
            expect_not_worse(replace(run, comparison=None), "reward")
