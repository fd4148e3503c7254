import {
  externalIdMax,
  metadataKeyMax,
  metadataMax,
  metadataValueMax,
  nameMax,
  tagMax,
  tagsMax,
} from '../records/limits.js';
import type { SpanFieldValues } from '../records/span-fields.js';
import type { Instant, Json, JsonObject } from '../schema-types.js';
import type { OtelKind } from './content.js';
import {
  ruleInputNames,
  routingHeaders,
  type OtelMapping,
  type OtelRules,
  type RoutingHeader,
} from './mapping.js';
import { firstMatch, type Rule } from './rule.js';
import { attributesView, spanView, type OtelSpan, type OtelValue, type SpanView } from './span.js';
import { nonEmptyText } from './values.js';
import { memoizeByObject } from '../memoize-by-object.js';

/** Record members that a received span maps to, in the form of events/traces.ts. */
export type OtelRecord = {
  readonly type: OtelKind;
  readonly created_at: Instant;
  readonly minted?: readonly 'created_at'[];
  readonly external_id: string;
  readonly name?: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly status_code?: number;
  readonly redacted_input?: Json;
  readonly redacted_output?: Json;
  readonly metrics?: Readonly<Record<string, number | string>>;
  readonly user_metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly dataset_input?: string;
  readonly dataset_output?: string;
  readonly dataset_metadata?: Readonly<Record<string, string>>;
  readonly step_number?: number;
} & Partial<OwnMembers>;
/** Members of single kinds. */
type OwnMembers = Required<SpanFieldValues> & { readonly tools: Json; readonly events: Json };

type Writable<T> = { -readonly [member in keyof T]: T[member] };

/**
 * Maps a span to a record (contract 5.12); `receivedAt` replaces a start that was not sent. Total:
 * never throws, whatever the attributes are.
 */
export const otelRecord = (
  { rules }: OtelMapping,
  span: OtelSpan,
  receivedAt: Instant,
): OtelRecord => {
  const read = spanView(span, rules.aliases);
  const type = firstMatch(rules.kind, read) ?? 'workflow';
  const startedAt = instantOf(span.startTimeUnixNano);
  const record: Writable<OtelRecord> = {
    type,
    created_at: startedAt ?? receivedAt,
    external_id: span.spanId,
  };
  if (startedAt === null) record.minted = ['created_at'];
  const name = firstMatch(rules.name, read) ?? span.name;
  if (name !== '') record.name = truncateText(name, nameMax);
  setMember(record, 'input', firstMatch<Json>(rules.input[type], read));
  setMember(record, 'output', firstMatch<Json>(rules.output[type], read));
  setMember(record, 'status_code', firstMatch(rules.statusCode, read));
  setMember(record, 'redacted_input', firstMatch<Json>(rules.redactedInput[type], read));
  setMember(record, 'redacted_output', firstMatch<Json>(rules.redactedOutput[type], read));
  setMember(record, 'dataset_input', firstMatch(rules.datasetInput, read));
  setMember(record, 'dataset_output', firstMatch(rules.datasetOutput, read));
  setMember(record, 'step_number', firstMatch(rules.stepNumber, read));
  const row = textsOf(firstMatch(rules.datasetMetadata, read));
  if (Object.keys(row).length > 0) record.dataset_metadata = row;
  const metrics = metricsOf(rules, read);
  if (Object.keys(metrics).length > 0) record.metrics = metrics;
  const metadata = metadataOf(rules, read);
  if (Object.keys(metadata).length > 0) record.user_metadata = metadata;
  const tags = tagsOf(firstMatch(rules.tags, read) ?? []);
  if (tags.length > 0) record.tags = tags;
  for (const [member, ways] of Object.entries(rules.members[type])) {
    // A rule returns the type of its member.
    setMember(record, member as keyof OwnMembers, firstMatch(ways, read) as never);
  }
  return record;
};

/**
 * Model of a span that maps to an llm record, and its start; null for others. As `otelRecord` for
 * models that are scalars, without mapping anything else: it runs for each received span.
 */
export const otelModelCall = (
  { rules }: OtelMapping,
  span: OtelSpan,
  receivedAt: Instant,
): { readonly model: string; readonly at: Instant } | null => {
  const attributes = span.attributes?.filter(({ value }) => isScalar(value));
  const read = attributesView(attributes ?? [], rules.aliases);
  const model = firstMatch<Json>(rules.members.llm['model'] ?? [], read);
  if (typeof model !== 'string' || firstMatch(rules.kind, read) !== 'llm') return null;
  return { model, at: instantOf(span.startTimeUnixNano) ?? receivedAt };
};

const isScalar = ({ arrayValue, kvlistValue }: OtelValue): boolean =>
  arrayValue === undefined && kvlistValue === undefined;

const setMember = <K extends keyof OtelRecord>(
  record: Writable<OtelRecord>,
  member: K,
  value: OtelRecord[K] | undefined,
): void => {
  if (value !== undefined) record[member] = value;
};

/** External id of the session that a span or resource names; undefined if it names none. */
export const externalSessionId = (
  { rules }: OtelMapping,
  { attributes }: Pick<OtelSpan, 'attributes'>,
): string | undefined => {
  if (attributes === undefined) return undefined;
  const id = firstMatch(rules.session, attributesView(attributes, rules.aliases));
  return id === undefined ? undefined : truncateText(id, externalIdMax);
};

/** Project and run that a resource names, by header (contract 5.12, rule 1). */
export const routingOf = (
  { rules }: OtelMapping,
  attributes: OtelSpan['attributes'],
): Readonly<Partial<Record<RoutingHeader, string>>> => {
  if (attributes === undefined) return {};
  const read = attributesView(attributes);
  const place: Partial<Record<RoutingHeader, string>> = {};
  for (const header of routingHeaders) {
    const said = firstMatch(rules.routing[header], read);
    if (said !== undefined) place[header] = said;
  }
  return place;
};

const nanoseconds = 1_000n;
/** 9999-12-31, the last instant (contract 1.3). */
const microsecondsMax = 253_402_300_799_999_999n;

/** Instant in microseconds; null for a time that was not sent. */
const instantOf = (nanosecondsText: string): Instant | null => {
  const microseconds = BigInt(nanosecondsText) / nanoseconds;
  if (microseconds <= 0n || microseconds > microsecondsMax) return null;
  const milliseconds = new Date(Number(microseconds / 1_000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1_000n).padStart(3, '0')}Z` as Instant;
};

/** Duration of a span that ended after it started; undefined after a clock was set back. */
const durationOf = ({ startTimeUnixNano, endTimeUnixNano }: OtelSpan): number | undefined => {
  const [start, end] = [BigInt(startTimeUnixNano), BigInt(endTimeUnixNano)];
  return start > 0n && end >= start ? Number(end - start) : undefined;
};

const metricsOf = (rules: OtelRules, read: SpanView): Readonly<Record<string, number | string>> => {
  const metrics = new Map<string, number | string>();
  for (const { name, score } of (firstMatch(rules.evaluations, read) ?? []).slice(0, scoresMax)) {
    const metric = truncateText(name.replace(/^metrics\//, ''), metricNameMax);
    if (metric !== '')
      metrics.set(metric, typeof score === 'string' ? truncateText(score, labelMax) : score);
  }
  const duration = durationOf(read.span);
  if (duration !== undefined) metrics.set('duration_ns', duration);
  for (const [name, ways] of Object.entries<readonly Rule<number>[]>(rules.metrics)) {
    const value = firstMatch(ways, read);
    if (value !== undefined) metrics.set(name, value);
  }
  return Object.fromEntries(metrics);
};
/** Score limit (contract 1.11); the other metrics of a span fit beside them. */
const scoresMax = 150;
const metricNameMax = 128;
const labelMax = 4_096;

const tagsOf = (tags: readonly string[]): readonly string[] =>
  [...new Set(tags.map((tag) => truncateText(tag, tagMax)))].slice(0, tagsMax);

/** True for keys that rules read: they are not metadata. */
const readByRulesOf = memoizeByObject((rules: OtelRules) => {
  const names = ruleInputNames(rules);
  const families = [...names].filter((name) => name.endsWith('.'));
  return (key: string): boolean =>
    names.has(key) || families.some((family) => key.startsWith(family));
});

/**
 * Metadata (contract 5.12, rule 4): the `metadata` first, then other attributes in the order they
 * came.
 */
const metadataOf = (rules: OtelRules, read: SpanView): Readonly<Record<string, string>> => {
  const metadata = new Map<string, string>();
  const add = (key: string, value: Json | undefined): void => {
    if (key === '' || key.length > metadataKeyMax) return;
    const said = value === '' ? '' : nonEmptyText(value);
    if (said === undefined || metadata.size >= metadataMax || metadata.has(key)) return;
    metadata.set(key, truncateText(said, metadataValueMax));
  };
  const sent: JsonObject = firstMatch(rules.metadata, read) ?? {};
  for (const [key, value] of Object.entries(sent)) add(key, value);
  add('user_id', firstMatch(rules.userId, read));
  add('error.message', firstMatch(rules.errorMessage, read));
  for (const { name, explanation } of firstMatch(rules.evaluations, read) ?? []) {
    add(`gen_ai.evaluation.${name}.explanation`, explanation);
  }
  const isKnown = readByRulesOf(rules);
  for (const [key, value] of read.attributes) {
    if (isKnown(key) || (typeof value === 'object' && value !== null)) continue;
    const family = rules.metadataFamilies.find((one) => key.startsWith(one));
    add(family === undefined ? key : key.slice(family.length), value);
  }
  return Object.fromEntries(metadata);
};

const textsOf = (map: JsonObject = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(map)
      .flatMap(([key, value]): [string, string][] => {
        const said = value === '' ? '' : nonEmptyText(value);
        return said === undefined || key === '' || key.length > metadataKeyMax
          ? []
          : [[key, truncateText(said, metadataValueMax)]];
      })
      .slice(0, metadataMax),
  );

/** The first `max` characters; no surrogate pair is split. */
const truncateText = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
