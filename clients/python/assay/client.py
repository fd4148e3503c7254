"""The client: all operations by noun, and recording of traces."""

from __future__ import annotations

import functools
import os
from types import TracebackType
from typing import Any, Callable, ContextManager, Optional, Sequence, Type, TypeVar, Union
from typing import overload

from .delivery import Delivery
from .evaluation import Evaluators
from .experiment_rows import Task
from .experiment_run import ExperimentRun, Progress, run_experiment
from .noun import Asker
from .nouns import Nouns
from .openai_calls import wrap_openai
from .outbox import Counts, Outbox
from .place import Place
from .recording import Recorder, Recording, begun_as, session
from .transport import Answered, Transport

Function = TypeVar("Function", bound=Callable[..., Any])
Client = TypeVar("Client")
#: Seconds that an operation waits at most for earlier records to be sent.
settle_seconds = 5.0


class Assay(Nouns):
    """Client of a service, with one credential. Thread-safe.

    `url`, `api_key` and `project` default to ASSAY_URL, ASSAY_API_KEY and ASSAY_PROJECT;
    NotConfigured for a key with invalid characters. `project` and `log_stream` are names or ids;
    recording creates missing ones. Records go into the log stream, or into `experiment_id`; without
    both into the log stream `default`. `timeout` limits each step of a request in seconds,
    `retries` how often a request is sent again. `strict`: the service refuses unknown members.
    `buffer_bytes` limits the queue of unsent records, `linger` is the batching delay in seconds,
    and `exit_seconds` limits the flush at the program's end.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        project: Optional[str] = None,
        *,
        log_stream: Optional[str] = None,
        experiment_id: Optional[str] = None,
        timeout: float = 30.0,
        retries: int = 5,
        strict: bool = False,
        buffer_bytes: int = 64 << 20,
        linger: float = 0.2,
        exit_seconds: float = 5.0,
    ) -> None:
        url = url or os.environ.get("ASSAY_URL") or "http://localhost:8080"
        if api_key is None:
            api_key = os.environ.get("ASSAY_API_KEY")
        project = project or os.environ.get("ASSAY_PROJECT")
        self._transport = Transport(url, (api_key or "").strip(), timeout, retries, strict)
        self._place = Place(self._transport, project, log_stream, experiment_id)
        delivery = Delivery(self._transport, self._place)
        self._outbox = Outbox(delivery, buffer_bytes, linger, exit_seconds)
        settle = functools.partial(self._outbox.settle, settle_seconds)
        super().__init__(Asker(self._transport, self._place, settle))
        self._recorder = Recorder(self._outbox)

    @property
    def project_id(self) -> str:
        """The id of the client's default project; NoSuchProject."""
        return self._place.project_id()

    @property
    def position(self) -> Optional[str]:
        """Log position of this client's last write, for read-your-writes: reads wait for it."""
        return self._transport.position

    @property
    def last(self) -> Optional[Answered]:
        """Status and headers of the last answer in this thread."""
        return self._transport.last

    @property
    def counts(self) -> Counts:
        """Counts of sent, dropped and waiting records."""
        return self._outbox.counts

    @overload
    def trace(self, name: Function) -> Function: ...

    @overload
    def trace(self, name: Optional[str] = None, **fields: Any) -> Recording: ...

    def trace(self, name: Union[None, str, Function] = None, **fields: Any) -> Any:
        """A trace around a block (`with`, `async with`) or around each call of a function.

        Within another trace it is a workflow span of that one. `fields` are members of the record
        (`input`, `tags`, `user_metadata`, `session_id` ...); for a function `capture_input=False`
        and `capture_output=False` leave its arguments and its result out.
        """
        return begun_as(self._recorder, "trace", name, fields)

    @overload
    def span(self, name: Function) -> Function: ...

    @overload
    def span(
        self, name: Optional[str] = None, *, type: str = "workflow", **fields: Any
    ) -> Recording: ...

    def span(
        self,
        name: Union[None, str, Function] = None,
        *,
        type: str = "workflow",
        **fields: Any,
    ) -> Any:
        """Like `trace`, for a step: llm, retriever, tool, workflow, agent or control.

        Outside of any trace it creates one for itself.
        """
        return begun_as(self._recorder, type, name, fields)

    def session(self, external_id: str) -> ContextManager[None]:
        """Traces that begin within this block belong to the session with this external id."""
        return session(external_id)

    def wrap_openai(self, client: Client) -> Client:
        """Returns the same client; its chat completions and responses are recorded as llm spans."""
        return wrap_openai(client, self._recorder)

    def run_experiment(
        self,
        dataset: str,
        task: Task,
        evaluators: Evaluators = (),
        *,
        name: str,
        version_index: Optional[int] = None,
        concurrency: int = 8,
        progress: Union[None, bool, Callable[[Progress], object]] = None,
        baseline: Optional[str] = None,
        metrics: Optional[Sequence[str]] = None,
    ) -> ExperimentRun:
        """Runs `task` over the rows of a dataset: a trace of the experiment `name` for each.

        `dataset` and `baseline` are ids or names. The task takes the cells of a row by column; its
        result is the output of the trace, an exception is recorded with the status 500, and the run
        continues. Evaluators take the row and the output and return the value of the metric of
        their name. A metric has one type, that of its first value in the project: booleans become 1
        and 0 or back, any other value is an error of the evaluator. Errors of evaluators are
        counted by metric, and the first of each is a warning.

        The experiment runs on `version_index`, by default the current version. An existing one on
        the dataset is resumed: rows with a finished trace are skipped; those whose trace is
        incomplete, failed or has an evaluator error run again, and that trace is deleted, which
        takes the role `owner` (without it a warning). `concurrency` rows run at once, in threads;
        `progress` is called after each, by default it draws a line on a terminal. With `baseline`
        the result has the comparison (contract 5.5) of `metrics`. ValueError before the first row
        for a missing dataset or baseline; AssayError when not all traces were recorded.
        """
        return run_experiment(
            self,
            dataset,
            task,
            evaluators,
            name=name,
            version_index=version_index,
            concurrency=concurrency,
            progress=progress,
            baseline=baseline,
            metrics=metrics,
        )

    def flush(self, timeout: Optional[float] = 30.0) -> bool:
        """Sends all ended records. True: the service has all of them.

        False when that took longer than `timeout` seconds (None: no limit), and when a record was
        dropped since the last `flush`.
        """
        return self._outbox.flush(timeout)

    def close(self, timeout: Optional[float] = None) -> bool:
        """Ends the recording: `flush`, with running traces as incomplete.

        Records not sent within `timeout` seconds (`exit_seconds`) are dropped.
        """
        whole = self._outbox.close(timeout)
        self._transport.close()
        return whole

    def __enter__(self) -> "Assay":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
