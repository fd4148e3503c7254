"""Experiments that are run again: finished rows are skipped, the traces of others replaced."""

from __future__ import annotations

import logging
import threading
from functools import partial
from typing import Any, Dict, List, Mapping
from uuid import uuid4

from assay import Assay

from .service import ServiceTest, eventually

csv = b"question,output\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n"


def answer(row: Mapping[str, Any]) -> str:
    return str(row["question"]).replace("q", "a")


def fails(row: Mapping[str, Any]) -> str:
    if row["question"] == "q2":
        raise ValueError("no such question")
    return answer(row)


def right(row: Mapping[str, Any], output: str) -> bool:
    return output == row["output"]


def odd(row: Mapping[str, Any], output: str) -> bool:
    if output == "a3":
        raise KeyError("odd")
    return right(row, output)


class Resumed(ServiceTest):
    def setUp(self) -> None:
        super().setUp()
        made = self.assay.datasets.create(file=("rows.csv", csv), name=str(uuid4()))
        self.dataset, self.name = made["id"], str(uuid4())

    def traces(self, experiment_id: str) -> List[Dict[str, Any]]:
        found = self.assay.traces.search(experiment_id=experiment_id).all()
        return sorted((dict(one) for one in found), key=lambda one: str(one["input"]))

    def test_skip_finished_rows_and_replace_traces_of_failed_tasks_and_evaluators(self) -> None:
        with self.assertLogs("assay", logging.WARNING):
            first = self.assay.run_experiment(
                self.dataset, fails, {"right": odd}, name=self.name
            )
        self.assertEqual((first.ran, first.skipped, first.failed, first.repeated), (4, 0, 1, 0))
        asked: List[str] = []

        def mended(row: Mapping[str, Any]) -> str:
            asked.append(str(row["question"]))
            return answer(row)

        run = self.assay.run_experiment(self.dataset, mended, [right], name=self.name)
        self.assertEqual((run.ran, run.skipped, run.failed, run.repeated), (2, 2, 0, 2))
        self.assertEqual(sorted(asked), ["q2", "q3"])
        self.assertEqual(
            [
                (
                    one["output"],
                    one["status_code"],
                    one["metrics"]["right"],
                    [*one["user_metadata"]],
                )
                for one in self.traces(run.experiment["id"])
            ],
            [(f"a{at}", 200, True, ["dataset_row_id"]) for at in range(1, 5)],
        )
        whole = self.assay.run_experiment(self.dataset, mended, [right], name=self.name)
        self.assertEqual((whole.ran, whole.skipped, whole.repeated), (0, 4, 0))

    def test_run_a_row_whose_trace_was_cut_off_by_the_end_of_the_program(self) -> None:
        over = threading.Event()

        def lasts(row: Mapping[str, Any]) -> str:
            if row["question"] == "q3":
                over.wait()
            return answer(row)

        ending = Assay(project=self.project)
        run_of = partial(ending.run_experiment, self.dataset, lasts, name=self.name)
        going = threading.Thread(target=run_of, daemon=True)
        going.start()
        self.addCleanup(going.join)
        self.addCleanup(over.set)
        self.assertTrue(eventually(lambda: ending.counts.sent == 3))
        self.assertTrue(ending.close())
        named: Any = {"name": "name", "operator": "eq", "value": self.name}
        [experiment] = self.assay.experiments.search(filters=[named])
        self.assertTrue(eventually(lambda: len(self.traces(experiment["id"])) == 4))
        self.assertEqual(
            [one["is_complete"] for one in self.traces(experiment["id"])],
            [True, True, False, True],
        )
        run = self.assay.run_experiment(self.dataset, answer, [right], name=self.name)
        self.assertEqual((run.ran, run.skipped, run.failed, run.repeated), (1, 3, 0, 1))
        self.assertEqual(
            [(one["output"], one["is_complete"]) for one in self.traces(experiment["id"])],
            [(f"a{at}", True) for at in range(1, 5)],
        )

    def test_leave_the_failed_trace_beside_the_new_one_where_the_key_may_not_delete(self) -> None:
        first = self.assay.run_experiment(self.dataset, fails, name=self.name)
        key = self.assay.api_keys.create(
            description="of a test", project_id=self.project, project_role="editor"
        )
        editor = Assay(api_key=key["api_key"], project=self.project)
        self.addCleanup(editor.close)
        with self.assertLogs("assay", logging.WARNING) as said:
            run = editor.run_experiment(self.dataset, answer, name=self.name)
        self.assertEqual((run.ran, run.skipped, run.failed, run.repeated), (1, 3, 0, 1))
        self.assertEqual(len(said.output), 1, said.output)
        self.assertIn("unfinished traces (1) of rows that ran again stay", said.output[0])
        self.assertEqual(len(self.traces(first.experiment["id"])), 5)
        again = self.assay.run_experiment(self.dataset, answer, name=self.name)
        self.assertEqual((again.ran, again.skipped), (0, 4))
        self.assertEqual(len(self.traces(first.experiment["id"])), 4)
