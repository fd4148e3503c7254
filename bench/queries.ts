import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { databaseFileName, readLiveGeneration } from '../engines/duckdb/generation-files.js';
import type { ServiceProcess } from '../test/support/service-process.js';
import { timeRuns, type BenchContext, type BenchTarget } from './bench-context.js';
import { loadDays, loadEnd } from './bodies.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const warmUps = 3;
const usualTimes = 50;
const dayMinutes = 1_440;
const microsecondsADay = 86_400_000_000;
const from = new Date(loadEnd - loadDays * 86_400_000).toISOString();
const to = new Date(loadEnd).toISOString();

/**
 * A question to the service, and the same one as a person would put it to DuckDB over the same
 * file.
 */
type BenchQuery = {
  readonly name: string;
  readonly what: string;
  readonly path: string;
  readonly body: (run: string) => object;
  readonly sql: (run: string) => string;
  /** The part of the answer, and of each row of the other, in which both must agree. */
  readonly pick: (body: never) => readonly unknown[];
  readonly pickDirect: (row: readonly unknown[]) => unknown;
  readonly target: { readonly most: number } | null;
};

const filterTree = {
  and_: [
    { filter: { type: 'number', name: 'metrics/num_total_tokens', operator: 'gte', value: 200 } },
    {
      or: [
        { filter: { type: 'text', name: 'name', operator: 'contains', value: 'ref' } },
        {
          filter: {
            type: 'collection',
            name: 'tags',
            operator: 'one_of',
            value: ['tag-1', 'tag-7'],
          },
        },
      ],
    },
    { not: { filter: { type: 'number', name: 'metrics/toxicity', operator: 'gte', value: 0.5 } } },
  ],
};

/** Words that one of ten thousand inputs of the load has. */
const rareWords = 'refund wait window';

type Bucket = { readonly start_bucket_time: string; readonly slow: number; readonly spent: number };
type Searched = { readonly bucketed_metrics: Readonly<Record<string, readonly Bucket[]>> };
type Found = { readonly records: readonly { readonly id: string }[] };

/** A page of the newest spans that have these words in their input. */
export const textQuery = (name: string, said: string, words: string): BenchQuery => ({
  name,
  what: `p95 of: a page of 100 spans by ${said}, newest first`,
  path: 'spans/search',
  body: (run) => ({
    log_stream_id: run,
    limit: 100,
    filter_tree: { filter: { type: 'text', name: 'input', operator: 'contains', value: words } },
  }),
  sql: (run) => `SELECT id, * FROM spans
    WHERE run_id = '${run}' AND (contains("input", '${words}') OR key IN
      (SELECT key FROM texts WHERE name = 'input' AND contains(text, '${words}')))
    ORDER BY "created_at" DESC, id DESC LIMIT 100`,
  pick: (body: Found) => body.records.map(({ id }) => id),
  pickDirect: ([id]) => id,
  target: null,
});

const defaultQueries: readonly BenchQuery[] = [
  {
    name: 'custom-search',
    what: 'p95 of: nested filter, group by model, P95 and Sum, buckets of 24 h',
    path: 'metrics/custom_search',
    body: (run) => ({
      log_stream_id: run,
      start_time: from,
      end_time: to,
      interval_minutes: dayMinutes,
      group_by: 'model',
      filter_tree: filterTree,
      metric_details: [
        { id: 'slow', metric_name: 'duration_ns', aggregation: 'P95' },
        { id: 'spent', metric_name: 'num_total_tokens', aggregation: 'Sum' },
      ],
    }),
    sql: (run) => `SELECT model, "created_at" // ${microsecondsADay} AS day,
        quantile_disc(m_duration_ns, 0.95) AS slow, sum(m_num_total_tokens) AS spent,
        count(DISTINCT trace_id), count(DISTINCT session_id), count(*)
      FROM spans
      WHERE run_id = '${run}' AND kind = 'llm' AND m_num_total_tokens >= 200
        AND (contains(name, 'ref') OR list_has_any(tags, ['tag-1', 'tag-7']))
        AND (m_toxicity >= 0.5) IS NOT TRUE
      GROUP BY ALL ORDER BY ALL`,
    pick: (body: Searched) =>
      Object.entries(body.bucketed_metrics)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, buckets]) => buckets.map(({ slow, spent }) => [slow, spent])),
    pickDirect: ([, , slow, spent]) => [slow, spent],
    target: { most: 100 },
  },
  {
    name: 'search',
    what: 'p95 of: a page of 100 traces by a nested filter, newest first',
    path: 'traces/search',
    body: (run) => ({
      log_stream_id: run,
      limit: 100,
      filter_tree: {
        and: [
          { filter: { type: 'number', name: 'status_code', operator: 'gte', value: 500 } },
          { filter: { type: 'text', name: 'input', operator: 'contains', value: 'refund' } },
        ],
      },
    }),
    sql: (run) => `SELECT id, * FROM traces
      WHERE run_id = '${run}' AND status_code >= 500 AND contains("input", 'refund')
      ORDER BY "created_at" DESC, id DESC LIMIT 100`,
    pick: (body: Found) => body.records.map(({ id }) => id),
    pickDirect: ([id]) => id,
    target: { most: 50 },
  },
  textQuery('contains', 'words that few inputs have', rareWords),
];

export type QueryResult = { readonly question: BenchQuery; readonly row: ResultRow };

type QueryRunOptions = {
  /** Prefix of the names of rows about another kind of service. */
  readonly prefix?: string;
  readonly questions?: readonly BenchQuery[];
  readonly times?: number;
};

export const queryRows = async (
  bench: BenchContext,
  service: ServiceProcess,
  { root, run }: BenchTarget,
  { prefix = '', questions = defaultQueries, times: most = usualTimes }: QueryRunOptions = {},
): Promise<readonly QueryResult[]> => {
  const asked: QueryResult[] = [];
  for (const question of questions.filter(({ name }) => bench.isWanted(`${prefix}${name}`))) {
    const times = bench.smoke ? 2 : most;
    const name = `${prefix}${question.name}`;
    bench.say(`${name}: ${times} times`);
    const body = JSON.stringify(question.body(run));
    let answer: unknown = null;
    const ask = async (): Promise<void> => {
      const reply = await service.client.call('POST', `${root}/${question.path}`, { body });
      answer = reply.body;
    };
    await timeRuns(warmUps, ask);
    const taken = summary(await timeRuns(times, ask));
    asked.push({
      question,
      row: {
        name,
        what: question.what,
        parameters: { spans: bench.spans, times },
        unit: 'ms',
        measured: { ...figure(taken), value: taken.p95 },
        baseline: null,
        target: question.target,
        more: { 'median ms': taken.median, 'slowest ms': taken.max },
        hash: resultHash(question.pick(answer as never)),
      },
    });
  }
  return asked;
};

/** The same questions put straight to DuckDB over the file that the stopped service left. */
export const directQueryRows = async (
  bench: BenchContext,
  dir: string,
  { run }: BenchTarget,
  asked: readonly QueryResult[],
): Promise<readonly ResultRow[]> => {
  if (asked.length === 0) return [];
  const duckdb = await DuckDBInstance.create(
    join(dir, databaseFileName(await readLiveGeneration(dir))),
    {
      access_mode: 'READ_ONLY',
    },
  );
  const connection = await duckdb.connect();
  const rows: ResultRow[] = [];
  for (const { question, row } of asked) {
    const times = Number(row.parameters['times']);
    bench.say(`${question.name}: straight to DuckDB`);
    let answer: readonly (readonly unknown[])[] = [];
    const ask = async (): Promise<void> => {
      answer = (await connection.runAndReadAll(question.sql(run))).getRowsJson();
    };
    await timeRuns(warmUps, ask);
    const taken = summary(await timeRuns(times, ask));
    const agreed = resultHash(answer.map(question.pickDirect)) === row.hash;
    const what = `the question as SQL, straight to DuckDB; ${agreed ? 'same' : 'ANOTHER'} answer`;
    rows.push({ ...row, baseline: { what, ...figure(taken), value: taken.p95 } });
  }
  connection.closeSync();
  duckdb.closeSync();
  return rows;
};
