import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { fileName, readPointer } from '../../engines/duckdb/pointer.js';
import type { ServiceProcess } from '../support/service-process.js';
import { timed, type Bench, type Place } from './bench.js';
import { loadDays, loadEnd } from './bodies.js';
import { figure, type Row } from './row.js';
import { resultHash, summary } from './stats.js';

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
type Question = {
  readonly name: string;
  readonly what: string;
  readonly path: string;
  readonly body: (run: string) => object;
  readonly sql: (run: string) => string;
  /** The part of the answer, and of each row of the other, in which both must agree. */
  readonly told: (body: never) => readonly unknown[];
  readonly toldStraight: (row: readonly unknown[]) => unknown;
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

/** In one of ten thousand inputs of the load. */
const rareWords = 'refund wait window';

type Bucket = { readonly start_bucket_time: string; readonly slow: number; readonly spent: number };
type Searched = { readonly bucketed_metrics: Readonly<Record<string, readonly Bucket[]>> };
type Found = { readonly records: readonly { readonly id: string }[] };

/** A page of the newest spans that have these words in their input. */
export const wordsIn = (name: string, said: string, words: string): Question => ({
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
  told: (body: Found) => body.records.map(({ id }) => id),
  toldStraight: ([id]) => id,
  target: null,
});

const usual: readonly Question[] = [
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
    told: (body: Searched) =>
      Object.entries(body.bucketed_metrics)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, buckets]) => buckets.map(({ slow, spent }) => [slow, spent])),
    toldStraight: ([, , slow, spent]) => [slow, spent],
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
    told: (body: Found) => body.records.map(({ id }) => id),
    toldStraight: ([id]) => id,
    target: { most: 50 },
  },
  wordsIn('contains', 'words that few inputs have', rareWords),
];

export type Asked = { readonly question: Question; readonly row: Row };

type Asking = {
  /** Of the names of the rows, where another kind of service is asked. */
  readonly prefix?: string;
  readonly questions?: readonly Question[];
  readonly times?: number;
};

export const questionRows = async (
  bench: Bench,
  service: ServiceProcess,
  { root, run }: Place,
  { prefix = '', questions = usual, times: most = usualTimes }: Asking = {},
): Promise<readonly Asked[]> => {
  const asked: Asked[] = [];
  for (const question of questions.filter(({ name }) => bench.wanted(`${prefix}${name}`))) {
    const times = bench.smoke ? 2 : most;
    const name = `${prefix}${question.name}`;
    bench.say(`${name}: ${times} times`);
    const body = JSON.stringify(question.body(run));
    let answer: unknown = null;
    const ask = async (): Promise<void> => {
      const reply = await service.client.call('POST', `${root}/${question.path}`, { body });
      answer = reply.body;
    };
    await timed(warmUps, ask);
    const taken = summary(await timed(times, ask));
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
        hash: resultHash(question.told(answer as never)),
      },
    });
  }
  return asked;
};

/** The same questions put straight to DuckDB over the file that the stopped service left. */
export const askedStraight = async (
  bench: Bench,
  dir: string,
  { run }: Place,
  asked: readonly Asked[],
): Promise<readonly Row[]> => {
  if (asked.length === 0) return [];
  const duckdb = await DuckDBInstance.create(join(dir, fileName(await readPointer(dir))), {
    access_mode: 'READ_ONLY',
  });
  const connection = await duckdb.connect();
  const rows: Row[] = [];
  for (const { question, row } of asked) {
    const times = Number(row.parameters['times']);
    bench.say(`${question.name}: straight to DuckDB`);
    let answer: readonly (readonly unknown[])[] = [];
    const ask = async (): Promise<void> => {
      answer = (await connection.runAndReadAll(question.sql(run))).getRowsJson();
    };
    await timed(warmUps, ask);
    const taken = summary(await timed(times, ask));
    const agreed = resultHash(answer.map(question.toldStraight)) === row.hash;
    const what = `the question as SQL, straight to DuckDB; ${agreed ? 'same' : 'ANOTHER'} answer`;
    rows.push({ ...row, baseline: { what, ...figure(taken), value: taken.p95 } });
  }
  connection.closeSync();
  duckdb.closeSync();
  return rows;
};
