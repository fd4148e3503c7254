"""Fails a test when an experiment is worse than its baseline."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Union

from .experiment_run import ExperimentRun

Comparison = Mapping[str, Any]


def expect_not_worse(
    compared: Union[ExperimentRun, Comparison],
    metric: str,
    at_least: float = 0.0,
    *,
    experiment_id: Optional[str] = None,
    missing_at_most: int = 0,
) -> None:
    """AssertionError unless the experiment ran whole and is at most as much worse as `at_least`.

    Whole: at most `missing_at_most` rows failed, and at most so many rows with a value in the
    baseline have none. Not worse: the 95 % interval of the mean difference is at or above
    `at_least`, in the metric's direction: where lower is better a difference counts with its sign
    turned. `at_least` is 0 by default; -0.02 lets the metric be 0.02 worse. No interval (fewer than
    two rows) fails.

    `compared` is what `run_experiment` returned, or the answer of `experiments.compare` (contract
    5.5). Without `experiment_id` each experiment beside the baseline is tested.
    """
    __tracebackhide__ = True
    run = compared if isinstance(compared, ExperimentRun) else None
    comparison: Any = compared if run is None else run.comparison
    if comparison is None:
        raise AssertionError("The run has no comparison: give run_experiment a baseline")
    why = _why(run, metric)
    found = next((one for one in comparison["metrics"] if one["metric"] == metric), None)
    if found is None:
        there = ", ".join(one["metric"] for one in comparison["metrics"]) or "none"
        raise AssertionError(f"The comparison has no metric {metric!r}; it has {there}{why}")
    facts = {one["experiment_id"]: one for one in comparison["experiments"]}
    baseline, *others = found["experiments"]
    others = [one for one in others if experiment_id in (None, one["experiment_id"])]
    if not others:
        raise AssertionError(f"The comparison has no experiment {experiment_id} to test")
    complaints: List[str] = []
    for one in others:
        fact = facts[one["experiment_id"]]
        where = f"{metric} of {fact['name']!r} ({found['direction']} is better)"
        own = run is None or run.experiment["id"] == one["experiment_id"]
        said = [
            _missing(fact.get("failed_rows", 0), baseline["num_rows"], one, missing_at_most),
            _worse(found["direction"], one["against_baseline"], at_least),
        ]
        said = [text for text in said if text is not None]
        complaints += [f"{where}: {'; '.join(said)}{why if own else ''}"] if said else []
    if complaints:
        raise AssertionError("\n".join(complaints))


def _missing(failed: int, of_baseline: int, one: Mapping[str, Any], most: int) -> Optional[str]:
    missing = of_baseline - one["against_baseline"]["num_rows"]
    if max(failed, missing) <= most:
        return None
    return (
        f"{_rows(failed)} failed, and {missing} of the {_rows(of_baseline)} with a value in the "
        f"baseline have none; missing_at_most is {most}"
    )


def _worse(direction: str, against: Mapping[str, Any], bar: float) -> Optional[str]:
    interval = against["confidence_interval"]
    rows = _rows(against["num_rows"])
    if interval is None:
        return f"no interval over {rows} with a value in both; it takes at least 2"
    lower, upper, mean = interval["lower"], interval["upper"], against["mean_difference"]
    if direction == "lower":
        lower, upper, mean = -upper, -lower, -mean
    if lower >= bar:
        return None
    return (
        f"better by {mean:.4g} on average, 95 % interval {lower:.4g} to {upper:.4g} "
        f"over {rows}; the lower end is below the bar of {bar:.4g}"
    )


def _why(run: Optional[ExperimentRun], metric: str) -> str:
    """Evaluator errors that explain rows without a value of the metric."""
    errors = 0 if run is None else run.evaluator_errors.get(metric, 0)
    if run is None or errors == 0:
        return ""
    return f". Its evaluator gave no value for {_rows(errors)}, first: {run.first_errors[metric]}"


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"
