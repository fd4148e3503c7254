import { defaultPageLimit, pageMeasure } from '../../contract/envelope.js';
import { reading, type AnswerRoom, type Route } from '../../contract/operation.js';
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
import { Fault } from '../../kernel/fault.js';
import type { Records } from '../../kernel/records/records.js';
import { pageBytesMax, type Weighed } from '../../kernel/records/questions.js';
import type { Population } from '../../kernel/records/record.js';
import type { JsonPieces } from '../../kernel/json-pieces.js';
import type { StreamName } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { recordsCollection } from '../../projections/records/collection.js';
import {
  annotationTemplates,
  runCollections,
  type RunInProject,
  type TemplatesOf,
} from '../selection.js';
import { weightOf, type RecordAnswers } from './answers.js';
import { checkOf, completePlan } from './complete-plan.js';

type Needs = {
  readonly records: Records;
  readonly answers: RecordAnswers;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
  /** What exporters sent of a trace, or of one span of it, as JSON of OTLP's `ResourceSpans`. */
  readonly otelReceived: {
    readonly weigh: (trace: StreamName, span: string | null) => Promise<number>;
    readonly texts: (trace: StreamName, span: string | null) => Promise<readonly string[]>;
  };
};

/** Contract 5.7 without its deletions. */
export const recordReads = (needs: Needs): readonly Route[] => [
  searching(needs, searchSessions, 'session'),
  searching(needs, searchTraces, 'trace'),
  searching(needs, searchSpans, 'span'),
  counting(needs, countSessions, 'session'),
  counting(needs, countTraces, 'trace'),
  counting(needs, countSpans, 'span'),
  ...gets(needs),
];

const reads = [recordsCollection, ...runCollections, annotationTemplates];
const shown = [recordsCollection, annotationTemplates];

const searching = (needs: Needs, operation: typeof searchSessions, population: Population): Route =>
  reading(
    operation,
    reads,
    async ({ body, params: { project_id: project }, room }) => {
      const templates = await needs.templatesOf(project);
      const { plan, notes } = await completePlan(needs, project, body, { population, templates });
      const shown = {
        withCounts: body.include_counts === true,
        truncated: body.truncate_fields === true,
        templates,
      };
      const bytesMax = room.upTo(pageBytesMax);
      return { json: await needs.answers.search({ ...plan, bytesMax }, shown), notes };
    },
    checkOf(population),
  );

const counting = (needs: Needs, operation: typeof countSessions, population: Population): Route =>
  reading(
    operation,
    reads,
    async ({ body, params: { project_id: project } }) => {
      const templates = await needs.templatesOf(project);
      const { plan, notes } = await completePlan(needs, project, body, { population, templates });
      return { body: { total_count: await needs.records.count(plan) }, notes };
    },
    checkOf(population),
  );

const gets = ({ records, answers, templatesOf, otelReceived }: Needs): readonly Route[] => {
  /** With what exporters sent, if it is asked for; room for both is taken before either is read. */
  const whole = async (
    { group, bytes }: Weighed,
    {
      asked,
      span,
      room,
    }: { readonly asked: boolean; readonly span: string | null; readonly room: AnswerRoom },
    answer: () => Promise<JsonPieces>,
  ): Promise<{ readonly json: JsonPieces }> => {
    await room.of(bytes + (asked ? await otelReceived.weigh(group, span) : 0));
    const json = await answer();
    return { json: asked ? withOtel(json, await otelReceived.texts(group, span)) : json };
  };
  return [
    reading(getTrace, shown, async ({ params, query, room }) => {
      const { project_id: project, trace_id: id } = params;
      const trace = found('Trace', await weighed(records, project, 'trace', id));
      return whole(trace, { asked: query.otel === true, span: null, room }, async () =>
        found('Trace', await answers.trace(trace, await templatesOf(project))),
      );
    }),
    reading(getSpan, shown, async ({ params, query, room }) => {
      const { project_id: project, span_id: id } = params;
      const trace = found('Span', await weighed(records, project, 'span', id));
      return whole(trace, { asked: query.otel === true, span: id, room }, async () =>
        found('Span', await answers.span(trace, id)),
      );
    }),
    reading(getSession, shown, async ({ params, query, room }) => {
      const { project_id: project, session_id: session } = params;
      const group = found('Session', await records.locate(project, 'session', session));
      const offset = query.starting_token ?? 0;
      const limit = query.limit ?? defaultPageLimit;
      const { traces, more } = await records.sessionPage({ project, session, offset, limit });
      await room.of(weightOf(traces));
      const { starting_token, next_starting_token } = pageMeasure(query, traces.length, more);
      const page = { group, traces, starting_token, next_starting_token };
      return { json: found('Session', await answers.session(page, await templatesOf(project))) };
    }),
  ];
};

/** With one member more at its end: it is as long as what came, so it is not parsed here. */
const withOtel = (json: JsonPieces, received: readonly string[]): JsonPieces => {
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

/** The group that holds the record; null when there is no such record. */
const weighed = async (
  records: Records,
  project: ProjectId,
  population: Population,
  id: string,
): Promise<Weighed | null> => {
  const group = await records.locate(project, population, id);
  if (group === null) return null;
  return { group, bytes: (await records.weights([group])).get(group) ?? 0 };
};

const found = <T>(noun: string, value: T | null): T => {
  if (value === null) throw new Fault('not-found', `${noun} not found`);
  return value;
};
