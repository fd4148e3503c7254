import { uuid } from '../uuid.js';
import type { EndedSpan } from './parcels.js';
import { inputOf, metadataOf, metricsOf, nameOf, outputOf, plainOf, tagsOf } from './values.js';
import type { SpanKind } from './values.js';

/** What is known of a step. Values are cut and put into words so that the service takes them. */
export type StepFacts = {
  readonly input?: unknown;
  /** What the function returned, unless it is set. */
  readonly output?: unknown;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Numbers, booleans and texts by name; `duration_ns` is measured unless it is set. */
  readonly metrics?: Readonly<Record<string, unknown>>;
  /** 200, and 500 for a function that threw, unless it is set. */
  readonly statusCode?: number;
  readonly externalId?: string;
};
export type SpanFacts = StepFacts & {
  readonly model?: string;
  readonly temperature?: number;
  readonly finishReason?: string;
  readonly tools?: readonly object[];
  readonly toolCallId?: string;
};
export type SpanStart = SpanFacts & {
  /** Default `workflow`. */
  readonly type?: SpanKind;
};
/** Where a trace goes: one run at most; none is the log stream `default`. */
export type Place = { readonly logStreamId?: string; readonly experimentId?: string };
export type TraceStart = StepFacts & Place & { readonly sessionId?: string };

/** A trace, or a span with its kind, while it goes on. Spans that ended are `below` it. */
export type OpenStep = {
  readonly id: string;
  readonly kind: SpanKind | 'trace';
  readonly name: string;
  readonly parent: OpenStep | null;
  readonly root: RootOf;
  readonly createdAt: string;
  readonly begun: number;
  readonly number: number;
  readonly below: EndedSpan[];
  facts: SpanFacts;
  children: number;
  hasEnded: boolean;
  /** There was no room for it: what is below it moves up. */
  isDropped: boolean;
};
type RootOf = {
  readonly id: string;
  readonly place: string;
  readonly sessionId: string | undefined;
  readonly fate: { isLost: boolean };
  hasEnded: boolean;
};

export const openTrace = (name: string, start: TraceStart, usual: Place): OpenStep => {
  const { logStreamId, experimentId, sessionId, ...facts } = start;
  const isPlaced = logStreamId !== undefined || experimentId !== undefined;
  const place = placeText(isPlaced ? start : usual);
  const id = uuid();
  const root = { id, place, sessionId, fate: { isLost: false }, hasEnded: false };
  return opened(id, 'trace', name, null, root, facts);
};

export const openSpan = (name: string, start: SpanStart, parent: OpenStep): OpenStep => {
  const { type, ...facts } = start;
  const open = opened(uuid(), type ?? 'workflow', name, parent, parent.root, facts);
  parent.children += 1;
  return open;
};

const opened = (
  id: string,
  kind: OpenStep['kind'],
  name: string,
  parent: OpenStep | null,
  root: RootOf,
  facts: SpanFacts,
): OpenStep => ({
  id,
  kind,
  name,
  parent,
  root,
  createdAt: new Date().toISOString(),
  begun: performance.now(),
  number: parent?.children ?? 0,
  below: [],
  facts,
  children: 0,
  hasEnded: false,
  isDropped: false,
});

const placeText = ({ logStreamId, experimentId }: Place): string => {
  if (experimentId !== undefined) return `"experiment_id":${JSON.stringify(experimentId)}`;
  return logStreamId === undefined ? '' : `"log_stream_id":${JSON.stringify(logStreamId)}`;
};

/** Tags are added, metadata and metrics merged; other facts overwrite. */
export const addFacts = (open: OpenStep, facts: SpanFacts): void => {
  const known = open.facts;
  open.facts = {
    ...known,
    ...facts,
    tags: [...(known.tags ?? []), ...(facts.tags ?? [])],
    metadata: { ...known.metadata, ...facts.metadata },
    metrics: { ...known.metrics, ...facts.metrics },
  };
};

/** The record of contract 5.6, without those below it. */
export const recordOf = (open: OpenStep): object => {
  const { facts, kind } = open;
  const duration = Math.round((performance.now() - open.begun) * 1e6);
  const record = {
    type: kind,
    id: open.id,
    name: nameOf(open.name),
    created_at: open.createdAt,
    input: inputOf(kind, facts.input),
    output: outputOf(kind, facts.output),
    tags: tagsOf(facts.tags ?? []),
    user_metadata: metadataOf(facts.metadata ?? {}),
    metrics: metricsOf({ duration_ns: duration, ...facts.metrics }),
    status_code: integer(facts.statusCode),
    external_id: facts.externalId === undefined ? undefined : nameOf(facts.externalId),
  };
  if (kind === 'trace') return { ...record, session_id: open.root.sessionId };
  const span = { ...record, step_number: open.number };
  if (kind === 'tool') return { ...span, tool_call_id: facts.toolCallId };
  if (kind !== 'llm') return span;
  const { model, finishReason: finish_reason, temperature, tools } = facts;
  const heat = Number.isFinite(temperature) ? temperature : undefined;
  return { ...span, model, finish_reason, temperature: heat, tools: plainOf(tools) };
};

const integer = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) ? value : undefined;
