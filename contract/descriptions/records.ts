import { mapRecordFields, mapSpanFields } from '../../kernel/records/span-fields.js';
import type { Descriptions } from './descriptions.js';

const spansAsSent =
  'NewLlmSpan NewRetrieverSpan NewToolSpan NewWorkflowSpan NewAgentSpan NewControlSpan';
const asSent = `NewTrace ${spansAsSent}`;
const sessions = 'Session SessionFields SessionTree';
const traces = 'Trace TraceFields TraceTree';
const spans = 'Span SpanFields SpanTree';
const asRead = `${sessions} ${traces} ${spans}`;

/** Sessions, traces and spans, as sent and as read (contract 3.1, 5.6, 5.7, 5.12). */
export const recordDescriptions: Descriptions = {
  members: {
    log_stream_id: 'Log stream; at most one of the three run members may be given.',
    experiment_id: 'Experiment; at most one of the three run members may be given.',
    metrics_testing_id: 'Metrics-testing run; at most one of the three run members may be given.',
    start_time: 'Earliest `created_at`, included; null: no lower end.',
    end_time: 'Latest `created_at`, included; null: no upper end.',
    run_id: 'Id of the log stream, experiment or metrics-testing run.',
    trace_id: 'Id of the trace.',
    span_id: 'Id of the span.',
    parent_id: 'Id of the parent: a span, or the trace.',
    project_name: 'Name of the project.',
    session_external_id:
      '`external_id` of the session of the traces, made when missing; null: none.',
    previous_session_id: 'Id of the session that this one continues; null: none.',
    input: 'Input of the step; null: empty.',
    output: 'Output of the step; null: nothing.',
    redacted_input: 'Input without confidential parts; stored and answered, never searched.',
    redacted_output: 'Output without confidential parts; stored and answered, never searched.',
    user_metadata: 'Texts by key, given by the sender; 200 keys at most.',
    tags: 'Labels, each once in the order sent, 100 at most.',
    ...mapRecordFields(({ description }) => description),
    dataset_metadata: 'Texts by key from the metadata of the dataset row.',
    step_number: 'Place among the siblings; null: last.',
    has_children: 'True when the record has spans, or the session traces, below it.',
    metric_info: 'Value and its origin by metric, own and rolled up.',
    scorer_value:
      'Score of a scorer of the same name, which the value that a client sent hides; absent: none.',
    annotations: 'Ratings: template id to user id to rating.',
    annotation_aggregates: 'Ratings counted by template id.',
    fully_annotated: 'True when each live annotation template has a rating of the trace.',
    num_spans: 'Number of spans; null unless `include_counts`.',
    num_traces: 'Number of traces; null unless `include_counts`.',
    num_sessions: 'Number of sessions; null unless `include_counts`.',
    duration_ns: 'Duration in nanoseconds, the metric `duration_ns`; null: unchanged.',
    ...mapSpanFields(({ description }) => description),
    events: 'Events of the model call, such as reasoning and web searches; null: none.',
    otel: 'Spans received from OpenTelemetry, as `ResourceSpans`; empty without any.',
    logging_method: 'Way in which the records were sent; null: `api_direct`.',
    client_version: 'Version of the client that sends; null: unknown.',
    reliable: 'Ignored: every 2xx is durable.',
    include_trace_ids: 'False answers `trace_ids` as null.',
    records_count: 'Number of accepted traces and spans.',
    traces_count: 'Number of accepted traces.',
    spans_count: 'Number of accepted spans.',
    new_records_count: 'Number of accepted traces and spans that were not there before.',
    trace_ids: 'Ids of the accepted traces in request order; null when not wanted.',
    deleted_count: 'Number of records that this call deleted, 1,000 at most.',
    remaining: 'True when records that match are still there.',
    tool_calls: 'Tool calls that the message requests; null: none.',
    function: 'Function that is called.',
    arguments: 'Arguments of the call as JSON text.',
    file_id: 'Id of the file.',
    text: 'Text of the part.',
    confidence: 'Confidence of the control, as it gives it; null: unknown.',
    resourceSpans: 'Resources with their spans, as OTLP/JSON has them.',
    resource_spans: 'The same as `resourceSpans`, in the spelling of the `.proto`.',
    partialSuccess: 'Spans that were refused; absent when all were recorded.',
    'partialSuccess.rejectedSpans': 'Number of refused spans, as text.',
    'partialSuccess.errorMessage': 'Reason why spans were refused.',
  },
  of: [
    {
      components: `${asSent} UpdateTrace UpdateSpan`,
      members: {
        metrics: 'Number, boolean, string or null by metric name.',
      },
    },
    {
      components: 'RecordDeletion',
      members: {
        dry_run: 'Say what would be deleted, delete nothing.',
      },
    },
    {
      components: 'RejectedItem',
      members: {
        index: 'Place of the item in the list of the request, from 0.',
        id: 'Id of the item as sent; null for any value but a string of up to 300 characters.',
        loc: 'Where it is wrong, as a 422 says it.',
        msg: 'Complaint about the item, in the words of a 422.',
      },
    },
    {
      components: 'LogTracesResponse LogSpansResponse',
      members: {
        rejected: 'Items that were not recorded, and why.',
        truncated: 'Paths of texts that were longer than 1 MiB and were cut.',
      },
    },
    {
      components: asSent,
      members: {
        id: 'Id that the record gets; null: the service makes one.',
        name: 'Name of the step, at most 255 characters; null: empty.',
        created_at: 'Time when the step began; null: time of receipt.',
        external_id: 'Id given by the sender, 1 to 1,024 characters; null: none.',
        dataset_metadata: 'Texts by key from the metadata of the dataset row; null: none.',
        spans: 'Spans below this record, nested to any depth; null: none.',
      },
    },
    {
      components: spansAsSent,
      members: {
        type: 'Kind of the span.',
        trace_id: 'Id of the trace, used where the span is not nested; null: from nesting.',
        parent_id: 'Id of the parent, used where the span is not nested; null: from nesting.',
      },
    },
    {
      components: 'NewTrace',
      members: {
        type: 'Kind of the record: `trace`; null: the same.',
        session_id: 'Session of the trace; null: that of the request.',
        redacted_input: 'Input without confidential parts; null: none.',
        redacted_output: 'Output without confidential parts; null: none.',
      },
    },
    {
      components: 'NewLlmSpan',
      members: {
        input: 'Messages to the model; a text is one `user` message; null: none.',
        output: 'Message of the model; a text is an `assistant` message; null: none.',
        tools: 'Tools offered to the model, as JSON objects; null: none.',
      },
    },
    {
      components: 'NewRetrieverSpan',
      members: {
        input: 'Query, as text; null: empty.',
        output: 'Documents that were found; a text or one document is a list of one.',
      },
    },
    {
      components: 'NewToolSpan',
      members: {
        input: 'Arguments of the tool as text; null: empty.',
        output: 'Result of the tool as text; null: none.',
      },
    },
    {
      components: 'NewControlSpan',
      members: { output: 'Result of the control; null: none.' },
    },
    {
      components: 'NewAgentSpan',
      members: { agent_type: 'Kind of agent; null: `default`.' },
    },
    {
      components: 'LogTraces',
      members: {
        session_id: 'Session of traces that name none; null: by `session_external_id`.',
        traces: 'Traces with their spans, 1 to 1,000; each is accepted or rejected.',
        is_complete: 'False: the traces are still going on and are not scored yet.',
      },
    },
    {
      components: 'LogSpans',
      members: { spans: 'Spans of the trace, 1 to 1,000; they may nest.' },
    },
    {
      components: 'LogSpans LogSpansResponse UpdateSpanResponse',
      members: { parent_id: 'Id of the record below which the spans stand.' },
    },
    {
      components: 'LogTracesResponse UpdateTraceResponse LogSpansResponse UpdateSpanResponse',
      members: {
        session_id: 'Session of the (last) trace; null: none.',
        log_stream_id: 'Log stream of the records; null: another kind of run.',
        experiment_id: 'Experiment of the records; null: another kind of run.',
        metrics_testing_id: 'Metrics-testing run of the records; null: another kind of run.',
      },
    },
    {
      components: 'UpdateTrace UpdateSpan',
      members: {
        input: 'Input that replaces the present one; null: unchanged.',
        output: 'Output that replaces the present one; null: unchanged.',
        status_code: 'Outcome as an HTTP-like code; null: unchanged.',
        tags: 'Labels that are added to the present ones; null: none.',
      },
    },
    {
      components: 'UpdateTrace',
      members: { is_complete: 'True ends the trace, so that it is scored; null: unchanged.' },
    },
    {
      components: 'CreateSession',
      members: {
        id: 'Id that the session gets; null: the service makes one.',
        name: 'Name of the session, at most 255 characters; null: empty.',
        external_id: 'Id given by the sender; one that the run has answers that session.',
      },
    },
    {
      components: 'CreateSessionResponse',
      members: { id: 'Id of the session.', name: 'Name of the session; empty when unnamed.' },
    },
    {
      components: asRead,
      members: {
        type: 'Kind of the record.',
        id: 'Id of the record.',
        name: 'Name of the record; empty when unnamed.',
        created_at: 'Time when the step began, in UTC to the microsecond.',
        updated_at: 'Time when the record last changed; null: never.',
        metrics: 'Own values by metric name, without rolled-up ones.',
        session_id: 'Session of the record; of a lone trace the id of the trace.',
        tags: 'Labels given by the sender.',
        is_complete: 'True when the trace, or every trace of the session, has ended.',
      },
    },
    {
      components: `${traces} ${spans}`,
      members: { input: 'Input of the step.' },
    },
    {
      components: sessions,
      members: {
        input: 'Input of the first trace; null: none.',
        output: 'Output of the last trace; null: none.',
        trace_id: 'Always null: a session has no trace of its own.',
      },
    },
    {
      components: 'SessionTree',
      members: {
        traces: 'Traces of this page with their spans, by `created_at`, then `id`.',
        starting_token: 'Offset of the first trace of the page, from 0.',
        next_starting_token: '`starting_token` of the next traces; null at the end.',
      },
    },
    {
      components: 'SpanTree TraceTree',
      members: { spans: 'Spans directly below, by `step_number`, then `created_at`.' },
    },
    {
      components: spans,
      members: {
        parent_id: 'Id of the parent: a span, or the trace.',
        tools: 'Tools offered to the model; null: none.',
        check_stage: '`pre` before, `post` after the checked step; null: unknown.',
      },
    },
    {
      components: 'SessionPage TracePage SpanPage SessionFieldsPage TraceFieldsPage SpanFieldsPage',
      members: { records: 'Records of the page, without their trees.' },
    },
    {
      components: 'CustomSearch',
      members: {
        start_time: 'Earliest `created_at`, included.',
        end_time: 'Latest `created_at`, included; not before `start_time`.',
      },
    },
    {
      components: 'ChatMessage',
      members: {
        content: 'Text, or parts, of the message.',
        role: 'Role of the speaker.',
      },
    },
    {
      components: 'TextPart FilePart LlmEvent',
      members: { type: 'Kind of the part or event.' },
    },
    { components: 'ToolCall', members: { id: 'Id of the call, which its answer names.' } },
    { components: 'FunctionCall', members: { name: 'Name of the function.' } },
    {
      components: 'RetrievedDocument',
      members: {
        content: 'Text of the document.',
        metadata: 'Texts, numbers and booleans by key about the document; null: none.',
      },
    },
    {
      components: 'ControlResult',
      members: {
        action: 'Decision of the control.',
        matched: 'True when the condition of the control was met.',
        error_message: 'Reason why the control failed; null: it did not.',
      },
    },
    {
      components: 'DeletedRecords',
      members: { ids: 'Ids that match a dry run, the first 1,000 in the order of calls.' },
    },
  ],
};
