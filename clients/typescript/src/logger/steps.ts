import { isUuid, uuid } from '../uuid.js';
import type { EndedSpan } from './batch-parts.js';
import { membersOf } from './safe-json.js';
import {
  externalIdOf,
  inputOf,
  metadataOf,
  metricsOf,
  nameOf,
  optionalText,
  outputOf,
  plainOf,
  spanKinds,
  tagsOf,
  type SpanKind,
} from './values.js';
import type { Warn } from './warnings.js';

/** Facts of a step. Values are cut and converted so that the service accepts them. */
export type StepFacts = {
  readonly input?: unknown;
  /** Default: the return value of the function. */
  readonly output?: unknown;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Numbers, booleans and texts by name; `duration_ns` is measured unless it is set. */
  readonly metrics?: Readonly<Record<string, unknown>>;
  /** Default: 200, and 500 for a function that threw. */
  readonly statusCode?: number;
  readonly externalId?: string;
  /** Input of the dataset row behind the step. */
  readonly datasetInput?: string;
  /** Reference output of that row. */
  readonly datasetOutput?: string;
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
/** Run of a trace: at most one; default: the log stream `default`. */
export type LogTarget = { readonly logStreamId?: string; readonly experimentId?: string };
export type TraceStart = StepFacts &
  LogTarget & {
    /**
     * The id of a session; any other text is an external id, whose session is created if missing.
     */
    readonly sessionId?: string;
  };

const stepMembers = ['input', 'output', 'tags', 'metadata', 'metrics', 'statusCode', 'externalId'];
const rowMembers = ['datasetInput', 'datasetOutput'];
const modelMembers = ['model', 'temperature', 'finishReason', 'tools', 'toolCallId'];
const spanMembers = [...stepMembers, ...rowMembers, ...modelMembers];
const traceStarts = [...stepMembers, ...rowMembers, 'logStreamId', 'experimentId', 'sessionId'];
const spanStarts = [...spanMembers, 'type'];

/** A running trace, or span with its kind. Spans that ended are `below` it. */
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
  /** True if the queue had no room for it: spans below it move up. */
  isDropped: boolean;
};
type RootOf = {
  readonly id: string;
  readonly place: string;
  readonly sessionId: string | undefined;
  readonly fate: { isLost: boolean };
  hasEnded: boolean;
};

export const openTrace = (
  name: string,
  start: TraceStart,
  usual: LogTarget,
  warn: Warn,
): OpenStep => {
  const known = knownMembers(start, traceStarts, name, warn) as TraceStart;
  const { logStreamId, experimentId, sessionId, ...facts } = known;
  const own = placeOf({ logStreamId, experimentId }, (line) =>
    warn(line, `"${nameOf(name)}": ${line}`),
  );
  const run = own === '' ? placeOf(usual) : own;
  const external = isUuid(sessionId) ? undefined : externalIdOf(sessionId);
  const session = external === undefined ? '' : `"session_external_id":${JSON.stringify(external)}`;
  const root = {
    id: uuid(),
    place: [run, session].filter((text) => text !== '').join(','),
    sessionId: isUuid(sessionId) ? sessionId : undefined,
    fate: { isLost: false },
    hasEnded: false,
  };
  return openStep(root.id, 'trace', name, null, root, facts);
};

export const openSpan = (
  name: string,
  start: SpanStart,
  parent: OpenStep,
  warn: Warn,
): OpenStep => {
  const { type, ...facts } = knownMembers(start, spanStarts, name, warn) as SpanStart;
  const open = openStep(uuid(), kindOf(type, name, warn), name, parent, parent.root, facts);
  parent.children += 1;
  return open;
};

/** Warns about misspelt members, which would otherwise be lost silently. */
const knownMembers = (
  given: object,
  names: readonly string[],
  step: string,
  warn: Warn,
): object => {
  const members = Object.entries(membersOf(given));
  const unknown = members.map(([name]) => name).filter((name) => !names.includes(name));
  for (const name of unknown)
    warn(
      `member ${name}`,
      `"${nameOf(step)}": ${name} is not recorded; there are ${names.join(', ')}`,
    );
  return Object.fromEntries(members.filter(([name]) => names.includes(name)));
};

const kindOf = (type: unknown, step: string, warn: Warn): SpanKind => {
  const kind = spanKinds.find((one) => one === (type ?? 'workflow'));
  if (kind !== undefined) return kind;
  const said = nameOf(type);
  const known = spanKinds.join(', ');
  warn(
    `type ${said}`,
    `"${nameOf(step)}": unknown type ${said}, recorded as workflow; types are ${known}`,
  );
  return 'workflow';
};

const openStep = (
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

/**
 * Place as members of a request, or empty. `onWrong` is called for a malformed id, which is left
 * out.
 */
export const placeOf = (
  place: { readonly [member in keyof LogTarget]?: unknown },
  onWrong: (line: string) => void = () => undefined,
): string => {
  for (const [member, wire] of runMembers) {
    const id = place[member] ?? undefined;
    if (isUuid(id)) return `"${wire}":"${id}"`;
    if (id !== undefined) onWrong(`${member} takes an id, which ${nameOf(id)} is not`);
  }
  return '';
};
const runMembers = [
  ['experimentId', 'experiment_id'],
  ['logStreamId', 'log_stream_id'],
] as const;

/** Tags are added, metadata and metrics merged; other facts overwrite. */
export const addFacts = (open: OpenStep, given: SpanFacts, warn: Warn): void => {
  const known = open.facts;
  const facts = knownMembers(given, spanMembers, open.name, warn) as SpanFacts;
  open.facts = {
    ...known,
    ...facts,
    tags: [known.tags ?? [], facts.tags ?? []].flat(),
    metadata: { ...membersOf(known.metadata), ...membersOf(facts.metadata) },
    metrics: { ...membersOf(known.metrics), ...membersOf(facts.metrics) },
  };
};

/** The record of contract 5.6, without those below it. */
export const recordOf = (open: OpenStep, warn: Warn): object => {
  const { facts, kind } = open;
  const onLost = (metric: string, why: string): void => {
    const line = `"${nameOf(open.name)}": metric "${nameOf(metric)}" is not recorded: ${why}`;
    warn(`metric ${metric}`, line);
  };
  const duration = Math.round((performance.now() - open.begun) * 1e6);
  const record = {
    type: kind,
    id: open.id,
    name: nameOf(open.name),
    created_at: open.createdAt,
    input: inputOf(kind, facts.input),
    output: outputOf(kind, facts.output),
    tags: tagsOf(facts.tags),
    user_metadata: metadataOf(facts.metadata),
    metrics: metricsOf({ duration_ns: duration, ...membersOf(facts.metrics) }, onLost),
    status_code: integer(facts.statusCode),
    external_id: externalIdOf(facts.externalId),
    dataset_input: optionalText(facts.datasetInput),
    dataset_output: optionalText(facts.datasetOutput),
  };
  if (kind === 'trace') return { ...record, session_id: open.root.sessionId };
  const span = { ...record, step_number: open.number };
  if (kind === 'tool') return { ...span, tool_call_id: optionalText(facts.toolCallId) };
  if (kind !== 'llm') return span;
  const { temperature, tools } = facts;
  const [model, finish_reason] = [facts.model, facts.finishReason].map(optionalText);
  const heat = Number.isFinite(temperature) ? temperature : undefined;
  return { ...span, model, finish_reason, temperature: heat, tools: plainOf(tools) };
};

const integer = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) ? value : undefined;
