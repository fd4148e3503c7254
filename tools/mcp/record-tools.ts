import { Type } from 'typebox';
import type { JsonObject } from '../../kernel/schema-types.js';
import { conditionMembers, argumentPathOf, filterTreeOf } from './conditions.js';
import { flattenTree, recordView, type ReadRecord } from './record-view.js';
import {
  boundMember,
  pageMembers,
  projectMember,
  readTool,
  runMembers,
  windowMembers,
  type McpPage,
  type McpTool,
} from './tool.js';

/** The service itself cuts texts to this length (contract 5.7). */
const truncatedTo = 1_000;
/** Text limits: enough to recognise a record by; enough to follow a trace; one span in full. */
const characters = { search: 300, trace: 1_500, span: 7_000 } as const;
const charactersMax = 100_000;

const textMember = (usual: number) => ({
  text_chars: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: charactersMax,
      default: usual,
      description: 'Each text of a record is cut to this many characters.',
    }),
  ),
});

type Kind = 'traces' | 'spans' | 'sessions';
const kindDescriptions: Readonly<Record<Kind, string>> = {
  traces:
    'Search traces (one request of an application each) by conditions on texts, metrics, tags ' +
    'and metadata, or on their spans by filter_tree.',
  spans:
    'Search spans, the steps inside traces: model calls (type llm), tool, retriever, agent, ' +
    'workflow and control. Use it to find a model, a tool or an error inside requests.',
  sessions: 'Search sessions, which are conversations: series of traces.',
};

const searchTool = (kind: Kind): McpTool =>
  readTool({
    name: `search_${kind}`,
    title: `Search ${kind}`,
    description: `${kindDescriptions[kind]} Newest first unless sorted; texts are cut, ${
      kind === 'spans' ? 'read_span' : 'read_trace'
    } has them whole. Columns: list_columns.`,
    list: kind,
    members: {
      ...projectMember,
      ...conditionMembers,
      ...runMembers,
      ...windowMembers,
      sort_by: Type.Optional(Type.String({ description: 'A column: metrics/cost …' })),
      ascending: Type.Optional(Type.Boolean({ default: false })),
      fields: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: 50,
          description: 'Only these members of each: ["name", "output", "metrics"].',
        }),
      ),
      include_total: Type.Optional(
        Type.Boolean({ default: false, description: 'Also how many there are in all.' }),
      ),
      ...textMember(characters.search),
      ...pageMembers(20, 200),
    },
    run: async (asked, { call, names }) => {
      const { limit = 20, starting_token = 0, text_chars = characters.search, fields } = asked;
      const projectId = await names.project(asked.project);
      const chosen = {
        ...(await names.run(projectId, asked)),
        filter_tree: filterTreeOf(asked),
        start_time: asked.start_time ?? null,
        end_time: asked.end_time ?? null,
      };
      const root = `/projects/${projectId}/${kind}`;
      const place = argumentPathOf(asked);
      const sort = sortOf(asked);
      const [page, total] = await Promise.all([
        call<McpPage<'records', ReadRecord>>('POST', `${root}/search`, {
          body: {
            ...chosen,
            sort,
            limit,
            starting_token,
            truncate_fields: text_chars < truncatedTo,
          },
          place,
        }),
        asked.include_total === true
          ? call<{ readonly total_count: number }>('POST', `${root}/count`, { body: chosen, place })
          : null,
      ]);
      const { records, next_starting_token } = page.body;
      const window = { start: 0, characters: text_chars };
      return {
        head: {
          project_id: projectId,
          ...(total !== null && { total_count: total.body.total_count }),
        },
        items: records.map((one) => recordView(one, window, fields ?? null)),
        start: starting_token,
        next: next_starting_token,
        hint: 'narrower conditions, fields and a smaller text_chars make it shorter',
        notes: unknownColumnNotes(page.unknownColumns),
      };
    },
  });

const sortOf = (asked: { readonly sort_by?: string; readonly ascending?: boolean }) =>
  asked.sort_by === undefined
    ? null
    : { column_id: asked.sort_by, ascending: asked.ascending ?? false };

/** Note for a filter on an unrecorded metric, which finds nothing and is no error. */
export const unknownColumnNotes = (columns: readonly string[]): readonly string[] =>
  columns.length === 0
    ? []
    : [`Not recorded in this project: ${columns.join(', ')}. See list_columns.`];

/** Shown once, by the trace. */
const traceOnlyMembers = new Set(['run_id', 'session_id', 'trace_id', 'is_complete']);

const treeOfSpans = (
  spans: readonly ReadRecord[],
  types: readonly string[] | undefined,
  window: { readonly start: number; readonly characters: number },
): readonly JsonObject[] =>
  flattenTree(spans)
    .filter(({ span }) => types === undefined || types.includes(span.type))
    .map(({ depth, span }) => {
      const shown = Object.entries(recordView(span, window));
      return {
        depth,
        ...Object.fromEntries(shown.filter(([name]) => !traceOnlyMembers.has(name))),
      };
    });

const pageOfSpans = {
  types: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 10,
      description: 'Only spans of these types: llm, tool, retriever, agent, workflow, control.',
    }),
  ),
  starting_token: Type.Optional(
    Type.Integer({ minimum: 0, default: 0, description: 'Go on at this span.' }),
  ),
  ...boundMember,
};

const readTrace = readTool({
  name: 'read_trace',
  title: 'Read a trace',
  description:
    'One trace with its tree of spans, messages included. Spans come as a list in the order of ' +
    'the tree: each after the one it is in, with its depth and parent_id.',
  list: 'spans',
  members: {
    ...projectMember,
    trace_id: Type.String({ description: 'The id of a trace, from search_traces.' }),
    ...textMember(characters.trace),
    ...pageOfSpans,
  },
  run: async (asked, { call, names }) => {
    const { text_chars = characters.trace, starting_token = 0, types } = asked;
    const projectId = await names.project(asked.project);
    const path = `/projects/${projectId}/traces/${encodeURIComponent(asked.trace_id)}`;
    const { body } = await call<ReadRecord>('GET', path);
    const window = { start: 0, characters: text_chars };
    const spans = treeOfSpans(body.spans ?? [], types, window);
    return {
      head: { trace: recordView(body, window), number_of_spans: spans.length },
      items: spans.slice(starting_token),
      start: starting_token,
      next: null,
      hint: 'read_span has one span with its texts, types and a smaller text_chars leave some out',
    };
  },
});

const readSpan = readTool({
  name: 'read_span',
  title: 'Read a span',
  description:
    'One span with its whole texts and messages, and the spans below it as read_trace lists ' +
    'them. Of a text longer than text_chars, text_start shows a later part.',
  list: 'spans_below',
  members: {
    ...projectMember,
    span_id: Type.String({ description: 'The id of a span, from search_spans or read_trace.' }),
    ...textMember(characters.span),
    text_start: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: 'Long texts are shown from there on.' }),
    ),
    ...pageOfSpans,
  },
  run: async (asked, { call, names }) => {
    const { text_chars = characters.span, starting_token = 0, text_start = 0 } = asked;
    const projectId = await names.project(asked.project);
    const path = `/projects/${projectId}/spans/${encodeURIComponent(asked.span_id)}`;
    const { body } = await call<ReadRecord>('GET', path);
    const below = { start: 0, characters: Math.min(text_chars, characters.trace) };
    return {
      head: { span: recordView(body, { start: text_start, characters: text_chars }) },
      items: treeOfSpans(body.spans ?? [], asked.types, below).slice(starting_token),
      start: starting_token,
      next: null,
      hint: 'read_span has each of them alone',
    };
  },
});

/** Tools that search records and read a trace or a span. */
export const recordTools: readonly McpTool[] = [
  searchTool('traces'),
  searchTool('spans'),
  searchTool('sessions'),
  readTrace,
  readSpan,
];
