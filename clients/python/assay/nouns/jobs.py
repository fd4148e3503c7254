"""Jobs. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Callable, List, Optional

from ..noun import Noun
from ..operation import Operation
from ..types import DeleteByMetadataResponse, Job, OrgJob

_get = Operation("GET", "/v2/jobs/{job_id}", "read")
_delete_by_metadata = Operation("POST", "/v2/org-jobs/delete-by-metadata", "keyed")
_get_org_job = Operation("GET", "/v2/org-jobs/{job_id}", "read")
_list_run_jobs = Operation("GET", "/v2/projects/{project_id}/runs/{run_id}/jobs", "read")


class Jobs(Noun):
    """Work in the background: of a run, or of the whole organisation."""

    def get(
        self,
        job_id: str,
    ) -> Job:
        """Work in the background.

        The id of a validation's job is that of its task. Requires `scorer-job`; contract 5.13.
        """
        return self._ask(
            _get,
            path={"job_id": job_id},
        )

    def wait(
        self,
        job_id: str,
        *,
        progress: Optional[Callable[[Job], object]] = None,
        timeout: Optional[float] = None,
    ) -> Job:
        """Polls `get` to the end; `progress` is called with each change.

        After `timeout` seconds it raises `WaitTimedOut`; the work goes on.
        """
        return self._wait(
            lambda: self.get(job_id),
            progress,
            timeout,
        )

    def delete_by_metadata(
        self,
        *,
        metadata_key: str,
        metadata_value: str,
        dry_run: Optional[bool] = None,
        immediate: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> DeleteByMetadataResponse:
        """Delete all sessions and traces of the organisation that have a metadata entry.

        Runs in the background: poll the job. Its texts cannot be restored. With `dry_run` no job
        is made: `matched` says what it would delete, `ids` are the first 1,000. Unknown members
        and parameters are refused. Requires `admin`; contract 5.13.
        """
        return self._ask(
            _delete_by_metadata,
            query={"immediate": immediate},
            body={
                "metadata_key": metadata_key,
                "metadata_value": metadata_value,
                "dry_run": dry_run,
            },
            key=idempotency_key,
        )

    def get_org_job(
        self,
        job_id: str,
    ) -> OrgJob:
        """Read an organisation job.

        `metadata_value` is shown to admins only. Requires `org-job`; contract 4.14.
        """
        return self._ask(
            _get_org_job,
            path={"job_id": job_id},
        )

    def wait_org_job(
        self,
        job_id: str,
        *,
        progress: Optional[Callable[[OrgJob], object]] = None,
        timeout: Optional[float] = None,
    ) -> OrgJob:
        """Polls `get_org_job` to the end; `progress` is called with each change.

        After `timeout` seconds it raises `WaitTimedOut`; the work goes on.
        """
        return self._wait(
            lambda: self.get_org_job(job_id),
            progress,
            timeout,
        )

    def list_run_jobs(
        self,
        run_id: str,
        *,
        project_id: Optional[str] = None,
    ) -> List[Job]:
        """Work in the background for a run, newest first.

        At most 100. Requires `viewer`; contract 5.13.
        """
        return self._ask(
            _list_run_jobs,
            path={"project_id": project_id, "run_id": run_id},
        )
