"""Types of records. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .several import SpanPrice

__all__ = [
    "ChatMessage",
    "ContentPart",
    "ControlResult",
    "FilePart",
    "FunctionCall",
    "LlmEvent",
    "MetricError",
    "MetricInfo",
    "MetricRollUp",
    "MetricSuccess",
    "NewAgentSpan",
    "NewControlSpan",
    "NewLlmSpan",
    "NewRetrieverSpan",
    "NewSpan",
    "NewToolSpan",
    "NewWorkflowSpan",
    "RetrievedDocument",
    "SpanTree",
    "StructuredError",
    "TextPart",
    "ToolCall",
    "TraceTree",
]


class _ChatMessage(TypedDict):
    content: Union[str, List[ContentPart]]
    role: Literal["agent", "assistant", "developer", "function", "system", "tool", "user"]


class ChatMessage(_ChatMessage, total=False):
    tool_call_id: Optional[str]
    tool_calls: Optional[List[ToolCall]]


ContentPart = Union["TextPart", "FilePart"]


class _ControlResult(TypedDict):
    action: Literal["deny", "steer", "observe"]
    matched: bool


class ControlResult(_ControlResult, total=False):
    confidence: Optional[float]
    error_message: Optional[str]


class FilePart(TypedDict):
    type: Literal["file"]
    file_id: str


class FunctionCall(TypedDict):
    name: str
    arguments: str


class LlmEvent(TypedDict):
    type: Literal[
        "message",
        "reasoning",
        "internal_tool_call",
        "web_search_call",
        "image_generation",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
    ]


class MetricError(TypedDict):
    status_type: Literal["error"]
    message: str
    ems_error_code: int
    standard_error: StructuredError


MetricInfo = Union["MetricSuccess", "MetricRollUp", "MetricError"]


class MetricRollUp(TypedDict):
    status_type: Literal["roll_up"]
    value: Any
    roll_up_metrics: Dict[str, Any]


class _MetricSuccess(TypedDict):
    status_type: Literal["success"]
    value: Any


class MetricSuccess(_MetricSuccess, total=False):
    scorer_value: Any
    price: SpanPrice


class _NewAgentSpan(TypedDict):
    type: Literal["agent"]


class NewAgentSpan(_NewAgentSpan, total=False):
    id: Optional[str]
    input: Optional[Union[str, List[ChatMessage], List[ContentPart]]]
    output: Optional[
        Union[str, ChatMessage, List[RetrievedDocument], List[ContentPart], ControlResult]
    ]
    redacted_input: Optional[Union[str, List[ChatMessage], List[ContentPart]]]
    redacted_output: Optional[
        Union[str, ChatMessage, List[RetrievedDocument], List[ContentPart], ControlResult]
    ]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    step_number: Optional[int]
    parent_id: Optional[str]
    trace_id: Optional[str]
    spans: Optional[List[NewSpan]]
    agent_type: Optional[
        Literal[
            "react",
            "supervisor",
            "classifier",
            "planner",
            "judge",
            "reflection",
            "router",
            "default",
        ]
    ]


class _NewControlSpan(TypedDict):
    type: Literal["control"]


class NewControlSpan(_NewControlSpan, total=False):
    id: Optional[str]
    input: Optional[Union[str, List[ChatMessage], List[ContentPart]]]
    output: Optional[ControlResult]
    redacted_input: Optional[Union[str, List[ChatMessage], List[ContentPart]]]
    redacted_output: Optional[ControlResult]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    step_number: Optional[int]
    parent_id: Optional[str]
    trace_id: Optional[str]
    spans: Optional[List[NewSpan]]
    control_id: Optional[int]
    agent_name: Optional[str]
    check_stage: Optional[Literal["pre", "post"]]
    applies_to: Optional[Literal["tool_call", "llm_call"]]
    evaluator_name: Optional[str]
    selector_path: Optional[str]


class _NewLlmSpan(TypedDict):
    type: Literal["llm"]


class NewLlmSpan(_NewLlmSpan, total=False):
    id: Optional[str]
    input: Optional[Union[str, List[ChatMessage]]]
    output: Optional[Union[str, ChatMessage]]
    redacted_input: Optional[Union[str, List[ChatMessage]]]
    redacted_output: Optional[Union[str, ChatMessage]]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    step_number: Optional[int]
    parent_id: Optional[str]
    trace_id: Optional[str]
    spans: Optional[List[NewSpan]]
    tools: Optional[List[Dict[str, Any]]]
    events: Optional[List[LlmEvent]]
    model: Optional[str]
    temperature: Optional[float]
    finish_reason: Optional[str]


class _NewRetrieverSpan(TypedDict):
    type: Literal["retriever"]


class NewRetrieverSpan(_NewRetrieverSpan, total=False):
    id: Optional[str]
    input: Optional[str]
    output: Optional[Union[str, RetrievedDocument, List[RetrievedDocument]]]
    redacted_input: Optional[str]
    redacted_output: Optional[Union[str, RetrievedDocument, List[RetrievedDocument]]]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    step_number: Optional[int]
    parent_id: Optional[str]
    trace_id: Optional[str]
    spans: Optional[List[NewSpan]]


NewSpan = Union[
    "NewLlmSpan",
    "NewRetrieverSpan",
    "NewToolSpan",
    "NewWorkflowSpan",
    "NewAgentSpan",
    "NewControlSpan",
]


class _NewToolSpan(TypedDict):
    type: Literal["tool"]


class NewToolSpan(_NewToolSpan, total=False):
    id: Optional[str]
    input: Optional[str]
    output: Optional[str]
    redacted_input: Optional[str]
    redacted_output: Optional[str]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    step_number: Optional[int]
    parent_id: Optional[str]
    trace_id: Optional[str]
    spans: Optional[List[NewSpan]]
    tool_call_id: Optional[str]


class _NewWorkflowSpan(TypedDict):
    type: Literal["workflow"]


class NewWorkflowSpan(_NewWorkflowSpan, total=False):
    id: Optional[str]
    input: Optional[Union[str, List[ChatMessage], List[ContentPart]]]
    output: Optional[
        Union[str, ChatMessage, List[RetrievedDocument], List[ContentPart], ControlResult]
    ]
    redacted_input: Optional[Union[str, List[ChatMessage], List[ContentPart]]]
    redacted_output: Optional[
        Union[str, ChatMessage, List[RetrievedDocument], List[ContentPart], ControlResult]
    ]
    name: Optional[str]
    created_at: Optional[str]
    user_metadata: Optional[Dict[str, Optional[str]]]
    tags: Optional[List[Optional[str]]]
    status_code: Optional[int]
    metrics: Optional[Dict[str, Any]]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Optional[Dict[str, Optional[str]]]
    step_number: Optional[int]
    parent_id: Optional[str]
    trace_id: Optional[str]
    spans: Optional[List[NewSpan]]


class _RetrievedDocument(TypedDict):
    content: str


class RetrievedDocument(_RetrievedDocument, total=False):
    metadata: Optional[Dict[str, Optional[Union[str, float, bool]]]]


class _SpanTree(TypedDict):
    type: Literal["llm", "control", "retriever", "agent", "tool", "workflow"]
    id: str
    project_id: str
    run_id: str
    session_id: Optional[str]
    trace_id: Optional[str]
    name: str
    created_at: str
    updated_at: Optional[str]
    input: Any
    output: Any
    redacted_input: Any
    redacted_output: Any
    user_metadata: Dict[str, str]
    tags: List[str]
    status_code: Optional[int]
    metrics: Dict[str, Any]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Dict[str, str]
    has_children: bool
    is_complete: bool
    metric_info: Dict[str, MetricInfo]
    spans: List[SpanTree]


class SpanTree(_SpanTree, total=False):
    parent_id: Optional[str]
    step_number: Optional[int]
    tools: Any
    events: Any
    model: Optional[str]
    temperature: Optional[float]
    finish_reason: Optional[str]
    tool_call_id: Optional[str]
    agent_type: Optional[str]
    control_id: Optional[int]
    agent_name: Optional[str]
    check_stage: Optional[str]
    applies_to: Optional[str]
    evaluator_name: Optional[str]
    selector_path: Optional[str]
    otel: List[Any]


class StructuredError(TypedDict):
    error_code: int
    error_type: Literal[
        "llm_api_error",
        "credentials_error",
        "data_validation_error",
        "configuration_error",
        "permission_error",
        "not_found_error",
        "workflow_error",
        "rate_limit_error",
        "system_error",
        "not_applicable_reason",
        "uncataloged_error",
    ]
    error_group: str
    severity: Literal["low", "medium", "high", "critical"]
    message: str
    user_action: Optional[str]
    documentation_link: Optional[str]
    retriable: bool
    blocking: bool
    http_status_code: Optional[int]
    source_service: Optional[str]
    context: Dict[str, Any]


class TextPart(TypedDict):
    type: Literal["text"]
    text: str


class ToolCall(TypedDict):
    id: str
    function: FunctionCall


class _TraceTree(TypedDict):
    type: Literal["trace"]
    id: str
    project_id: str
    run_id: str
    session_id: Optional[str]
    trace_id: Optional[str]
    name: str
    created_at: str
    updated_at: Optional[str]
    input: Any
    output: Any
    redacted_input: Any
    redacted_output: Any
    user_metadata: Dict[str, str]
    tags: List[str]
    status_code: Optional[int]
    metrics: Dict[str, Any]
    external_id: Optional[str]
    dataset_input: Optional[str]
    dataset_output: Optional[str]
    dataset_metadata: Dict[str, str]
    has_children: bool
    is_complete: bool
    metric_info: Dict[str, MetricInfo]
    annotations: Dict[str, Any]
    annotation_aggregates: Dict[str, Any]
    fully_annotated: bool
    spans: List[SpanTree]


class TraceTree(_TraceTree, total=False):
    num_spans: Optional[int]
    otel: List[Any]
