// Written by npm run generate from the contract: change that.
import type {
  ChatMessage,
  ContentPart,
  ControlResult,
  LlmEvent,
  RetrievedDocument,
} from './traces-types.js';

export type NewAgentSpan = {
  /** Kind of the span. */
  readonly type: 'agent';
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Input of the step; null: empty. */
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Output of the step; null: nothing. */
  readonly output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Id of the parent, used where the span is not nested; null: from nesting. */
  readonly parent_id?: string | null;
  /** Id of the trace, used where the span is not nested; null: from nesting. */
  readonly trace_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
  /** Kind of agent; null: `default`. */
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
  /** Kind of the span. */
  readonly type: 'control';
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Input of the step; null: empty. */
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Result of the control; null: none. */
  readonly output?: ControlResult | null;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?: ControlResult | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Id of the parent, used where the span is not nested; null: from nesting. */
  readonly parent_id?: string | null;
  /** Id of the trace, used where the span is not nested; null: from nesting. */
  readonly trace_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
  /** Number of the control; null: none. */
  readonly control_id?: number | null;
  /** Agent that the control guards; null: none. */
  readonly agent_name?: string | null;
  /** Whether the control runs before (`pre`) or after (`post`) the step. */
  readonly check_stage?: 'pre' | 'post' | null;
  /** Kind of call that the control checks; null: unknown. */
  readonly applies_to?: 'tool_call' | 'llm_call' | null;
  /** Evaluator behind the control; null: unknown. */
  readonly evaluator_name?: string | null;
  /** Part of the step that the control checks; null: unknown. */
  readonly selector_path?: string | null;
};

export type NewLlmSpan = {
  /** Kind of the span. */
  readonly type: 'llm';
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Messages to the model; a text is one `user` message; null: none. */
  readonly input?: string | readonly ChatMessage[] | null;
  /** Message of the model; a text is an `assistant` message; null: none. */
  readonly output?: string | ChatMessage | null;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: string | readonly ChatMessage[] | null;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?: string | ChatMessage | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Id of the parent, used where the span is not nested; null: from nesting. */
  readonly parent_id?: string | null;
  /** Id of the trace, used where the span is not nested; null: from nesting. */
  readonly trace_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
  /** Tools offered to the model, as JSON objects; null: none. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[] | null;
  /** Events of the model call, such as reasoning and web searches; null: none. */
  readonly events?: readonly LlmEvent[] | null;
  /** Name of the model; null: unknown. */
  readonly model?: string | null;
  /** Sampling temperature; null: unknown. */
  readonly temperature?: number | null;
  /** Reason why generation stopped, for example `stop`; null: unknown. */
  readonly finish_reason?: string | null;
};

export type NewRetrieverSpan = {
  /** Kind of the span. */
  readonly type: 'retriever';
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Query, as text; null: empty. */
  readonly input?: string | null;
  /** Documents that were found; a text or one document is a list of one. */
  readonly output?: string | RetrievedDocument | readonly RetrievedDocument[] | null;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: string | null;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?: string | RetrievedDocument | readonly RetrievedDocument[] | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Id of the parent, used where the span is not nested; null: from nesting. */
  readonly parent_id?: string | null;
  /** Id of the trace, used where the span is not nested; null: from nesting. */
  readonly trace_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
};

export type NewSpan =
  NewLlmSpan | NewRetrieverSpan | NewToolSpan | NewWorkflowSpan | NewAgentSpan | NewControlSpan;

export type NewToolSpan = {
  /** Kind of the span. */
  readonly type: 'tool';
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Arguments of the tool as text; null: empty. */
  readonly input?: string | null;
  /** Result of the tool as text; null: none. */
  readonly output?: string | null;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: string | null;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?: string | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Id of the parent, used where the span is not nested; null: from nesting. */
  readonly parent_id?: string | null;
  /** Id of the trace, used where the span is not nested; null: from nesting. */
  readonly trace_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
  /** Id of the tool call that is answered; null: none. */
  readonly tool_call_id?: string | null;
};

export type NewWorkflowSpan = {
  /** Kind of the span. */
  readonly type: 'workflow';
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Input of the step; null: empty. */
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Output of the step; null: nothing. */
  readonly output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?:
    | string
    | ChatMessage
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | ControlResult
    | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Id of the parent, used where the span is not nested; null: from nesting. */
  readonly parent_id?: string | null;
  /** Id of the trace, used where the span is not nested; null: from nesting. */
  readonly trace_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
};
