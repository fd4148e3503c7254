import { parseJsonText } from '../../kernel/json-text.js';
import { treeLevelsMax } from '../../kernel/records/span-tree.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { Fault } from '../../kernel/fault.js';
import { jsonLinesIn } from '../import/lines.js';

/** Requests to the service; records are in its read form (contract 5.7). */
export type TreeQueries = {
  /** A trace with its tree, as of one moment; null if there is none. */
  readonly tree: (id: string) => Promise<JsonObject | null>;
  /** The lines of an export of these records. */
  readonly rows: (
    kind: 'traces' | 'spans',
    column: 'id' | 'trace_id',
    ids: readonly string[],
  ) => Promise<AsyncIterable<Buffer>>;
};

/** Page size in traces, up to which requests cost more than their rows. */
const pageTraces = 100;
/** Byte limit of a page; heavier traces are read one by one. */
const pageBytes = 32 * 1_048_576;
/**
 * Prefetched pages: as many as a service on embedded engines runs for one project (contract 1.11).
 */
const pagesAhead = 2;
/** Prefetched single trees: each may have 64 MiB (contract 1.11). */
const treesAhead = 4;

/**
 * Traces with their trees as `GET …/traces/{id}` answers them, in the order of `ids`; null for a
 * deleted one. Most are assembled from their records, a page at a time; a trace whose records do
 * not determine its tree is read by itself.
 */
export async function* treesOf(
  asks: TreeQueries,
  ids: AsyncIterable<string>,
): AsyncGenerator<JsonObject | null> {
  const ask = async (page: readonly string[]) => ({
    page,
    known: await treesFromRecords(asks, page),
  });
  for await (const { page, known } of orderedAhead(pagesOf(ids), ask, pagesAhead)) {
    const one = async (id: string) => known.get(id) ?? asks.tree(id);
    yield* orderedAhead(page, one, treesAhead);
  }
}

async function* pagesOf(ids: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let page: string[] = [];
  for await (const id of ids) {
    page.push(id);
    if (page.length < pageTraces) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

const treesFromRecords = async (
  { rows }: TreeQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> => {
  const known = new Map<string, JsonObject>();
  const spans = await recordsIn(await rows('spans', 'trace_id', ids));
  if (spans === null) return known;
  // Read after their spans: a trace deleted in between is not taken for one without spans.
  const traces = await recordsIn(await rows('traces', 'id', ids));
  const spansOf = Map.groupBy(spans, (span) => span['trace_id']);
  for (const trace of traces ?? []) {
    const id = trace['id'] as string;
    const tree = treeOf(trace, spansOf.get(id) ?? []);
    if (tree !== null) known.set(id, tree);
  }
  return known;
};

/** Null if they exceed the byte limit. */
const recordsIn = async (chunks: AsyncIterable<Buffer>): Promise<readonly JsonObject[] | null> => {
  const found: JsonObject[] = [];
  let bytes = 0;
  for await (const line of jsonLinesIn(chunks)) {
    if ('problem' in line) throw new Fault('unavailable', `the export is damaged: ${line.problem}`);
    bytes += line.text.length;
    if (bytes > pageBytes) return null;
    found.push(parseJsonText(line.text) as JsonObject);
  }
  return found;
};

/**
 * Null where records do not determine the tree that the service shows: siblings ordered only by
 * arrival, spans that came in between, a tree that is too deep, or a span with the id of its trace.
 */
export const treeOf = (trace: JsonObject, spans: readonly JsonObject[]): JsonObject | null => {
  const { id, num_spans: count } = trace;
  if (count !== spans.length || spans.some((span) => span['id'] === id)) return null;
  const children = Map.groupBy(spans, (span) => span['parent_id']);
  for (const siblings of children.values()) if (!hasTotalOrder(siblings.sort(bySteps))) return null;
  let placed = 0;
  const below = (record: JsonObject, level: number): JsonObject[] => {
    const those = level < treeLevelsMax ? (children.get(record['id']) ?? []) : [];
    placed += those.length;
    return those.map((span) => ({ ...span, spans: below(span, level + 1) }));
  };
  const tree = { ...trace, num_spans: null, spans: below(trace, 1) };
  return placed === spans.length ? tree : null;
};

const hasTotalOrder = (siblings: readonly JsonObject[]): boolean =>
  siblings.every((one, at) => at === 0 || bySteps(siblings[at - 1] ?? {}, one) < 0);

/** Contract 5.7: by `step_number`, missing last, then `created_at`. */
const bySteps = (one: JsonObject, other: JsonObject): number => {
  const [step, next] = [one, other].map((span) => span['step_number'] ?? Infinity) as [
    number,
    number,
  ];
  if (step !== next) return step < next ? -1 : 1;
  const [at, then] = [one, other].map((span) => span['created_at']) as [string, string];
  return at === then ? 0 : at < then ? -1 : 1;
};

/** Runs up to `ahead` requests concurrently and yields the answers in order. */
async function* orderedAhead<Question, Answer>(
  questions: AsyncIterable<Question> | Iterable<Question>,
  ask: (question: Question) => Promise<Answer>,
  ahead: number,
): AsyncGenerator<Answer> {
  let asked: readonly Promise<Answer>[] = [];
  for await (const question of questions) {
    const answer = ask(question);
    // Awaited later, perhaps after another one failed.
    answer.catch(() => undefined);
    asked = [...asked, answer];
    const [first, ...others] = asked;
    if (asked.length < ahead || first === undefined) continue;
    yield await first;
    asked = others;
  }
  for (const answer of asked) yield await answer;
}
