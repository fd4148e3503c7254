import type {
  Span,
  SpanFields,
  SpanFieldsPage,
} from '../../clients/typescript/src/generated/spans-types.js';
import type { Operations } from '../client/operations.js';
import type { TraceRecord } from './record-facts.js';
import type { TreeSpan } from './tree.js';

/** The members of a span that the outline of a trace shows. */
export type OutlineSpan = TreeSpan &
  Pick<Span, 'name' | 'status_code' | 'model' | 'tool_call_id'> & {
    readonly user_metadata?: Readonly<Record<string, string>>;
  };

const outlineFields = [
  'type',
  'name',
  'created_at',
  'parent_id',
  'step_number',
  'status_code',
  'model',
  'tool_call_id',
  'metrics/duration_ns',
  'metrics/time_to_first_token_ns',
  'metrics/cost',
  'metrics/num_total_tokens',
  'user_metadata/error.message',
];

/** Spans of one trace that are shown; a longer one says so. */
export const spansMax = 20_000;
const pageSize = 1_000;
/** Short, so that it is on screen soon. */
const firstPageSize = 100;

type Place = { readonly projectId: string; readonly traceId: string };

/** A trace whole, without its spans; null when the project has none of this id. */
export const readTrace = async (
  operations: Operations,
  { projectId, traceId }: Place,
  signal: AbortSignal,
): Promise<TraceRecord | null> => {
  const page = await operations.traces.search(
    {
      project_id: projectId,
      filters: [{ type: 'id', name: 'id', value: traceId }],
      include_counts: true,
      limit: 1,
    },
    { signal },
  );
  return page.records[0] ?? null;
};

/** Spans of a trace without their texts, oldest first. `onPage` gets those that came so far. */
export const readOutline = async (
  operations: Operations,
  { projectId, traceId }: Place,
  signal: AbortSignal,
  onPage: (spans: readonly OutlineSpan[]) => void,
): Promise<readonly OutlineSpan[]> => {
  const spans: OutlineSpan[] = [];
  let token: number | null = 0;
  while (token !== null && spans.length < spansMax) {
    const page: SpanFieldsPage = await operations.spans.search(
      {
        project_id: projectId,
        filters: [ofTrace(traceId)],
        sort: { column_id: 'created_at' },
        limit: token === 0 ? firstPageSize : pageSize,
        starting_token: token,
        fields: outlineFields,
      },
      { signal },
    );
    spans.push(...page.records.map(outlineSpan));
    token = page.next_starting_token;
    if (token !== null) onPage([...spans]);
  }
  return spans;
};

/** A record of the answer; it has all fields that the question names. */
const outlineSpan = (record: SpanFields): OutlineSpan => ({
  ...(record as SpanFields & Pick<Span, 'name' | 'status_code' | 'created_at'>),
  type: record.type ?? 'workflow',
});

const ofTrace = (traceId: string) => ({ type: 'id', name: 'trace_id', value: traceId }) as const;

/** One span whole; null when the trace has none of this id. */
export const readSpan = async (
  operations: Operations,
  { projectId, traceId }: Place,
  spanId: string,
  signal: AbortSignal,
): Promise<Span | null> => {
  const page = await operations.spans.search(
    {
      project_id: projectId,
      filters: [{ type: 'id', name: 'id', value: spanId }, ofTrace(traceId)],
      limit: 1,
    },
    { signal },
  );
  return page.records[0] ?? null;
};

/** Ids of the spans whose input or output contains the text, in any case; the first 1,000. */
export const readSpansWithText = async (
  operations: Operations,
  { projectId, traceId }: Place,
  text: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const leafOf = (name: string) =>
    ({ type: 'text', name, operator: 'contains', value: text, case_sensitive: false }) as const;
  const page = await operations.spans.search(
    {
      project_id: projectId,
      filters: [ofTrace(traceId)],
      filter_tree: { or: [{ filter: leafOf('input') }, { filter: leafOf('output') }] },
      limit: pageSize,
      fields: ['type'],
    },
    { signal },
  );
  return new Set(page.records.map(({ id }) => id));
};
