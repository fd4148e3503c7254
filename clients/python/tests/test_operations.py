"""Operations of every kind against the service itself."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List
from uuid import uuid4

from assay import (
    AlreadyExists,
    Assay,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    PreconditionFailed,
    Unauthenticated,
)

from .service import ServiceTest, package, repository

rows = "question,answer\nTo Oslo?,booked\nTo Rome?,sold out\n"


class Operations(ServiceTest):
    def test_repeat_without_a_second_effect(self) -> None:
        key, name = str(uuid4()), f"repeated {uuid4()}"
        first = self.assay.projects.create(name=name, idempotency_key=key)
        self.assertFalse(self.assay.last.replayed)  # type: ignore[union-attr]
        again = self.assay.projects.create(name=name, idempotency_key=key)
        self.assertTrue(self.assay.last.replayed)  # type: ignore[union-attr]
        self.assertEqual(first, again)
        with self.assertRaises(AlreadyExists):
            self.assay.projects.create(name=name)

    def test_log_and_change_records(self) -> None:
        span: Any = {"type": "llm", "id": str(uuid4()), "input": "q", "output": "a"}
        trace: Any = {"id": str(uuid4()), "name": "logged", "spans": [span]}
        made = self.assay.traces.log(traces=[trace])
        self.assertEqual((made["new_records_count"], made["trace_ids"]), (2, [trace["id"]]))
        self.assertEqual(self.assay.traces.log(traces=[trace])["new_records_count"], 0)
        with self.assertRaisesRegex(Conflict, trace["id"]):
            self.assay.traces.log(traces=[{**trace, "name": "other"}])
        self.assay.spans.log(
            trace_id=trace["id"], parent_id=span["id"], spans=[{"type": "tool", "name": "late"}]
        )
        self.assay.traces.update(trace["id"], output="changed", metrics={"reward": 1})
        read = self.assay.traces.get(trace["id"])
        self.assertEqual((read["output"], read["metrics"]["reward"]), ("changed", 1))
        self.assertEqual(read["spans"][0]["spans"][0]["name"], "late")

    def test_read_what_they_wrote_from_every_thread(self) -> None:
        for number in range(20):
            stream = self.assay.log_streams.create(name=f"stream {number}")
            self.assertLessEqual(self.assay.last.position, self.assay.position)  # type: ignore
            self.assertEqual(self.assay.log_streams.get(stream["id"])["name"], f"stream {number}")
        names = [one["name"] for one in self.assay.log_streams.page(limit=7)]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({f"stream {number}" for number in range(20)}, set(names))
        sizes = [len(one["log_streams"]) for one in self.assay.log_streams.page(limit=7).pages()]
        self.assertEqual(sizes, [7] * (len(names) // 7) + [len(names) % 7] * (len(names) % 7 > 0))

    def test_tell_errors_apart(self) -> None:
        with self.assertRaises(NotFound) as missing:
            self.assay.traces.get(str(uuid4()))
        self.assertEqual(missing.exception.code, "not_found")
        self.assertRegex(missing.exception.request_id, "^[0-9a-f-]{36}$")
        with self.assertRaises(Invalid) as invalid:
            self.assay.traces.search(limit=0).first()
        [complaint] = invalid.exception.complaints
        self.assertEqual(complaint.loc, ("body", "limit"))
        self.assertEqual(complaint.type, "greater_than_equal")
        with self.assertRaises(Unauthenticated):
            Assay(api_key="asy_nobody").projects.list()
        made = self.assay.api_keys.create(
            description="reads", project_id=self.project, project_role="viewer"
        )
        reader = Assay(api_key=made["api_key"])
        self.assertEqual(reader.project_id, self.project)
        with self.assertRaisesRegex(Forbidden, "editor"):
            reader.log_streams.create(name="mine")
        self.assay.api_keys.revoke(made["id"])

    def test_upload_edit_and_export_a_dataset(self) -> None:
        made = self.assay.datasets.create(
            file=("flights.csv", rows.encode()),
            project_id=self.project,
            column_mapping={"input": ["question"]},  # type: ignore[typeddict-item]
        )
        self.assertEqual(made["column_mapping"]["input"]["columns"], ["question"])
        edit: List[Any] = [{"edit_type": "append_row", "values": {"question": "To Ulm?"}}]
        self.assay.datasets.get(made["id"])
        tag = self.assay.last.etag  # type: ignore[union-attr]
        self.assay.datasets.update(made["id"], name=f"flights {uuid4()}", if_match=tag)
        with self.assertRaises(PreconditionFailed):
            self.assay.datasets.update(made["id"], draft=False, if_match=tag)
        self.assay.datasets.edit_content(made["id"], edits=edit)
        cells = [one["values"][0] for one in self.assay.datasets.get_content(made["id"], limit=2)]
        self.assertEqual(cells, ["To Oslo?", "To Rome?", "To Ulm?"])
        lines = list(self.assay.datasets.export_content(made["id"]))
        self.assertEqual(lines[0], {"question": "To Oslo?", "answer": "booked"})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            self.assay.datasets.export_content(made["id"], format="csv").save(path)
            again = self.assay.datasets.create(file=path, name=f"again {uuid4()}")
            with open(path, "rb") as as_bytes, open(path) as as_text:
                for opened in (as_bytes, as_text):
                    made_of = self.assay.datasets.create(file=opened, name=f"opened {uuid4()}")
                    self.assertEqual(made_of["num_rows"], 3)
            self.assertEqual(os.listdir(folder), ["rows.csv"])
        self.assertEqual(again["num_rows"], 3)
        self.assay.datasets.replace_content(
            again["id"], source_dataset_id=made["id"], version_index=1
        )
        self.assertEqual(self.assay.datasets.get(again["id"])["num_rows"], 2)

    def test_export_records_as_lines_and_as_a_table(self) -> None:
        for number in range(30):
            with self.assay.trace(f"row {number}", input="i"):
                pass
        self.assertTrue(self.assay.flush(30))
        found = [one["name"] for one in self.assay.traces.export() if one["input"] == "i"]
        self.assertEqual(set(found), {f"row {number}" for number in range(30)})
        table = self.assay.traces.export(format="csv").read().decode()
        names = [one["name"] for one in csv.DictReader(io.StringIO(table)) if one["input"] == "i"]
        self.assertEqual(sorted(names), sorted(found))

    def test_outline_records_by_fields(self) -> None:
        with self.assay.trace("outlined", input="i", tags=["outline"]):
            pass
        self.assertTrue(self.assay.flush(30))
        chosen: List[Any] = [
            {"type": "collection", "name": "tags", "operator": "eq", "value": ["outline"]}
        ]
        [found] = self.assay.traces.search(filters=chosen, fields=["name", "tags"])
        self.assertEqual(
            found, {"id": found["id"], "name": "outlined", "tags": ["outline"]}
        )
        with self.assertRaises(Invalid) as invalid:
            self.assay.traces.search(fields=["name", "inputs"]).first()
        self.assertEqual(invalid.exception.complaints[0].loc, ("body", "fields", "1"))

    def test_poll_work_to_its_end(self) -> None:
        mark = str(uuid4())
        with self.assay.trace("to be erased", user_metadata={"mark": mark}) as trace:
            pass
        self.assertTrue(self.assay.flush(30))
        job = self.assay.jobs.delete_by_metadata(metadata_key="mark", metadata_value=mark)
        told: List[Any] = []
        end = self.assay.jobs.wait_org_job(job["job_id"], progress=told.append, timeout=60)
        self.assertEqual((end["status"], told[-1]), ("completed", end))
        self.assertEqual(end["result"]["traces"], 1)  # type: ignore[index]
        with self.assertRaises(NotFound):
            self.assay.traces.get(trace.id)
        source = ("scorer.py", b"def scorer_fn(*, step_object, **kwargs) -> float:\n  return 1.0\n")
        task = self.assay.scorers.validate(file=source, scoreable_node_types=["trace"])
        end_of_task = self.assay.scorers.wait_validation(task["task_id"], timeout=60)
        self.assertIn(end_of_task["status"], ("completed", "failed"))

    def test_say_what_nobody_reads(self) -> None:
        misspelt: Any = {"nmae": "x"}
        self.assay.traces.log(traces=[misspelt])
        self.assertEqual(self.assay.last.ignored, "traces/0/nmae")  # type: ignore[union-attr]
        with self.assertRaises(Invalid) as refused:
            Assay(project=self.project, strict=True).traces.log(traces=[misspelt])
        self.assertEqual(refused.exception.complaints[0].type, "extra_forbidden")


class Programs(ServiceTest):
    def test_of_the_readme_and_the_examples_run(self) -> None:
        readme = (package / "README.md").read_text("utf-8")
        [first] = [one for one in readme.split("```")[1::2] if one.startswith("python\n")][:1]
        example = (repository / "examples" / "python.py").read_text("utf-8")
        for source in (first[len("python\n") :], example):
            env = {**os.environ, "PYTHONPATH": str(package), "ASSAY_PROJECT": self.project}
            ran = subprocess.run(
                [sys.executable, "-B", "-W", "error", "-c", source],
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
                timeout=60,
            )
            made = r"(assay: made project (airline|python example)\n)?"
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertRegex(ran.stderr, f"^{made}$")
            self.assertNotEqual(ran.stdout, "")
