"""History exports. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Literal, Optional

from ..downloads import Download
from ..noun import Noun
from ..operation import Operation

_certify_erasure = Operation("GET", "/v2/history/certificate", "read", answer="file")
_export_history = Operation("GET", "/v2/history/export", "read", answer="file")
_history_feed = Operation("GET", "/v2/history/feed", "read", answer="file")


class HistoryExports(Noun):
    """The history in forms that others check and collect."""

    def certify_erasure(
        self,
        *,
        deletion_id: Optional[str] = None,
        job_id: Optional[str] = None,
        run_id: Optional[str] = None,
        dataset_id: Optional[str] = None,
        project_id: Optional[str] = None,
    ) -> Download:
        """Certificate of an erasure: what was erased, proofs and a signed statement.

        Exactly one of the parameters. A line is an entry with its place in the sealed tree; the
        last one is `{"certificate", "jws"}`, which says in words what is proven and what is only
        attested. 409 while the content is not erased or the erasure not sealed. A misspelt member
        is refused. Requires `audit-org`; contract 5.14.
        """
        return self._ask(
            _certify_erasure,
            query={
                "deletion_id": deletion_id,
                "job_id": job_id,
                "run_id": run_id,
                "dataset_id": dataset_id,
                "project_id": project_id,
            },
        )

    def export_history(
        self,
        *,
        project_id: Optional[str] = None,
        resource_type: Optional[
            Literal[
                "organization",
                "user",
                "api_key",
                "group",
                "project",
                "log_stream",
                "experiment",
                "session",
                "trace",
                "dataset",
                "annotation_template",
                "prompt_template",
                "scorer",
                "scorer_task",
                "integration",
                "org_job",
            ]
        ] = None,
        resource_id: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        start_time: Optional[str] = None,
        end_time: Optional[str] = None,
        cursor: Optional[str] = None,
    ) -> Download:
        """The history as lines of a bundle that can be checked without the service.

        The first line is `{"begun", "cursor"}`: what the bundle is of, with the seal that it is
        checked by; the last one `{"next_cursor"}`. Between them are entries with their data as
        stored, and hashes in place of those that were not selected. verifier/ALGORITHM.md has the
        steps of the check. A misspelt member is refused. Requires `audit-resource`; contract
        5.14.
        """
        return self._ask(
            _export_history,
            query={
                "project_id": project_id,
                "resource_type": resource_type,
                "resource_id": resource_id,
                "from": from_,
                "to": to,
                "start_time": start_time,
                "end_time": end_time,
                "cursor": cursor,
            },
        )

    def history_feed(
        self,
        *,
        cursor: Optional[str] = None,
        format: Optional[Literal["cloudevents", "ocsf"]] = None,
        records: Optional[bool] = None,
    ) -> Download:
        """Feed of audit events for a collector, one event per line.

        CloudEvents 1.0 or OCSF 1.7, oldest first, at most 1,000 lines. The last line is
        `{"next_cursor"}`: send it with the next request, also after an empty one. A misspelt
        member is refused. Requires `audit-org`; contract 5.14.
        """
        return self._ask(
            _history_feed,
            query={"cursor": cursor, "format": format, "records": records},
        )
