import type { AnswerMemory } from '../../contract/answer-memory.js';
import { defaultPageLimit, pageInfo } from '../../contract/envelope.js';
import { readRoute, type Route } from '../../contract/operation.js';
import {
  countSessions,
  countSpans,
  countTraces,
  getSession,
  getSpan,
  getTrace,
  searchSessions,
  searchSpans,
  searchTraces,
} from '../../contract/record-reads.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { pageBytesMax, type SearchPlan } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';
import type { JsonChunks } from '../../kernel/json-chunks.js';
import type { StreamName } from '../../kernel/ports.js';
import { recordsCollection } from '../../projections/records/collection.js';
import {
  templateCollection,
  runCollections,
  type RunInProject,
  type TemplatesOf,
} from '../run-selection.js';
import type { FindUnknownKeys } from '../filters/unknown-metadata-keys.js';
import { totalWeight, type RecordAnswers, type RecordPlan } from './answers.js';
import { searchComplaints, completePlan } from './complete-plan.js';

type Needs = {
  readonly records: RecordQueries;
  readonly answers: RecordAnswers;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
  readonly unknownKeys: FindUnknownKeys;
  /**
   * Raw spans as exporters sent them, of a trace or of one span of it, as JSON of OTLP's
   * `ResourceSpans`.
   */
  readonly otelReceived: {
    readonly weigh: (trace: StreamName, span: string | null) => Promise<number>;
    readonly texts: (trace: StreamName, span: string | null) => Promise<readonly string[]>;
  };
};

/** Reads of records (contract 5.7, without its deletions). */
export const recordReads = (needs: Needs): readonly Route[] => [
  searching(needs, searchSessions, 'session'),
  searching(needs, searchTraces, 'trace'),
  searching(needs, searchSpans, 'span'),
  counting(needs, countSessions, 'session'),
  counting(needs, countTraces, 'trace'),
  counting(needs, countSpans, 'span'),
  ...gettingRoutes(needs),
];

/** Size of a usual trace: responses up to it need no reserved memory (contract 1.11). */
const usualBytes = 65_536;

const reads = [recordsCollection, ...runCollections, templateCollection];
const shown = [recordsCollection, templateCollection];

const searching = (needs: Needs, operation: typeof searchSessions, population: Population): Route =>
  readRoute(
    operation,
    reads,
    async ({ body, params: { project_id: project }, memory }) => {
      const { plan, notes, templates } = await completePlan(needs, project, body, population);
      const shown = {
        withCounts: body.include_counts === true,
        truncated: body.truncate_fields === true,
        fields: body.fields ?? null,
        templates,
      };
      const after = await cursorBehind(needs, plan, body.after ?? null);
      const bytesMax = memory.reserveUpTo(pageBytesMax);
      const page = { ...plan, bytesMax, ...(after !== null && { after }) };
      return { json: await needs.answers.search(page, shown), notes };
    },
    searchComplaints(population),
  );

/** Cursor of the page that begins behind this record; null without one. Throws Fault `invalid`. */
const cursorBehind = async (
  { records }: Needs,
  plan: SearchPlan,
  id: string | null,
): Promise<string | null> => {
  if (id === null) return null;
  const cursor = await records.cursorOf(plan, id);
  if (cursor !== null) return cursor;
  throw valueFault(
    ['body', 'after'],
    `the project has no ${plan.population} '${id}'; begin again without it`,
  );
};

const counting = (needs: Needs, operation: typeof countSessions, population: Population): Route =>
  readRoute(
    operation,
    reads,
    async ({ body, params: { project_id: project } }) => {
      const { plan, notes } = await completePlan(needs, project, body, population);
      return { body: { total_count: await needs.records.count(plan) }, notes };
    },
    searchComplaints(population),
  );

const gettingRoutes = ({
  records,
  answers,
  templatesOf,
  otelReceived,
}: Needs): readonly Route[] => {
  /**
   * A record with its raw spans on request; memory for large ones is reserved before they are read.
   */
  const whole = async (
    plan: Omit<RecordPlan, 'bytesMax'>,
    templates: readonly FeedbackTemplate[],
    { room, otel }: { readonly room: AnswerMemory; readonly otel: boolean },
  ): Promise<{ readonly json: JsonChunks } | null> => {
    const span = plan.population === 'span' ? plan.id : null;
    let bytesMax = room.reserveUpTo(usualBytes);
    let taken = 0;
    for (;;) {
      const shown = await answers.record({ ...plan, bytesMax }, templates);
      if (shown === null) return null;
      const { group, bytes, json } = shown;
      const needed =
        (json === null || otel ? bytes : 0) + (otel ? await otelReceived.weigh(group, span) : 0);
      if (needed > taken) await room.reserve(needed - taken);
      taken = Math.max(taken, needed);
      if (json !== null) {
        return { json: otel ? withOtel(json, await otelReceived.texts(group, span)) : json };
      }
      bytesMax = bytes;
    }
  };
  return [
    readRoute(getTrace, shown, async ({ params, query, memory }) => {
      const { project_id: project, trace_id: id } = params;
      const templates = await templatesOf(project);
      const plan = { project, population: 'trace', id, alone: query.tree === false } as const;
      const answer = { room: memory, otel: query.otel === true };
      return orNotFound('Trace', await whole(plan, templates, answer));
    }),
    readRoute(getSpan, shown, async ({ params, query, memory }) => {
      const { project_id: project, span_id: id } = params;
      const plan = { project, population: 'span', id, alone: query.tree === false } as const;
      const answer = { room: memory, otel: query.otel === true };
      return orNotFound('Span', await whole(plan, [], answer));
    }),
    readRoute(getSession, shown, async ({ params, query, memory }) => {
      const { project_id: project, session_id: session } = params;
      const group = orNotFound('Session', await records.findGroup(project, 'session', session));
      const offset = query.starting_token ?? 0;
      const limit = query.limit ?? defaultPageLimit;
      const { traces, more } = await records.sessionPage({ project, session, offset, limit });
      await memory.reserve(totalWeight(traces));
      const { starting_token, next_starting_token } = pageInfo(query, traces.length, more);
      const page = { group, traces, starting_token, next_starting_token };
      return {
        json: orNotFound('Session', await answers.session(page, await templatesOf(project))),
      };
    }),
  ];
};

/**
 * Appends the member `otel` to the serialised object, without parsing it: it may be as long as the
 * response.
 */
const withOtel = (json: JsonChunks, received: readonly string[]): JsonChunks => {
  const last = json.at(-1) ?? new Uint8Array();
  const encoder = new TextEncoder();
  const texts = received.map((one, at) => encoder.encode(at === 0 ? one : `,${one}`));
  return [
    ...json.slice(0, -1),
    last.subarray(0, last.length - 1),
    encoder.encode(',"otel":['),
    ...texts,
    encoder.encode(']}'),
  ];
};

const orNotFound = <T>(noun: string, value: T | null): T => {
  if (value === null) throw new Fault('not-found', `${noun} not found`);
  return value;
};
