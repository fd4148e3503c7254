// Stored for ever: version 2 of TraceLogged is read by these functions (D-229).
import {
  bareMetricName,
  type SentMetrics,
  type SentSpan,
  type SentTrace,
} from '../kernel/records/sent-record.js';
import {
  recordFieldNames,
  spanFieldNamesOf,
  unsentSpanFields,
} from '../kernel/records/span-fields.js';
import type { Instant, Json, SpanId, TraceId } from '../kernel/schema-types.js';
import { acceptedInstant } from '../kernel/uuid-and-instant.js';
import { inputOf, outputOf, withoutNulls } from './record-values.js';
import type { RecordContent, SpanContent } from './traces.js';

/** Defaults for absent members of spans (contract 5.6). */
export type SpanDefaults = {
  readonly nextId: () => SpanId;
  readonly receivedAt: Instant;
  /** Called once for each span, in order. */
  readonly priceOf: (span: SpanContent) => SpanContent['price'];
};

type Writable<T> = { -readonly [member in keyof T]: T[member] };

/** The trace's own record, in stored form (events/traces.ts). */
export const traceContent = (sent: SentTrace, id: TraceId, receivedAt: Instant): RecordContent =>
  contentOf(sent, 'trace', id, receivedAt);

/**
 * Spans in pre-order, each with its parent. Nesting decides; only a span at the top of a request's
 * own list may name another parent (`mayNameParent`).
 */
export const spanContents = (
  sent: readonly SentSpan[] | null | undefined,
  parentId: string,
  defaults: SpanDefaults,
  mayNameParent = false,
): readonly SpanContent[] => {
  const flat: SpanContent[] = [];
  for (const span of sent ?? []) {
    flatten(span, (mayNameParent ? span.parent_id : null) ?? parentId, defaults, flat);
  }
  return flat;
};

const flatten = (
  sent: SentSpan,
  parentId: string,
  defaults: SpanDefaults,
  flat: SpanContent[],
): void => {
  const id = sent.id?.toLowerCase() ?? defaults.nextId();
  const content = contentOf(sent, sent.type, id, defaults.receivedAt) as Writable<SpanContent>;
  content.parent_id = parentId;
  putSpanMembers(sent, content);
  const price = defaults.priceOf(content);
  if (price !== undefined) content.price = price;
  flat.push(content);
  if (sent.spans != null) for (const below of sent.spans) flatten(below, id, defaults, flat);
};

/** Hot path of every incoming span: plain assignments where a member has a rule of its own. */
const contentOf = (
  sent: SentTrace | SentSpan,
  type: RecordContent['type'],
  id: string,
  receivedAt: Instant,
): RecordContent => {
  const content: Writable<RecordContent> = {
    type,
    id,
    created_at: sent.created_at == null ? receivedAt : acceptedInstant(sent.created_at),
  };
  const minted = mintedMembers(sent);
  if (minted !== undefined) content.minted = minted;
  if (sent.input != null && sent.input !== '') content.input = inputOf(type, sent.input);
  if (sent.output != null) content.output = outputOf(type, sent.output);
  if (sent.redacted_input != null) content.redacted_input = inputOf(type, sent.redacted_input);
  if (sent.redacted_output != null) content.redacted_output = outputOf(type, sent.redacted_output);
  if (sent.name != null && sent.name !== '') content.name = sent.name;
  if (sent.user_metadata != null) putMap(content, 'user_metadata', sent.user_metadata);
  if (sent.tags != null) {
    const tags = distinctTags(sent.tags);
    if (tags.length > 0) content.tags = tags;
  }
  if (sent.metrics != null) {
    const metrics = withoutNulls(bareMetrics(sent.metrics));
    if (!isEmpty(metrics)) content.metrics = metrics;
  }
  for (const name of recordFieldNames) {
    const value = sent[name];
    if (value != null) content[name] = value as never;
  }
  if (sent.dataset_metadata != null) putMap(content, 'dataset_metadata', sent.dataset_metadata);
  return content;
};

const putSpanMembers = (sent: SentSpan, content: Writable<SpanContent>): void => {
  if (sent.step_number != null) content.step_number = sent.step_number;
  if (sent.type === 'llm') {
    if (sent.tools != null) content.tools = sent.tools as Json;
    if (sent.events != null) content.events = sent.events as Json;
  }
  for (const name of spanFieldNamesOf[sent.type]) {
    const value = sent[name];
    if (value != null && value !== unsentSpanFields[name]) content[name] = value as never;
  }
};

const mintedId = ['id'] as const;
const mintedTime = ['created_at'] as const;
const mintedBoth = ['id', 'created_at'] as const;
const mintedMembers = ({ id, created_at }: SentTrace | SentSpan): RecordContent['minted'] => {
  if (id == null) return created_at == null ? mintedBoth : mintedId;
  return created_at == null ? mintedTime : undefined;
};

const putMap = (
  content: Writable<RecordContent>,
  member: 'user_metadata' | 'dataset_metadata',
  sent: Readonly<Record<string, string | null>>,
): void => {
  const map = withoutNulls(sent);
  if (!isEmpty(map)) content[member] = map;
};

const isEmpty = (map: object): boolean => {
  for (const _ in map) return false;
  return true;
};

/** Distinct tags in order, without nulls. */
export const distinctTags = (tags: readonly (string | null)[]): readonly string[] => {
  if (tags.length === 1 && tags[0] != null) return [tags[0]];
  return [...new Set(tags)].filter((tag) => tag !== null);
};

/** Metrics without the prefix `metrics/`; of two values for one name the last counts. */
export const bareMetrics = (sent: SentMetrics): SentMetrics => {
  for (const name in sent) {
    if (bareMetricName(name) === name) continue;
    return Object.fromEntries(
      Object.entries(sent).map(([one, value]) => [bareMetricName(one), value]),
    );
  }
  return sent;
};

/**
 * Ids of the spans of one trace that were sent without one: `drawFirst` is called for the first
 * span, and each later id is the one before plus one in its last 48 bits.
 */
export const openSpanIds = (drawFirst: () => SpanId) => {
  let first: SpanId | null = null;
  let [head, tail] = ['', 0];
  return {
    next: (): SpanId => {
      if (first === null) {
        first = drawFirst();
        head = first.slice(0, headLength);
        tail = Number.parseInt(first.slice(headLength), 16);
        return first;
      }
      tail = (tail + 1) % 2 ** 48;
      return `${head}${tail.toString(16).padStart(12, '0')}` as SpanId;
    },
    /** Null while no span needed one. */
    first: (): SpanId | null => first,
  };
};

/** Length of a uuid before its last 48 bits, which are 12 digits. */
const headLength = 24;
