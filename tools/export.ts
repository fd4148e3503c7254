import type { IncomingMessage } from 'node:http';
import { parseJsonText } from '../kernel/json-text.js';
import { Fault } from '../kernel/fault.js';
import type { JsonObject } from '../kernel/schema-types.js';
import {
  problemDetail,
  openCommandClient,
  type ApiClient,
  type ServiceAccess,
} from './api-client.js';
import { spoolLines, writeOutput } from './export/output.js';
import { traceLine } from './export/trace-line.js';
import { treesOf, type TreeQueries } from './export/trace-trees.js';
import { jsonLinesIn } from './import/lines.js';
import { openProgressBar } from './terminal/progress-bar.js';
import { resolveRunTarget, runSelector, type TargetOptions, type RunTarget } from './run-target.js';

const exportKinds = ['traces', 'spans', 'sessions'] as const;
type ExportKind = (typeof exportKinds)[number];

type ExportArguments = TargetOptions & {
  readonly csv: boolean;
  /** Null: standard output. */
  readonly output: string | null;
  /** A tree of filters as JSON (contract 3.7). */
  readonly filter: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** Position that the export must include (read-your-writes); null: the current state. */
  readonly minPosition: string | null;
};

/**
 * `assay export traces|spans|sessions`: the records of a search, oldest first. Traces as JSON Lines
 * include their spans, as `assay import` accepts them; other kinds are the service's own file
 * (contract 5.7). Throws Fault, and leaves no file, when the export is incomplete.
 */
export const exportRecords = async (
  kind: string,
  access: ServiceAccess,
  wishes: ExportArguments,
): Promise<void> => {
  const known = exportKinds.find((one) => one === kind);
  if (known === undefined) throw new Fault('invalid', `export ${exportKinds.join(', or ')}?`);
  const filter = wishes.filter === null ? null : parseFilter(wishes.filter);
  const client = openCommandClient(access);
  try {
    const place = await resolveRunTarget(client, wishes, false);
    const { from, to, csv, output } = wishes;
    const body = {
      ...runSelector(place),
      ...(filter !== null && { filter_tree: filter }),
      ...(from !== null && { start_time: from }),
      ...(to !== null && { end_time: to }),
      sort: { column_id: 'created_at', ascending: true },
      format: csv ? 'csv' : 'jsonl',
    };
    const source = { client, place, headers: headersOf(wishes) };
    if (known === 'traces' && !csv) await exportTrees(source, body, output);
    else await writeOutput(output, wholeBody(await openExport(source, known, body)));
    if (output !== null) printNotice(`${output} is whole`);
  } finally {
    client.close();
  }
};

const printNotice = (text: string): void => void process.stderr.write(`${text}\n`);

const parseFilter = (text: string): JsonObject => {
  try {
    const value = parseJsonText(text);
    if (typeof value === 'object' && value !== null) return value as JsonObject;
  } catch {
    // Reported below.
  }
  throw new Fault('invalid', '--filter takes a filter as JSON: docs/contract.md, 3.7');
};

type ExportSource = {
  readonly client: ApiClient;
  readonly place: RunTarget;
  readonly headers: Readonly<Record<string, string>>;
};

/** Requires freshness; a lagging read model answers 503, which is retried (contract 1.7). */
const headersOf = ({ minPosition }: ExportArguments): Readonly<Record<string, string>> => ({
  Prefer: 'handling=strict',
  ...(minPosition !== null && { 'X-Min-Position': minPosition }),
});

const openExport = (
  { client, place: { project }, headers }: ExportSource,
  kind: ExportKind,
  body: JsonObject,
): Promise<IncomingMessage> =>
  client.open({
    method: 'POST',
    path: `/v2/projects/${project.id}/${kind}/export`,
    body: JSON.stringify(body),
    headers,
  });

/** A file of the service is complete only if its transfer ended as HTTP says (contract 5.7). */
async function* wholeBody(answer: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    throw new Fault('unavailable', 'the service cut the export: it is not whole', { cause });
  }
  if (!answer.complete) throw new Fault('unavailable', 'the service cut the export');
}

/**
 * Lists the traces first, then reads their trees: a service cuts an export whose client pauses, and
 * a tree may take a while.
 */
const exportTrees = async (
  source: ExportSource,
  body: JsonObject,
  output: string | null,
): Promise<void> => {
  const short = { ...body, truncate_fields: true };
  const ids = await spoolLines(traceIdsOf(wholeBody(await openExport(source, 'traces', short))));
  const bar = openProgressBar('export {bar} {percentage}% of {total} traces');
  const counts = { done: 0, gone: 0 };
  const lines = async function* lines(): AsyncGenerator<string> {
    for await (const tree of treesOf(treeQueriesOf(source), ids.lines())) {
      counts.done += 1;
      if (tree === null) counts.gone += 1;
      else yield `${JSON.stringify(traceLine(tree))}\n`;
      bar.show(counts.done, ids.count);
    }
  };
  try {
    await writeOutput(output, lines());
  } finally {
    bar.end();
    await ids.remove();
  }
  const gone = counts.gone === 0 ? '' : `, ${counts.gone} were deleted meanwhile`;
  printNotice(`${counts.done - counts.gone} traces exported${gone}`);
};

async function* traceIdsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const line of jsonLinesIn(chunks)) {
    if ('problem' in line) throw new Fault('unavailable', `the export is damaged: ${line.problem}`);
    yield (parseJsonText(line.text) as { readonly id: string }).id;
  }
}

const treeQueriesOf = (source: ExportSource): TreeQueries => ({
  tree: (id) => readTree(source, id),
  rows: async (kind, column, ids) => {
    const filter = { type: 'id', name: column, operator: 'one_of', value: ids };
    return wholeBody(
      await openExport(source, kind, { filter_tree: { filter }, include_counts: true }),
    );
  },
});

/** Null: deleted since. */
const readTree = async (
  { client, place, headers }: ExportSource,
  id: string,
): Promise<JsonObject | null> => {
  const path = `/v2/projects/${place.project.id}/traces/${id}`;
  const { status, body } = await client.request({ method: 'GET', path, headers });
  if (status === 200) return body as JsonObject;
  if (status === 404) return null;
  throw new Fault(
    'unavailable',
    `the service answers ${status} to ${path}: ${problemDetail(body)}`,
  );
};
