"""Rows of an experiment: the remaining ones, and one run of each."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence
from typing import Tuple

from .errors import Forbidden
from .evaluation import Evaluators, MetricTypes, NoMetricValue, Row, named_evaluators, settled
from .notices import warn
from .values import text_of

if TYPE_CHECKING:
    from .client import Assay

#: Takes the cells of a row by column; its result is the output of the trace.
Task = Callable[[Row], Any]
row_key = "dataset_row_id"
#: Metadata prefix before the name of an evaluator that gave no value.
error_key = "evaluator_error."
#: The least status code of a trace whose row counts as failed (contract 5.5).
failed_from = 400
#: Batch size of deletions; a filter takes 1,000 (contract 1.11).
deleted_at_once = 500


class Runner:
    """Runs single rows; the counts are guarded by a lock, since rows run in threads."""

    def __init__(
        self, assay: "Assay", name: str, task: Task, evaluators: Evaluators, roles: "Roles"
    ) -> None:
        self._assay, self._name, self._task, self._roles = assay, name, task, roles
        self._evaluators = named_evaluators(evaluators)
        self._types = MetricTypes(metric_types(assay) if self._evaluators else {})
        self._lock = threading.Lock()
        self.ran = self.failed = 0
        self.evaluator_errors: Dict[str, int] = {}
        self.first_errors: Dict[str, str] = {}

    @property
    def converted(self) -> Dict[str, int]:
        return self._types.converted

    def run(self, row: Mapping[str, Any], experiment_id: str) -> None:
        """Runs a row; never raises errors of the task or an evaluator."""
        cells = row["values_dict"]
        fields: Dict[str, Any] = {
            "input": self._roles.input(cells),
            "dataset_input": self._roles.input(cells),
            "dataset_output": self._roles.reference(cells),
            "user_metadata": {row_key: row["row_id"]},
            "experiment_id": experiment_id,
        }
        failed = False
        with self._assay.trace(self._name, **fields) as trace:
            began = time.perf_counter_ns()
            try:
                output = settled(self._task(cells))
            except Exception as error:
                trace.failed(error)
                failed = True
            # The duration excludes evaluators.
            trace.metrics["duration_ns"] = time.perf_counter_ns() - began
            if not failed:
                trace.output = output
                trace.metrics.update(self._evaluated(cells, output, trace))
        with self._lock:
            self.ran += 1
            self.failed += failed

    def _evaluated(self, cells: Row, output: Any, trace: Any) -> Dict[str, Any]:
        values: Dict[str, Any] = {}
        for metric, evaluator in self._evaluators.items():
            try:
                value = settled(evaluator(cells, output))
                if value is not None:
                    values[metric] = self._types.value_of(metric, value)
            except Exception as error:
                trace.user_metadata[f"{error_key}{metric}"] = self._no_value(metric, error)
        return values

    def _no_value(self, metric: str, error: Exception) -> str:
        """Counts the error; the first one of an evaluator is a warning."""
        own = isinstance(error, NoMetricValue)
        said = str(error) if own else f"{type(error).__name__}: {error}"
        with self._lock:
            self.evaluator_errors[metric] = self.evaluator_errors.get(metric, 0) + 1
            first = self.first_errors.setdefault(metric, said) is said
        if first:
            warn(
                f"evaluator {metric!r} of experiment {self._name!r} gave no value for a row: "
                f"{said}. evaluator_errors counts such rows",
                None if own else error,
            )
        return said


def metric_types(assay: "Assay") -> Dict[str, str]:
    """Type of each metric of the project: `number`, `boolean` or `text`."""
    columns: Any = assay.traces.available_columns()["columns"]
    of_metrics = (one for one in columns if one["category"] == "metric")
    return {one["id"].partition("/")[2]: one["filter_type"] for one in of_metrics}


class Recorded:
    """The traces that an experiment has on the rows of its dataset."""

    def __init__(self, assay: "Assay", experiment_id: str) -> None:
        self._assay, self._experiment_id = assay, experiment_id
        search = assay.traces.search(experiment_id=experiment_id, truncate_fields=True, limit=1000)
        #: Rows with a trace that is complete, did not fail, and has no evaluator error.
        self.finished: "set[str]" = set()
        #: Rows with another trace.
        self.unfinished: "set[str]" = set()
        #: Row and id of those other traces.
        self._stale: List[Tuple[str, str]] = []
        for trace in search:
            row = trace["user_metadata"].get(row_key)
            if row is None:
                continue
            if is_finished(trace):
                self.finished.add(row)
            else:
                self.unfinished.add(row)
                self._stale.append((row, trace["id"]))

    def delete_stale(self, rows: "set[str]") -> None:
        """Deletes the unfinished traces of these rows, each of which has another trace now.

        Without the right to delete they stay, with a warning.
        """
        ids = [trace for row, trace in self._stale if row in rows]
        for start in range(0, len(ids), deleted_at_once):
            some: Any = ids[start : start + deleted_at_once]
            leaf: Any = {"type": "id", "name": "id", "operator": "one_of", "value": some}
            try:
                self._assay.traces.delete(experiment_id=self._experiment_id, filters=[leaf])
            except Forbidden:
                warn(
                    f"unfinished traces ({len(ids)}) of rows that ran again stay in the experiment "
                    "and count in its means: deleting them takes the role owner in the project"
                )
                return


def is_finished(trace: Mapping[str, Any]) -> bool:
    return (
        trace["is_complete"]
        and (trace["status_code"] or 0) < failed_from
        and not any(key.startswith(error_key) for key in trace["user_metadata"])
    )


class Roles:
    """Input and reference of a row: by the dataset's mapping, else the columns of these names."""

    def __init__(self, dataset: Mapping[str, Any]) -> None:
        mapping = dataset.get("column_mapping") or {}
        names: List[str] = list(dataset["column_names"])
        first = ["input"] if "input" in names else names[:1]
        self._input = self._columns(mapping, "input") or first
        last = ["output"] if "output" in names else []
        self._reference = self._columns(mapping, "output") or last

    @staticmethod
    def _columns(mapping: Mapping[str, Any], role: str) -> List[str]:
        return list((mapping.get(role) or {}).get("columns") or [])

    def input(self, cells: Row) -> Optional[str]:
        return joined(cells, self._input)

    def reference(self, cells: Row) -> Optional[str]:
        return joined(cells, self._reference)


def joined(cells: Row, columns: Sequence[str]) -> Optional[str]:
    """The text of one column, or several as one JSON object; None without a value."""
    values = {column: cells.get(column) for column in columns}
    if all(value is None for value in values.values()):
        return None
    return text_of(next(iter(values.values()))) if len(values) == 1 else json.dumps(values)
