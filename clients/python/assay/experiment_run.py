"""Runs a task over the rows of a dataset and records each run as a trace of an experiment."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional
from typing import Sequence, Union

from .errors import AssayError
from .values import is_uuid, text_of

if TYPE_CHECKING:
    from .client import Assay

Row = Mapping[str, Any]
#: Takes the cells of a row by column; its result is the output of the trace.
Task = Callable[[Row], Any]
#: Takes the row and the output; its result is the value of a metric, None for no value.
Evaluator = Callable[[Row, Any], Any]
Evaluators = Union[Mapping[str, Evaluator], Sequence[Evaluator]]


@dataclass(frozen=True)
class Progress:
    """Rows of a run: `total` of the dataset version, `done` of these, `failed` in this run."""

    done: int
    total: int
    failed: int


@dataclass(frozen=True)
class ExperimentRun:
    """What a run did. `skipped` rows had a trace before; `failed` ones have one with status 500."""

    experiment: Dict[str, Any]
    rows: int
    ran: int
    skipped: int
    failed: int
    #: By metric, how many calls of its evaluator raised.
    evaluator_errors: Dict[str, int]
    #: With `baseline`: how the experiment compares with it (contract 5.5).
    comparison: Optional[Dict[str, Any]]


class Runner:
    """One run; the counts are guarded by a lock, since rows run in threads."""

    def __init__(self, assay: "Assay", task: Task, evaluators: Evaluators) -> None:
        self._assay, self._task = assay, task
        self._evaluators = named_evaluators(evaluators)
        self._lock = threading.Lock()
        self.ran = self.failed = 0
        self.evaluator_errors: Dict[str, int] = {}

    def run(self, row: Dict[str, Any], experiment_id: str, name: str, roles: "Roles") -> None:
        """Never raises what the task or an evaluator raised."""
        cells = row["values_dict"]
        fields: Dict[str, Any] = {
            "input": roles.input(cells),
            "dataset_input": roles.input(cells),
            "dataset_output": roles.reference(cells),
            "user_metadata": {"dataset_row_id": row["row_id"]},
            "experiment_id": experiment_id,
        }
        failed = False
        with self._assay.trace(name, **fields) as trace:
            began = time.perf_counter_ns()
            try:
                output = settled(self._task(cells))
            except Exception as error:
                trace.failed(error)
                failed = True
            # Evaluators take no part in the duration.
            trace.metrics["duration_ns"] = time.perf_counter_ns() - began
            if not failed:
                trace.output = output
                trace.metrics.update(self._evaluated(cells, output, trace))
        with self._lock:
            self.ran += 1
            self.failed += failed

    def _evaluated(self, cells: Row, output: Any, trace: Any) -> Dict[str, Any]:
        values: Dict[str, Any] = {}
        for name, evaluator in self._evaluators.items():
            try:
                value = settled(evaluator(cells, output))
            except Exception as error:
                trace.user_metadata[f"evaluator_error.{name}"] = f"{type(error).__name__}: {error}"
                with self._lock:
                    self.evaluator_errors[name] = self.evaluator_errors.get(name, 0) + 1
                continue
            if value is not None:
                values[name] = value
        return values


def run_experiment(
    assay: "Assay",
    dataset: str,
    task: Task,
    evaluators: Evaluators,
    *,
    name: str,
    version_index: Optional[int],
    concurrency: int,
    progress: Union[None, bool, Callable[[Progress], object]],
    baseline: Optional[str],
    metrics: Optional[Sequence[str]],
) -> ExperimentRun:
    if concurrency < 1:
        raise ValueError("concurrency is at least 1")
    found = dataset_of(assay, dataset)
    experiment = experiment_of(assay, name, found, version_index)
    wanted: Any = experiment["dataset"]
    rows: List[Any] = list(
        assay.datasets.get_version_content(
            found["id"], version_index=wanted["version_index"], limit=1000
        )
    )
    present = rows_present(assay, experiment["id"])
    missing = [row for row in rows if row["row_id"] not in present]
    skipped = len(rows) - len(missing)
    runner = Runner(assay, task, evaluators)
    tell = teller(progress, name)
    roles = Roles(found)
    tell(Progress(skipped, len(rows), 0))
    left: Iterator[Any] = iter(missing)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                row = next(left, None)
            if row is None:
                return
            runner.run(row, experiment["id"], name, roles)
            with lock:
                tell(Progress(skipped + runner.ran, len(rows), runner.failed))

    with ThreadPoolExecutor(min(concurrency, max(len(missing), 1))) as pool:
        try:
            for one in [pool.submit(work) for _ in range(min(concurrency, len(missing)))]:
                one.result()
        except BaseException:
            # Rows that wait are not begun; those that run end and are recorded.
            with lock:
                left = iter(())
            raise
    if not assay.flush(60):
        raise AssayError(
            f"Not all traces of experiment {name!r} were recorded. Run it again under this name: "
            "rows with a trace are skipped"
        )
    comparison: Any = None
    if baseline is not None:
        ids = [id_of_experiment(assay, baseline), experiment["id"]]
        comparison = assay.experiments.compare(experiment_ids=ids, metrics=metrics)
    return ExperimentRun(
        experiment=dict(assay.experiments.get(experiment["id"])),
        rows=len(rows),
        ran=runner.ran,
        skipped=skipped,
        failed=runner.failed,
        evaluator_errors=runner.evaluator_errors,
        comparison=comparison,
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


def named_evaluators(evaluators: Evaluators) -> Dict[str, Evaluator]:
    """By metric; of a list the names of the functions, each once."""
    if isinstance(evaluators, Mapping):
        return dict(evaluators)
    named = {getattr(one, "__name__", type(one).__name__): one for one in evaluators}
    if len(named) < len(evaluators):
        raise ValueError("Two evaluators have the same name: give them as a mapping by metric")
    return named


def dataset_of(assay: "Assay", dataset: str) -> Dict[str, Any]:
    if is_uuid(dataset):
        return dict(assay.datasets.get(dataset))
    named: Any = {"name": "name", "operator": "eq", "value": dataset}
    found = assay.datasets.query(filters=[named]).one()
    if found is None:
        raise ValueError(f"This key sees no dataset of the name {dataset!r}")
    return dict(found)


def experiment_named(assay: "Assay", name: str) -> Optional[Dict[str, Any]]:
    named: Any = {"name": "name", "operator": "eq", "value": name}
    found = assay.experiments.search(filters=[named]).one()
    return None if found is None else dict(found)


def id_of_experiment(assay: "Assay", experiment: str) -> str:
    if is_uuid(experiment):
        return experiment
    found = experiment_named(assay, experiment)
    if found is None:
        raise ValueError(f"The project has no experiment of the name {experiment!r}")
    return str(found["id"])


def experiment_of(
    assay: "Assay", name: str, dataset: Mapping[str, Any], version_index: Optional[int]
) -> Dict[str, Any]:
    """The experiment of that name, to resume it, else a new one on the version of the dataset."""
    found = experiment_named(assay, name)
    if found is None:
        version = version_index or dataset["current_version_index"]
        reference: Any = {"dataset_id": dataset["id"], "version_index": version}
        return dict(assay.experiments.create(name=name, dataset=reference))
    has = found["dataset"] or {}
    same = has.get("dataset_id") == dataset["id"]
    if not same or version_index not in (None, has.get("version_index")):
        raise ValueError(
            f"Experiment {name!r} runs on another dataset or version: choose another name"
        )
    return found


def rows_present(assay: "Assay", experiment_id: str) -> "set[str]":
    found = assay.traces.search(experiment_id=experiment_id, truncate_fields=True, limit=1000)
    return {one["user_metadata"].get("dataset_row_id", "") for one in found}


def settled(value: Any) -> Any:
    """The result of a coroutine function, else the value."""
    return asyncio.run(awaited(value)) if inspect.isawaitable(value) else value


async def awaited(value: Any) -> Any:
    return await value


def teller(
    progress: Union[None, bool, Callable[[Progress], object]], name: str
) -> Callable[[Progress], object]:
    if callable(progress):
        return progress
    if progress or (progress is None and sys.stderr.isatty()):
        return lambda now: bar(name, now)
    return lambda _: None


def bar(name: str, now: Progress, width: int = 24) -> None:
    """One line on stderr, written over itself until all is done."""
    filled = width * now.done // max(now.total, 1)
    line = f"{name} [{'#' * filled}{'.' * (width - filled)}] {now.done}/{now.total}"
    failed = f", {now.failed} failed" if now.failed else ""
    sys.stderr.write(f"\r{line}{failed}" + ("\n" if now.done == now.total else ""))
    sys.stderr.flush()
