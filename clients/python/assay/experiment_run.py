"""Runs a task over the rows of a dataset and records each run as a trace of an experiment."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional
from typing import Sequence, Union

from .errors import AssayError
from .evaluation import Evaluators
from .experiment_rows import Recorded, Roles, Runner, Task
from .values import is_uuid

if TYPE_CHECKING:
    from .client import Assay


@dataclass(frozen=True)
class Progress:
    """Rows of a run: `total` of the dataset version, `done` of these, `failed` in this run."""

    done: int
    total: int
    failed: int


@dataclass(frozen=True)
class ExperimentRun:
    """Result of a run: of `rows` of the dataset version `ran` and `skipped` ones.

    `skipped` rows had a finished trace: complete, not failed, without an evaluator error. The
    traces of `failed` rows have the status 500.
    """

    experiment: Dict[str, Any]
    rows: int
    ran: int
    skipped: int
    failed: int
    #: Rows by metric whose evaluator raised or returned a value that the metric cannot have.
    evaluator_errors: Dict[str, int]
    #: With `baseline`: the comparison with it (contract 5.5).
    comparison: Optional[Dict[str, Any]]
    #: Rows among those that ran that had an unfinished trace, which is deleted.
    repeated: int
    #: First error of each metric's evaluator.
    first_errors: Dict[str, str]
    #: Number of values converted to the metric's type, by metric: booleans to 1 and 0, or back.
    converted: Dict[str, int]


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
    baseline_id = None if baseline is None else id_of_experiment(assay, baseline)
    found = dataset_of(assay, dataset)
    runner = Runner(assay, name, task, evaluators, Roles(found))
    experiment = experiment_of(assay, name, found, version_index)
    if baseline_id == experiment["id"]:
        raise ValueError(f"Experiment {name!r} is its own baseline: name another one")
    wanted: Any = experiment["dataset"]
    rows: List[Any] = list(
        assay.datasets.get_version_content(
            found["id"], version_index=wanted["version_index"], limit=1000
        )
    )
    recorded = Recorded(assay, experiment["id"])
    missing = [row for row in rows if row["row_id"] not in recorded.finished]
    skipped = len(rows) - len(missing)
    tell = teller(progress, name)
    tell(Progress(skipped, len(rows), 0))
    run_all(
        missing,
        concurrency,
        lambda row: runner.run(row, experiment["id"]),
        lambda: tell(Progress(skipped + runner.ran, len(rows), runner.failed)),
    )
    if not assay.flush(60):
        raise AssayError(
            f"Not all traces of experiment {name!r} were recorded. Run it again under this name: "
            "rows that are finished are skipped"
        )
    recorded.delete_stale({row["row_id"] for row in rows})
    comparison: Any = None
    if baseline_id is not None:
        ids = [baseline_id, experiment["id"]]
        comparison = assay.experiments.compare(experiment_ids=ids, metrics=metrics)
    return ExperimentRun(
        experiment=dict(assay.experiments.get(experiment["id"])),
        rows=len(rows),
        ran=runner.ran,
        skipped=skipped,
        failed=runner.failed,
        evaluator_errors=runner.evaluator_errors,
        comparison=comparison,
        repeated=sum(row["row_id"] in recorded.unfinished for row in missing),
        first_errors=runner.first_errors,
        converted=runner.converted,
    )


def run_all(
    rows: Sequence[Any], concurrency: int, run: Callable[[Any], None], ran: Callable[[], object]
) -> None:
    """Runs the rows in that many threads; `ran` is called after each row, never concurrently."""
    left: Iterator[Any] = iter(rows)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                row = next(left, None)
            if row is None:
                return
            run(row)
            with lock:
                ran()

    threads = min(concurrency, len(rows))
    with ThreadPoolExecutor(max(threads, 1)) as pool:
        try:
            for one in [pool.submit(work) for _ in range(threads)]:
                one.result()
        except BaseException:
            # Waiting rows are cancelled; running ones end and are recorded.
            with lock:
                left = iter(())
            raise


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
        return str(assay.experiments.get(experiment)["id"])
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


def teller(
    progress: Union[None, bool, Callable[[Progress], object]], name: str
) -> Callable[[Progress], object]:
    if callable(progress):
        return progress
    if progress or (progress is None and sys.stderr.isatty()):
        return lambda now: bar(name, now)
    return lambda _: None


def bar(name: str, now: Progress, width: int = 24) -> None:
    """Progress line on stderr, redrawn until all is done."""
    filled = width * now.done // max(now.total, 1)
    line = f"{name} [{'#' * filled}{'.' * (width - filled)}] {now.done}/{now.total}"
    failed = f", {now.failed} failed" if now.failed else ""
    sys.stderr.write(f"\r{line}{failed}" + ("\n" if now.done == now.total else ""))
    sys.stderr.flush()
