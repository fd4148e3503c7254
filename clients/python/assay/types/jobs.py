"""Types of jobs. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from .several import ScoringCounts

__all__ = [
    "DeleteByMetadataResponse",
    "Job",
    "OrgJob",
    "OrgJobRequest",
    "OrgJobResult",
]


class _DeleteByMetadataResponse(TypedDict):
    job_id: Optional[str]
    message: str


class DeleteByMetadataResponse(_DeleteByMetadataResponse, total=False):
    matched: OrgJobResult
    matched_count: int
    ids: List[str]
    more: bool


class Job(TypedDict):
    id: str
    job_name: Literal["registered_scorer_validation", "log_stream_scorer", "score_records"]
    project_id: Optional[str]
    run_id: Optional[str]
    status: Literal["unstarted", "in_progress", "completed", "failed", "cancelled"]
    progress_percent: float
    progress_message: Optional[str]
    steps_completed: int
    steps_total: int
    retries: int
    request_data: Dict[str, Any]
    error_message: Optional[str]
    counts: Optional[ScoringCounts]
    created_at: str
    updated_at: str
    processing_started: Optional[str]
    completed_at: Optional[str]
    failed_at: Optional[str]


class OrgJob(TypedDict):
    id: str
    organization_id: str
    job_name: str
    status: Literal["pending", "processing", "completed", "failed"]
    request_data: OrgJobRequest
    created_at: str
    updated_at: str
    error_message: Optional[str]
    created_by: Optional[str]
    result: Optional[OrgJobResult]


class OrgJobRequest(TypedDict):
    metadata_key: str
    metadata_value: str
    immediate: bool


class OrgJobResult(TypedDict):
    projects: int
    sessions: int
    traces: int
    spans: int
