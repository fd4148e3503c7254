// Written by npm run client:typescript from the contract: change that.
import type {
  ChatMessage,
  ContentPart,
  ControlResult,
  LlmEvent,
  RetrievedDocument,
} from './traces-types.js';

export type LogTraces = {
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly traces: readonly NewTrace[];
  readonly session_id?: string | null;
  readonly session_external_id?: string | null;
  readonly is_complete?: boolean | null;
  readonly include_trace_ids?: boolean | null;
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  readonly client_version?: string | null;
  readonly reliable?: unknown;
};

export type LogTracesResponse = {
  readonly project_id: string;
  readonly project_name: string;
  readonly log_stream_id: string | null;
  readonly experiment_id: string | null;
  readonly metrics_testing_id: string | null;
  readonly session_id: string | null;
  readonly records_count: number;
  readonly traces_count: number;
  readonly spans_count: number;
  readonly new_records_count: number;
  readonly trace_ids: readonly string[] | null;

  /** Items that were not recorded, and why. */
  readonly rejected: readonly RejectedItem[];

  /** Paths of texts that were longer than 1 MiB and were cut. */
  readonly truncated: readonly (readonly string[])[];
};

export type NewAgentSpan = {
  readonly type: 'agent';
  readonly id?: string | null;
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  readonly redacted_input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly redacted_output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
  readonly agent_type?:
    | 'react'
    | 'supervisor'
    | 'classifier'
    | 'planner'
    | 'judge'
    | 'reflection'
    | 'router'
    | 'default'
    | null;
};

export type NewControlSpan = {
  readonly type: 'control';
  readonly id?: string | null;
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly output?: ControlResult | null;
  readonly redacted_input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly redacted_output?: ControlResult | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
  readonly control_id?: number | null;
  readonly agent_name?: string | null;
  readonly check_stage?: 'pre' | 'post' | null;
  readonly applies_to?: 'tool_call' | 'llm_call' | null;
  readonly evaluator_name?: string | null;
  readonly selector_path?: string | null;
};

export type NewLlmSpan = {
  readonly type: 'llm';
  readonly id?: string | null;
  readonly input?: string | readonly ChatMessage[] | null;
  readonly output?: string | ChatMessage | null;
  readonly redacted_input?: string | readonly ChatMessage[] | null;
  readonly redacted_output?: string | ChatMessage | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
  readonly tools?: readonly Readonly<Record<string, unknown>>[] | null;
  readonly events?: readonly LlmEvent[] | null;
  readonly model?: string | null;
  readonly temperature?: number | null;
  readonly finish_reason?: string | null;
};

export type NewRetrieverSpan = {
  readonly type: 'retriever';
  readonly id?: string | null;
  readonly input?: string | null;
  readonly output?: string | RetrievedDocument | readonly RetrievedDocument[] | null;
  readonly redacted_input?: string | null;
  readonly redacted_output?: string | RetrievedDocument | readonly RetrievedDocument[] | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
};

export type NewSpan =
  NewLlmSpan | NewRetrieverSpan | NewToolSpan | NewWorkflowSpan | NewAgentSpan | NewControlSpan;

export type NewToolSpan = {
  readonly type: 'tool';
  readonly id?: string | null;
  readonly input?: string | null;
  readonly output?: string | null;
  readonly redacted_input?: string | null;
  readonly redacted_output?: string | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
  readonly tool_call_id?: string | null;
};

export type NewTrace = {
  readonly type?: 'trace' | null;
  readonly id?: string | null;
  readonly input?: string | readonly ContentPart[] | null;
  readonly output?: string | readonly ContentPart[] | null;
  readonly redacted_input?: string | readonly ContentPart[] | null;
  readonly redacted_output?: string | readonly ContentPart[] | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly session_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
};

export type NewWorkflowSpan = {
  readonly type: 'workflow';
  readonly id?: string | null;
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  readonly redacted_input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly redacted_output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly status_code?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly external_id?: string | null;
  readonly dataset_input?: string | null;
  readonly dataset_output?: string | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  readonly spans?: readonly NewSpan[] | null;
};

export type RejectedItem = {
  /** Its place in the list of the request. */
  readonly index: number;

  /** Its id as sent; null when that is no short string. */
  readonly id: string | null;

  /** Where it is wrong, as a 422 says it. */
  readonly loc: readonly string[];

  /** What is wrong, as a 422 says it. */
  readonly msg: string;
};

export type StructuredError = {
  readonly error_code: number;
  readonly error_type:
    | 'llm_api_error'
    | 'credentials_error'
    | 'data_validation_error'
    | 'configuration_error'
    | 'permission_error'
    | 'not_found_error'
    | 'workflow_error'
    | 'rate_limit_error'
    | 'system_error'
    | 'not_applicable_reason'
    | 'uncataloged_error';
  readonly error_group: string;
  readonly severity: 'low' | 'medium' | 'high' | 'critical';
  readonly message: string;
  readonly user_action: string | null;
  readonly documentation_link: string | null;
  readonly retriable: boolean;
  readonly blocking: boolean;
  readonly http_status_code: number | null;
  readonly source_service: string | null;
  readonly context: Readonly<Record<string, unknown>>;
};
