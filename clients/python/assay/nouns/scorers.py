"""Scorers. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Callable, Literal, Optional, Sequence

from ..forms import FileContent
from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    CountedScorerSettings,
    FilterLeaf,
    FilterNode,
    Message,
    PastScoringJob,
    RunScorerInput,
    ScorePastResponse,
    Scorer,
    ScorerFilter,
    ScorerSettings,
    ScorerSort,
    ScorerTask,
    ScorerTaskResult,
    ScorerVersion,
    ThresholdInput,
    ValidateScorerOnDatasetResponse,
    ValidateScorerResponse,
)

_read_settings = Operation("GET", "/v2/projects/{project_id}/runs/{run_id}/scorer-settings", "read")
_set_settings = Operation(
    "POST",
    "/v2/projects/{project_id}/runs/{run_id}/scorer-settings",
    "keyed",
)
_update_settings = Operation(
    "PATCH",
    "/v2/projects/{project_id}/runs/{run_id}/scorer-settings",
    "keyed",
)
_read_past_scoring = Operation(
    "GET",
    "/v2/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score",
    "read",
)
_score_past = Operation(
    "POST",
    "/v2/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score",
    "keyed",
)
_cancel_past_scoring = Operation(
    "DELETE",
    "/v2/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score",
    "gone",
)
_create = Operation("POST", "/v2/scorers", "keyed")
_validate = Operation("POST", "/v2/scorers/code/validate", "keyed", body="form")
_validate_on_dataset = Operation("POST", "/v2/scorers/code/validate/dataset", "keyed", body="form")
_poll_validation = Operation("GET", "/v2/scorers/code/validate/{task_id}", "read")
_list = Operation("POST", "/v2/scorers/list", "read", rows="scorers", token="starting_token")
_get = Operation("GET", "/v2/scorers/{scorer_id}", "read")
_update = Operation("PATCH", "/v2/scorers/{scorer_id}", "keyed")
_delete = Operation("DELETE", "/v2/scorers/{scorer_id}", "gone")
_get_code = Operation("GET", "/v2/scorers/{scorer_id}/version/code", "read", answer="text")
_add_version = Operation("POST", "/v2/scorers/{scorer_id}/version/code", "keyed", body="form")
_list_versions = Operation(
    "GET",
    "/v2/scorers/{scorer_id}/versions",
    "read",
    rows="versions",
    token="starting_token",
)


class Scorers(Noun):
    """Code that scores records, its versions and its validation."""

    def read_settings(
        self,
        run_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> CountedScorerSettings:
        """Scorers of a run.

        They score each trace of the run when it is complete, and again when it changes; `counts`
        says what became of the records of each. Requires `viewer`; contract 5.10.
        """
        return self._ask(
            _read_settings,
            path={"project_id": project_id, "run_id": run_id},
        )

    def set_settings(
        self,
        run_id: str,
        *,
        scorers: Sequence[RunScorerInput],
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> ScorerSettings:
        """Choose the scorers of a run.

        Replaces the list; at most 50. Requires `editor`; contract 5.10.
        """
        return self._ask(
            _set_settings,
            path={"project_id": project_id, "run_id": run_id},
            body={"scorers": scorers},
            key=idempotency_key,
        )

    def update_settings(
        self,
        run_id: str,
        *,
        scorers: Sequence[RunScorerInput],
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> ScorerSettings:
        """Replace the scorers of a run.

        The whole list is replaced, as by POST. Requires `editor`; contract 5.10.
        """
        return self._ask(
            _update_settings,
            path={"project_id": project_id, "run_id": run_id},
            body={"scorers": scorers},
            key=idempotency_key,
        )

    def read_past_scoring(
        self,
        run_id: str,
        scorer_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> PastScoringJob:
        """How far scoring of what was there has come.

        The newest job of the run and the scorer, with what failed, and where. Requires `viewer`;
        contract 5.10.
        """
        return self._ask(
            _read_past_scoring,
            path={"project_id": project_id, "run_id": run_id, "scorer_id": scorer_id},
        )

    def wait_past_scoring(
        self,
        run_id: str,
        scorer_id: str,
        *,
        project_id: Optional[str] = None,
        progress: Optional[Callable[[PastScoringJob], object]] = None,
        timeout: Optional[float] = None,
    ) -> PastScoringJob:
        """Polls `read_past_scoring` to the end; `progress` is called with each change.

        After `timeout` seconds it raises `WaitTimedOut`; the work goes on.
        """
        return self._wait(
            lambda: self.read_past_scoring(run_id, scorer_id, project_id=project_id),
            progress,
            timeout,
        )

    def score_past(
        self,
        run_id: str,
        scorer_id: str,
        *,
        filters: Optional[Sequence[FilterLeaf]] = None,
        filter_tree: Optional[FilterNode] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        scoreable_node_types: Optional[
            Sequence[
                Literal[
                    "chain",
                    "chat",
                    "llm",
                    "retriever",
                    "tool",
                    "agent",
                    "workflow",
                    "trace",
                    "session",
                ]
            ]
        ] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> ScorePastResponse:
        """Score what a run holds already.

        Complete traces of the run that the filters choose, by the newest version of the scorer,
        each record at most once by a version. A job: poll the same address; DELETE cancels it. A
        misspelt member is refused. Requires `editor`; contract 5.10.
        """
        return self._ask(
            _score_past,
            path={"project_id": project_id, "run_id": run_id, "scorer_id": scorer_id},
            body={
                "filters": filters,
                "filter_tree": filter_tree,
                "start_time": start_time,
                "end_time": end_time,
                "scoreable_node_types": scoreable_node_types,
            },
            key=idempotency_key,
        )

    def cancel_past_scoring(
        self,
        run_id: str,
        scorer_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Message:
        """Stop scoring what was there.

        What was scored stays. Again, or after the end: nothing happens. Unknown members and
        parameters are refused. Requires `editor`; contract 5.10.
        """
        return self._ask(
            _cancel_past_scoring,
            path={"project_id": project_id, "run_id": run_id, "scorer_id": scorer_id},
        )

    def create(
        self,
        *,
        name: str,
        scorer_type: Literal["code"],
        id: Optional[str] = None,
        label: Optional[str] = None,
        description: Optional[str] = None,
        tags: Optional[Sequence[str]] = None,
        scoreable_node_types: Optional[
            Sequence[
                Literal[
                    "chain",
                    "chat",
                    "llm",
                    "retriever",
                    "tool",
                    "agent",
                    "workflow",
                    "trace",
                    "session",
                ]
            ]
        ] = None,
        required_scorers: Optional[Sequence[str]] = None,
        output_type: Optional[str] = None,
        roll_up_method: Optional[Literal["average", "sum", "max", "min"]] = None,
        threshold: Optional[ThresholdInput] = None,
        idempotency_key: Optional[str] = None,
    ) -> Scorer:
        """Create a code scorer.

        It scores nothing until a version with code is added. Requires `creator`; contract 5.10.
        """
        return self._ask(
            _create,
            body={
                "name": name,
                "scorer_type": scorer_type,
                "id": id,
                "label": label,
                "description": description,
                "tags": tags,
                "scoreable_node_types": scoreable_node_types,
                "required_scorers": required_scorers,
                "output_type": output_type,
                "roll_up_method": roll_up_method,
                "threshold": threshold,
            },
            key=idempotency_key,
        )

    def validate(
        self,
        *,
        file: FileContent,
        test_input: Optional[str] = None,
        test_output: Optional[str] = None,
        required_scorers: Optional[Sequence[str]] = None,
        scoreable_node_types: Optional[
            Sequence[
                Literal[
                    "chain",
                    "chat",
                    "llm",
                    "retriever",
                    "tool",
                    "agent",
                    "workflow",
                    "trace",
                    "session",
                ]
            ]
        ] = None,
        score_type: Optional[Literal["bool", "int", "float", "str"]] = None,
        idempotency_key: Optional[str] = None,
    ) -> ValidateScorerResponse:
        """Validate a code scorer on one sample.

        One sample for each type of node. Runs in the background, in a sandbox: poll the task.
        Requires `creator`; contract 5.10.
        """
        return self._ask(
            _validate,
            body={
                "file": file,
                "test_input": test_input,
                "test_output": test_output,
                "required_scorers": required_scorers,
                "scoreable_node_types": scoreable_node_types,
                "score_type": score_type,
            },
            key=idempotency_key,
        )

    def validate_on_dataset(
        self,
        *,
        file: FileContent,
        dataset_id: str,
        dataset_version_index: Optional[int] = None,
        limit: Optional[int] = None,
        starting_token: Optional[int] = None,
        required_scorers: Optional[Sequence[str]] = None,
        scoreable_node_types: Optional[
            Sequence[
                Literal[
                    "chain",
                    "chat",
                    "llm",
                    "retriever",
                    "tool",
                    "agent",
                    "workflow",
                    "trace",
                    "session",
                ]
            ]
        ] = None,
        score_type: Optional[Literal["bool", "int", "float", "str"]] = None,
        idempotency_key: Optional[str] = None,
    ) -> ValidateScorerOnDatasetResponse:
        """Validate a code scorer against rows of a dataset.

        Runs in the background, in a sandbox: poll the task for the result. Requires `signed-in`;
        contract 4.11.
        """
        return self._ask(
            _validate_on_dataset,
            body={
                "file": file,
                "dataset_id": dataset_id,
                "dataset_version_index": dataset_version_index,
                "limit": limit,
                "starting_token": starting_token,
                "required_scorers": required_scorers,
                "scoreable_node_types": scoreable_node_types,
                "score_type": score_type,
            },
            key=idempotency_key,
        )

    def poll_validation(
        self,
        task_id: str,
    ) -> ScorerTask:
        """A validation task of a code scorer.

        `result` is null until the task is completed or failed. `unknown_parameters` in it names
        parameters of `scorer_fn` that nothing is passed for, `known_parameters` all that are
        passed. Requires `scorer-task`; contract 4.13.
        """
        return self._ask(
            _poll_validation,
            path={"task_id": task_id},
        )

    def wait_validation(
        self,
        task_id: str,
        *,
        progress: Optional[Callable[[ScorerTask], object]] = None,
        timeout: Optional[float] = None,
    ) -> ScorerTask:
        """Polls `poll_validation` to the end; `progress` is called with each change.

        After `timeout` seconds it raises `WaitTimedOut`; the work goes on.
        """
        return self._wait(
            lambda: self.poll_validation(task_id),
            progress,
            timeout,
        )

    def list(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[ScorerFilter]] = None,
        sort: Optional[ScorerSort] = None,
    ) -> Pages[Scorer]:
        """Scorers of the organisation, filtered, sorted and paged.

        With the presets that every organisation has. By name unless `sort` says otherwise. A
        misspelt member is refused. Requires `signed-in`; contract 5.10.
        """
        return self._pages(
            _list,
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
            },
        )

    def get(
        self,
        scorer_id: str,
    ) -> Scorer:
        """One scorer.

        With its default and its latest version. Requires `signed-in`; contract 5.10.
        """
        return self._ask(
            _get,
            path={"scorer_id": scorer_id},
        )

    def update(
        self,
        scorer_id: str,
        *,
        label: Optional[str] = None,
        description: Optional[str] = None,
        tags: Optional[Sequence[str]] = None,
        scoreable_node_types: Optional[
            Sequence[
                Literal[
                    "chain",
                    "chat",
                    "llm",
                    "retriever",
                    "tool",
                    "agent",
                    "workflow",
                    "trace",
                    "session",
                ]
            ]
        ] = None,
        required_scorers: Optional[Sequence[str]] = None,
        output_type: Optional[str] = None,
        roll_up_method: Optional[Literal["average", "sum", "max", "min"]] = None,
        threshold: Optional[ThresholdInput] = None,
        idempotency_key: Optional[str] = None,
    ) -> Scorer:
        """Change the details of a code scorer.

        Members that are left out stay as they are; presets cannot be changed. Requires
        `scorer-owner`; contract 5.10.
        """
        return self._ask(
            _update,
            path={"scorer_id": scorer_id},
            body={
                "label": label,
                "description": description,
                "tags": tags,
                "scoreable_node_types": scoreable_node_types,
                "required_scorers": required_scorers,
                "output_type": output_type,
                "roll_up_method": roll_up_method,
                "threshold": threshold,
            },
            key=idempotency_key,
        )

    def delete(
        self,
        scorer_id: str,
    ) -> Message:
        """Delete a code scorer.

        Scores that it gave stay. Unknown members and parameters are refused. Requires
        `scorer-owner`; contract 5.10.
        """
        return self._ask(
            _delete,
            path={"scorer_id": scorer_id},
        )

    def get_code(
        self,
        scorer_id: str,
        *,
        version: Optional[int] = None,
    ) -> str:
        """The file of a version of a code scorer.

        Of the latest version, unless `version` names another. Requires `signed-in`; contract
        5.10.
        """
        return self._ask(
            _get_code,
            path={"scorer_id": scorer_id},
            query={"version": version},
        )

    def add_version(
        self,
        scorer_id: str,
        *,
        file: FileContent,
        validation_result: ScorerTaskResult,
        idempotency_key: Optional[str] = None,
    ) -> ScorerVersion:
        """Add a validated file as the newest version of a code scorer.

        The same file must have been found valid before. Requires `scorer-owner`; contract 5.10.
        """
        return self._ask(
            _add_version,
            path={"scorer_id": scorer_id},
            body={"file": file, "validation_result": validation_result},
            key=idempotency_key,
        )

    def list_versions(
        self,
        scorer_id: str,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Pages[ScorerVersion]:
        """Versions of a code scorer, newest first.

        Versions count from 1. Requires `signed-in`; contract 5.10.
        """
        return self._pages(
            _list_versions,
            path={"scorer_id": scorer_id},
            query={"starting_token": starting_token, "limit": limit},
        )
