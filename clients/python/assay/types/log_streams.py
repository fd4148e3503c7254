"""Types of log streams. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional, TypedDict

from .several import UserSummary

__all__ = [
    "Insights",
    "InsightsInput",
    "InsightsSettings",
    "LogStream",
    "LogStreamInsights",
    "LogStreamInsightsInput",
    "LogStreamPage",
]


class Insights(TypedDict):
    logstream: LogStreamInsights


class InsightsInput(TypedDict, total=False):
    logstream: LogStreamInsightsInput


class InsightsSettings(TypedDict):
    run_id: str
    insights: Insights


class LogStream(TypedDict):
    id: str
    name: str
    project_id: str
    created_at: str
    updated_at: str
    created_by: str
    created_by_user: Optional[UserSummary]
    num_spans: Optional[int]
    num_traces: Optional[int]
    has_user_created_sessions: Optional[bool]


class LogStreamInsights(TypedDict):
    enabled: bool
    start_time: Optional[str]


class LogStreamInsightsInput(TypedDict):
    enabled: bool


class LogStreamPage(TypedDict):
    starting_token: int
    limit: int
    paginated: bool
    next_starting_token: Optional[int]
    log_streams: List[LogStream]
