"""Fails a test when an experiment is worse than its baseline."""

from __future__ import annotations

from typing import Any, Mapping, Optional


def expect_not_worse(
    comparison: Mapping[str, Any],
    metric: str,
    at_least: float = 0.0,
    *,
    experiment_id: Optional[str] = None,
) -> None:
    """AssertionError unless the 95 % interval of the mean difference is at or above `at_least`.

    `comparison` is the answer of `experiments.compare` (contract 5.5). The interval is taken in
    the metric's direction: of one where lower is better a difference counts with its sign turned.
    `at_least` is 0 by default; -0.02 lets the metric be 0.02 worse. Without `experiment_id` each
    experiment beside the baseline is tested. No interval (fewer than two rows) fails.
    """
    __tracebackhide__ = True
    found = next((one for one in comparison["metrics"] if one["metric"] == metric), None)
    if found is None:
        there = ", ".join(one["metric"] for one in comparison["metrics"]) or "none"
        raise AssertionError(f"The comparison has no metric {metric!r}; it has {there}")
    names = {one["experiment_id"]: one["name"] for one in comparison["experiments"]}
    others = [
        one
        for one in found["experiments"][1:]
        if experiment_id is None or one["experiment_id"] == experiment_id
    ]
    if not others:
        raise AssertionError(f"The comparison has no experiment {experiment_id} to test")
    said = [_complaint(found, names, one, at_least) for one in others]
    complaints = [one for one in said if one is not None]
    if complaints:
        raise AssertionError("\n".join(complaints))


def _complaint(
    metric: Mapping[str, Any], names: Mapping[str, str], one: Mapping[str, Any], bar: float
) -> Optional[str]:
    against = one["against_baseline"]
    interval = against["confidence_interval"]
    name = names[one["experiment_id"]]
    where = f"{metric['metric']} of {name!r} ({metric['direction']} is better)"
    if interval is None:
        rows = against["num_rows"]
        return f"{where}: no interval, {rows} rows have a value in both; it takes at least 2"
    lower, upper, mean = interval["lower"], interval["upper"], against["mean_difference"]
    if metric["direction"] == "lower":
        lower, upper, mean = -upper, -lower, -mean
    if lower >= bar:
        return None
    return (
        f"{where}: better by {mean:.4g} on average, 95 % interval {lower:.4g} to {upper:.4g} "
        f"over {against['num_rows']} rows; the lower end is below the bar of {bar:.4g}"
    )
