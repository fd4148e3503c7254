"""Experiments. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional, Sequence

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import (
    ComparedRowChoice,
    DatasetReference,
    Experiment,
    ExperimentComparison,
    ExperimentFilter,
    ExperimentSort,
    ExperimentTag,
    Message,
    Prompt,
    PromptSettings,
    RankingCriteria,
    RankingCriterionInput,
    RunScorerInput,
)

_list = Operation("GET", "/v2/projects/{project_id}/experiments", "read")
_create = Operation("POST", "/v2/projects/{project_id}/experiments", "keyed")
_compare = Operation("POST", "/v2/projects/{project_id}/experiments/compare", "read")
_page = Operation(
    "GET",
    "/v2/projects/{project_id}/experiments/paginated",
    "read",
    rows="experiments",
    token="starting_token",
)
_get_ranking_criteria = Operation(
    "GET",
    "/v2/projects/{project_id}/experiments/ranking_criteria",
    "read",
)
_set_ranking_criteria = Operation(
    "PUT",
    "/v2/projects/{project_id}/experiments/ranking_criteria",
    "again",
)
_search = Operation(
    "POST",
    "/v2/projects/{project_id}/experiments/search",
    "read",
    rows="experiments",
    token="starting_token",
)
_get = Operation("GET", "/v2/projects/{project_id}/experiments/{experiment_id}", "read")
_update = Operation("PUT", "/v2/projects/{project_id}/experiments/{experiment_id}", "again")
_delete = Operation(
    "DELETE",
    "/v2/projects/{project_id}/experiments/{experiment_id}",
    "gone",
    answer="none",
)
_list_tags = Operation("GET", "/v2/projects/{project_id}/experiments/{experiment_id}/tags", "read")
_tag = Operation("POST", "/v2/projects/{project_id}/experiments/{experiment_id}/tags", "keyed")
_update_tag = Operation(
    "PUT",
    "/v2/projects/{project_id}/experiments/{experiment_id}/tags/{tag_id}",
    "again",
)
_untag = Operation(
    "DELETE",
    "/v2/projects/{project_id}/experiments/{experiment_id}/tags/{tag_id}",
    "gone",
)
_choose_winner = Operation(
    "POST",
    "/v2/projects/{project_id}/experiments/{experiment_id}/winner",
    "keyed",
)
_withdraw_winner = Operation(
    "DELETE",
    "/v2/projects/{project_id}/experiments/{experiment_id}/winner",
    "again",
)


class Experiments(Noun):
    """Runs that are compared with each other, ranked and tagged."""

    def list(
        self,
        *,
        include_counts: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> List[Experiment]:
        """Experiments of a project.

        At most 1,000; counts are null unless requested. Requires `viewer`; contract 5.5.
        """
        return self._ask(
            _list,
            path={"project_id": project_id},
            query={"include_counts": include_counts},
        )

    def create(
        self,
        *,
        name: str,
        task_type: Optional[int] = None,
        dataset: Optional[DatasetReference] = None,
        prompt_settings: Optional[PromptSettings] = None,
        prompt_template_version_id: Optional[str] = None,
        prompt: Optional[Prompt] = None,
        playground_id: Optional[str] = None,
        playground_prompt_id: Optional[str] = None,
        scorers: Optional[Sequence[RunScorerInput]] = None,
        experiment_group_id: Optional[str] = None,
        experiment_group_name: Optional[str] = None,
        trigger: Optional[bool] = None,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Experiment:
        """Create an experiment.

        The service does not generate outputs: log traces into the experiment. A new group name
        makes a group. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _create,
            path={"project_id": project_id},
            body={
                "name": name,
                "task_type": task_type,
                "dataset": dataset,
                "prompt_settings": prompt_settings,
                "prompt_template_version_id": prompt_template_version_id,
                "prompt": prompt,
                "playground_id": playground_id,
                "playground_prompt_id": playground_prompt_id,
                "scorers": scorers,
                "experiment_group_id": experiment_group_id,
                "experiment_group_name": experiment_group_name,
                "trigger": trigger,
            },
            key=idempotency_key,
        )

    def compare(
        self,
        *,
        experiment_ids: Sequence[str],
        metrics: Optional[Sequence[str]] = None,
        seed: Optional[int] = None,
        intervals: Optional[bool] = None,
        rows: Optional[ComparedRowChoice] = None,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        project_id: Optional[str] = None,
    ) -> ExperimentComparison:
        """Compare experiments row by row of their dataset.

        Differences are to the first experiment, the baseline. A trace is about the dataset row
        that its `user_metadata` names as `dataset_row_id`, else about the one with its
        `dataset_input`. Each mean difference has a 95 % interval by the paired bootstrap
        (percentile method), the same for the same `seed`. `rows` chooses and orders rows by one
        metric, by default regressions first; further pages need no `intervals`. Requires
        `viewer`; contract 5.5.
        """
        return self._ask(
            _compare,
            path={"project_id": project_id},
            body={
                "experiment_ids": experiment_ids,
                "metrics": metrics,
                "seed": seed,
                "intervals": intervals,
                "rows": rows,
                "starting_token": starting_token,
                "limit": limit,
            },
        )

    def page(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        include_counts: Optional[bool] = None,
        project_id: Optional[str] = None,
    ) -> Pages[Experiment]:
        """Experiments of a project, paged.

        Counts are null unless requested. Requires `viewer`; contract 5.5.
        """
        return self._pages(
            _page,
            path={"project_id": project_id},
            query={
                "starting_token": starting_token,
                "limit": limit,
                "include_counts": include_counts,
            },
        )

    def get_ranking_criteria(
        self,
        *,
        project_id: Optional[str] = None,
    ) -> RankingCriteria:
        """Ranking criteria of the experiments of a project.

        `default` is true until criteria are set. Requires `viewer`; contract 5.5.
        """
        return self._ask(
            _get_ranking_criteria,
            path={"project_id": project_id},
        )

    def set_ranking_criteria(
        self,
        *,
        criteria: Sequence[RankingCriterionInput],
        project_id: Optional[str] = None,
    ) -> RankingCriteria:
        """Set the ranking criteria of the experiments of a project.

        An empty list restores the default. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _set_ranking_criteria,
            path={"project_id": project_id},
            body={"criteria": criteria},
        )

    def search(
        self,
        *,
        starting_token: Optional[int] = None,
        limit: Optional[int] = None,
        filters: Optional[Sequence[ExperimentFilter]] = None,
        sort: Optional[ExperimentSort] = None,
        include_counts: Optional[bool] = None,
        as_of: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> Pages[Experiment]:
        """Experiments of a project, filtered, sorted and paged.

        Each with its aggregates, ranking score and rank among its like; `as_of` shows them as
        they were. A misspelt member is refused. Requires `viewer`; contract 4.6.
        """
        return self._pages(
            _search,
            path={"project_id": project_id},
            query={"as_of": as_of},
            body={
                "starting_token": starting_token,
                "limit": limit,
                "filters": filters,
                "sort": sort,
                "include_counts": include_counts,
            },
        )

    def get(
        self,
        experiment_id: str,
        *,
        as_of: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> Experiment:
        """One experiment, with counts.

        With its aggregates, ranking score and rank; `as_of` shows it as it was. Requires
        `viewer`; contract 5.5.
        """
        return self._ask(
            _get,
            path={"project_id": project_id, "experiment_id": experiment_id},
            query={"as_of": as_of},
        )

    def update(
        self,
        experiment_id: str,
        *,
        name: str,
        task_type: Optional[int] = None,
        experiment_group_id: Optional[str] = None,
        experiment_group_name: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> Experiment:
        """Rename an experiment or put it into a group.

        An experiment can change its group, not leave it. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _update,
            path={"project_id": project_id, "experiment_id": experiment_id},
            body={
                "name": name,
                "task_type": task_type,
                "experiment_group_id": experiment_group_id,
                "experiment_group_name": experiment_group_name,
            },
        )

    def delete(
        self,
        experiment_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> None:
        """Delete an experiment with its records.

        Its records are not found at once and are erased. Unknown members and parameters are
        refused. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _delete,
            path={"project_id": project_id, "experiment_id": experiment_id},
        )

    def list_tags(
        self,
        experiment_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> List[ExperimentTag]:
        """Tags of an experiment, in the order in which they were given.

        At most 100. Requires `viewer`; contract 5.5.
        """
        return self._ask(
            _list_tags,
            path={"project_id": project_id, "experiment_id": experiment_id},
        )

    def tag(
        self,
        experiment_id: str,
        *,
        key: str,
        value: str,
        tag_type: str,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> ExperimentTag:
        """Tag an experiment.

        One key may be given more than once. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _tag,
            path={"project_id": project_id, "experiment_id": experiment_id},
            body={"key": key, "value": value, "tag_type": tag_type},
            key=idempotency_key,
        )

    def update_tag(
        self,
        experiment_id: str,
        tag_id: str,
        *,
        key: str,
        value: str,
        tag_type: str,
        project_id: Optional[str] = None,
    ) -> ExperimentTag:
        """Change a tag of an experiment.

        All three members are replaced. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _update_tag,
            path={"project_id": project_id, "experiment_id": experiment_id, "tag_id": tag_id},
            body={"key": key, "value": value, "tag_type": tag_type},
        )

    def untag(
        self,
        experiment_id: str,
        tag_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Message:
        """Take a tag from an experiment.

        Other tags with the same key stay. Unknown members and parameters are refused. Requires
        `editor`; contract 5.5.
        """
        return self._ask(
            _untag,
            path={"project_id": project_id, "experiment_id": experiment_id, "tag_id": tag_id},
        )

    def choose_winner(
        self,
        experiment_id: str,
        *,
        project_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Experiment:
        """Choose an experiment as the winner among its like.

        Replaces the choice among the experiments of its group. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _choose_winner,
            path={"project_id": project_id, "experiment_id": experiment_id},
            key=idempotency_key,
        )

    def withdraw_winner(
        self,
        experiment_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> Experiment:
        """Withdraw the choice of an experiment as winner.

        An experiment that was not chosen has the same response. Unknown members and parameters
        are refused. Requires `editor`; contract 5.5.
        """
        return self._ask(
            _withdraw_winner,
            path={"project_id": project_id, "experiment_id": experiment_id},
        )
