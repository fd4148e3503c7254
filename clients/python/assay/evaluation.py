"""Results of evaluators, as values of one type for each metric."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any, Callable, Dict, Mapping, Sequence, Union

from .values import metric_name_max, number_of, why_no_metric

Row = Mapping[str, Any]
#: Takes the row and the output; its result is the value of a metric, None for no value.
Evaluator = Callable[[Row, Any], Any]
Evaluators = Union[Mapping[str, Evaluator], Sequence[Evaluator]]


class NoMetricValue(ValueError):
    """An evaluator returned a value that its metric cannot have."""


class MetricTypes:
    """The type of each metric: that of the project, else that of the first value seen here.

    The service gives a metric of a project the type of its first value; values of another type are
    in no filter, aggregate or comparison (contract 3.4), so none is sent. `known` are the types of
    the project by metric: `number`, `boolean` or `text`. Thread-safe.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self._types = dict(known)
        self._lock = threading.Lock()
        #: Number of converted values, by metric.
        self.converted: Dict[str, int] = {}

    def value_of(self, metric: str, value: Any) -> Any:
        """The value in the metric's type: a boolean as 1 or 0, and 0 and 1 as a boolean.

        NoMetricValue for other values, and for numbers that are not finite.
        """
        kind, plain = typed(value)
        with self._lock:
            wanted = self._types.setdefault(metric[:metric_name_max], kind)
            if kind == wanted:
                return plain
            if wanted == "number" and kind == "boolean":
                converted: Any = int(plain)
            elif wanted == "boolean" and kind == "number" and plain in (0, 1):
                converted = plain == 1
            else:
                form = ", 0 or 1" if wanted == "boolean" else ""
                raise NoMetricValue(
                    f"{plain!r:.80} is a {kind}, and the first value of {metric!r} in the project "
                    f"was a {wanted}. Return a {wanted}{form}, or name the metric differently"
                )
            self.converted[metric] = self.converted.get(metric, 0) + 1
        return converted


def typed(value: Any) -> "tuple[str, Any]":
    """`number`, `boolean` or `text`, and the value as JSON has it."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, str):
        return "text", value
    number = number_of(value)
    if number is not None:
        return "number", number
    raise NoMetricValue(why_no_metric(value))


def named_evaluators(evaluators: Evaluators) -> Dict[str, Evaluator]:
    """Evaluators by metric; those of a list under the names of the functions, each once."""
    if isinstance(evaluators, Mapping):
        return dict(evaluators)
    named = {getattr(one, "__name__", type(one).__name__): one for one in evaluators}
    if len(named) < len(evaluators):
        raise ValueError("Two evaluators have the same name: give them as a mapping by metric")
    return named


def settled(value: Any) -> Any:
    """The result of a coroutine function, else the value."""
    return asyncio.run(awaited(value)) if inspect.isawaitable(value) else value


async def awaited(value: Any) -> Any:
    return await value
