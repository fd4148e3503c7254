import { tokenPartNames, tokenParts, type TokenPartName } from '../../kernel/prices/token-kinds.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import {
  treeOfSpans,
  type ExportedRow,
  type GroupedRow,
  type RowsFormat,
} from './trace-grouping.js';
import { spanIdFor, traceIdFor } from './ids.js';
import { isList, isObject, withoutEmpty, type ImportedRecord } from './records.js';
import {
  outputDocuments,
  elapsedNs,
  instantFor,
  outputMessage,
  inputMessages,
  metadataOf,
  nameFor,
  numberOf,
  tagsOf,
  textOf,
  parseEmbeddedJson,
} from './texts.js';

/**
 * Exports of Langfuse, as documented: traces of the public API and of "Download JSON" with
 * `observations` and `scores` inside (api.reference.langfuse.com, `trace.get`), and the rows of the
 * blob storage export, traces, observations, enriched observations and scores, in any order
 * (langfuse.com/docs/api-and-data-platform/features/ blob-storage-export-fields). Names in
 * snake_case and in camelCase are the same.
 */
export const langfuse: RowsFormat = {
  rowsOf: (value) => {
    const row = camelCaseMembers(value);
    // "Download JSON" of the interface has the trace beside its observations.
    const trace = isObject(row['trace']) ? camelCaseMembers(row['trace']) : row;
    const inside = [...inList(row, 'observations'), ...inList(row, 'scores')];
    const id = textOf(trace['id']) ?? textOf(trace['traceId']);
    if (inside.length > 0 || isObject(row['trace'])) {
      if (id === null) return [];
      const { observations: _, scores: _s, ...alone } = trace;
      return [rowOf(id, { ...alone, ofKind: 'trace' }), ...inside.map((one) => rowOf(id, one))];
    }
    return kindsOfRow.flatMap(([kind, member, isIt]) => {
      const theirs = textOf(row[member]);
      return isIt(row) && theirs !== null ? [rowOf(theirs, { ...row, ofKind: kind })] : [];
    });
  },
  traceOf: (trace, rows) => traceOf(trace, rows),
};

const rowOf = (trace: string, row: JsonObject): ExportedRow => ({ trace, row });

const inList = (row: JsonObject, name: 'observations' | 'scores'): readonly JsonObject[] => {
  const list = row[name];
  const ofKind = name === 'scores' ? 'score' : 'observation';
  return isList(list)
    ? list.filter(isObject).map((one) => ({ ...camelCaseMembers(one), ofKind }))
    : [];
};

const isScore = (row: JsonObject): boolean =>
  'traceId' in row && 'name' in row && ('value' in row || 'stringValue' in row);
const isObservation = (row: JsonObject): boolean => 'traceId' in row && 'startTime' in row;
const isTrace = (row: JsonObject): boolean => !('traceId' in row) && 'timestamp' in row;

/**
 * Rows of tables, recognised by members that only they have; with the member of their trace's id.
 */
const kindsOfRow: readonly (readonly [string, string, (row: JsonObject) => boolean])[] = [
  ['observation', 'traceId', isObservation],
  ['score', 'traceId', (row) => isScore(row) && !isObservation(row)],
  ['trace', 'id', isTrace],
];

/** Converts member names of a row to camelCase; nested names are content and stay. */
const camelCaseMembers = (row: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

type SpanForm = {
  readonly type: string;
  readonly input: (value: Json | undefined) => Json;
  readonly output: (value: Json | undefined) => Json;
};
const asText = (value: Json | undefined): Json => textOf(value);
const textStep = (type: string): SpanForm => ({ type, input: asText, output: asText });

/** Observation types (langfuse.com/docs/observability/features/observation-types). */
const spanForms: Readonly<Record<string, SpanForm>> = {
  GENERATION: { type: 'llm', input: inputMessages, output: outputMessage },
  AGENT: textStep('agent'),
  TOOL: textStep('tool'),
  RETRIEVER: { type: 'retriever', input: asText, output: outputDocuments },
};
const workflow = textStep('workflow');

const source = 'langfuse';

type Observation = {
  readonly id: string;
  readonly parent: string | null;
  readonly row: JsonObject;
};

const traceOf = (theirs: string, gathered: readonly GroupedRow[]): ImportedRecord => {
  const line = gathered[0]?.line ?? 0;
  const ofKind = (kind: string): readonly JsonObject[] =>
    gathered.filter(({ row }) => row['ofKind'] === kind).map(({ row }) => row);
  const observations = ofKind('observation').map((row): Observation => ({
    id: textOf(row['id']) ?? '',
    parent: textOf(row['parentObservationId']) || null,
    row,
  }));
  const [told] = ofKind('trace');
  const trace = told ?? traceMembersOf(observations);
  if (trace === null) return { line, problem: `there is neither trace ${theirs} nor a span of it` };
  const scores = scoresOf(ofKind('score'));
  const session = textOf(trace['sessionId']) || null;
  const latency = numberOf(trace['latency']);
  return {
    line,
    kind: 'trace',
    request: session === null ? {} : { session_external_id: session },
    trace: withoutEmpty({
      id: traceIdFor(source, theirs),
      external_id: theirs,
      name: nameFor(trace['name']),
      created_at: instantFor(trace['timestamp']),
      input: textOf(trace['input']),
      output: textOf(trace['output']),
      tags: tagsOf(trace['tags']),
      user_metadata: metadataOf(trace['metadata'], metadataMembers(trace, traceAbout)),
      metrics: withoutEmpty({
        duration_ns: latency === null ? null : Math.round(latency * 1e6) * 1_000,
        ...scores.get(''),
      }),
      spans: treeOfSpans(observations, (one, below) =>
        spanOf(theirs, one, { below, scores: scores.get(one.id) ?? {} }),
      ),
    }),
  };
};

/** Trace members repeated in each enriched observation. */
const traceMembersOf = (observations: readonly Observation[]): JsonObject | null => {
  const root = observations.find(({ parent }) => parent === null) ?? observations[0];
  if (root === undefined) return null;
  const { row } = root;
  const { metadata: _, ...told } = row;
  const name = textOf(row['traceName']) || row['name'];
  return withoutEmpty({ ...told, name, timestamp: row['startTime'], latency: row['latency'] });
};

const traceAbout = ['userId', 'release', 'version', 'environment'] as const;
const spanAbout = ['statusMessage', 'level', 'version', 'promptName', 'promptVersion'] as const;
const defaultValues = ['', 'DEFAULT', 'default'];

/** Members without a counterpart, kept as metadata under their documented names. */
const metadataMembers = (row: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names
      .filter((name) => !defaultValues.includes(textOf(row[name]) ?? ''))
      .map((name) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        row[name] ?? null,
      ]),
  );

const spanOf = (
  trace: string,
  { id, row }: Observation,
  { below, scores }: { readonly below: readonly JsonObject[]; readonly scores: JsonObject },
): JsonObject => {
  const form = spanForms[textOf(row['type'])?.toUpperCase() ?? ''] ?? workflow;
  const isLlm = form.type === 'llm';
  const parameters = parseEmbeddedJson(row['modelParameters']);
  const temperature = isObject(parameters) ? numberOf(parameters['temperature']) : null;
  return withoutEmpty({
    type: form.type,
    id: spanIdFor(source, trace, id),
    external_id: id,
    name: nameFor(row['name']),
    created_at: instantFor(row['startTime']),
    input: form.input(row['input']),
    output: form.output(row['output']),
    status_code: textOf(row['level']) === 'ERROR' ? 500 : null,
    user_metadata: metadataOf(row['metadata'], metadataMembers(row, spanAbout)),
    ...(isLlm && { model: textOf(row['model'] ?? row['providedModelName']), temperature }),
    metrics: withoutEmpty({ ...metricsOf(row), ...scores }),
    spans: below,
  });
};

/** First match wins; `usage` and the `calculated…` members are those of older versions. */
const usage: Readonly<Record<string, readonly string[]>> = {
  num_input_tokens: ['usageDetails.input', 'usage.input', 'promptTokens', 'inputUsage'],
  num_output_tokens: ['usageDetails.output', 'usage.output', 'completionTokens', 'outputUsage'],
  num_total_tokens: ['usageDetails.total', 'usage.total', 'totalTokens', 'totalUsage'],
  cost: ['costDetails.total', 'totalCost', 'calculatedTotalCost', 'usage.totalCost'],
};

/**
 * Types of `usageDetails` by kind of tokens. `input` and `output` exclude them there; here they are
 * parts of the whole count (contract 3.4, rule 8).
 */
const usageTypes: Readonly<Record<TokenPartName, readonly string[]>> = {
  cache_read: ['input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens'],
  cache_write: ['input_cache_creation', 'cache_creation_input_tokens'],
  reasoning: ['output_reasoning_tokens', 'output_reasoning'],
  input_audio: ['input_audio_tokens', 'input_audio'],
  output_audio: ['output_audio_tokens', 'output_audio'],
  input_image: ['input_image_tokens', 'input_image'],
  output_image: ['output_image_tokens', 'output_image'],
};

const tokensOf = (row: JsonObject): JsonObject => {
  const numberAt = (path: string): number | null => numberOf(valueAt(row, path));
  const firstOf = (paths: readonly string[]): number | null =>
    paths.map(numberAt).find((one) => one !== null) ?? null;
  const tokens = Object.fromEntries(
    Object.entries(usage).map(([metric, paths]) => [metric, firstOf(paths)]),
  );
  for (const part of tokenPartNames) {
    const { metric, side } = tokenParts[part];
    const count = firstOf(usageTypes[part].map((type) => `usageDetails.${type}`));
    if (count === null) continue;
    const whole = side === 'input' ? 'num_input_tokens' : 'num_output_tokens';
    tokens[metric] = count;
    tokens[whole] = (tokens[whole] ?? 0) + count;
  }
  return tokens;
};

const metricsOf = (row: JsonObject): JsonObject => ({
  ...tokensOf(row),
  duration_ns: elapsedNs(row['startTime'], row['endTime']),
  time_to_first_token_ns: elapsedNs(row['startTime'], row['completionStartTime']),
});

const valueAt = (row: JsonObject, path: string): Json | undefined => {
  const [first = '', second] = path.split('.');
  const outer = parseEmbeddedJson(row[first]);
  if (second === undefined) return outer;
  return isObject(outer) ? outer[second] : undefined;
};

/**
 * Scores by the id of their observation, `''` for those of the trace; the last of a name counts.
 */
const scoresOf = (rows: readonly JsonObject[]): ReadonlyMap<string, JsonObject> => {
  const found = new Map<string, JsonObject>();
  for (const row of rows) {
    const of = textOf(row['observationId']) ?? '';
    const value =
      row['dataType'] === 'BOOLEAN'
        ? numberOf(row['value']) === 1
        : ((textOf(row['stringValue']) || null) ?? row['value'] ?? null);
    found.set(of, { ...found.get(of), ...withoutEmpty({ [nameFor(row['name'])]: value }) });
  }
  return found;
};
