import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { recordExperiments, recordTemplates } from './record-experiments.js';
import { createNamed, requestVia, type Ask } from './requests.js';
import { makeSample, spansIn, type SampleStream } from './sample.js';

type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean };

const project = 'demo';
const sampleDays = 7;
/** A few requests a second of a size that every client would send. */
const tracesPerRequest = 20;
const dayMinutes = 1_440;

/**
 * Records a generated sample in a running service over HTTP, and reports on `out` what was recorded
 * and how to look at it. Idempotent: the sample depends on when the project was created, so the
 * same ids and contents are sent again. Returns the lines to try.
 */
export const recordDemo = async ({
  baseUrl,
  apiKey,
  out,
  runs = 400,
  seed = 7,
}: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly out: Terminal;
  readonly runs?: number;
  readonly seed?: number;
}): Promise<readonly string[]> => {
  const ask = requestVia(baseUrl, apiKey);
  const { id, created_at } = await createNamed(ask, '/v2/projects', { name: project });
  const root = `/v2/projects/${id}`;
  const sample = makeSample({ seed, runs, days: sampleDays, end: Date.parse(created_at) });
  const steps = progress(out, sample.flatMap(({ traces }) => traces).length);
  const streams: Stream[] = [];
  for (const stream of sample) {
    const { id: streamId } = await createNamed(ask, `${root}/log_streams`, { name: stream.name });
    await ingest(ask, root, streamId, stream, steps.by);
    streams.push({ id: streamId, sample: stream });
  }
  steps.end();
  const experiments = await recordExperiments(ask, { id, created_at, seed });
  const templates = await recordTemplates(ask, root);
  const window = windowOf(sample);
  out.write(`${await recordingSummary(ask, root, window, streams)}\n`);
  out.write(`${experiments}; ${templates}.\n\n`);
  const lines = linesToTry({ baseUrl, apiKey, root, window, streams });
  out.write(`API   ${baseUrl}/v2\nKey   ${apiKey}\n\nTry:\n\n${lines.join('\n\n')}\n\n`);
  return lines;
};

type Stream = { readonly id: string; readonly sample: SampleStream };
const ingest = async (
  ask: Ask,
  root: string,
  streamId: string,
  { sessions, traces }: SampleStream,
  done: (traces: number) => void,
): Promise<void> => {
  for (const session of sessions)
    await ask('POST', `${root}/sessions`, { log_stream_id: streamId, ...session });
  for (let from = 0; from < traces.length; from += tracesPerRequest) {
    const batch = traces.slice(from, from + tracesPerRequest);
    await ask('POST', `${root}/traces`, { log_stream_id: streamId, traces: batch });
    done(batch.length);
  }
};

/** Progress bar on a terminal; elsewhere a line at the start and one at the end. */
const progress = (
  out: Terminal,
  total: number,
): { readonly by: (done: number) => void; readonly end: () => void } => {
  if (out.isTTY !== true) {
    out.write(`Recording ${total} runs ...\n`);
    return { by: () => undefined, end: () => out.write(`Recorded ${total} runs.\n`) };
  }
  const bar = new SingleBar({
    stream: out,
    format: 'Recording {bar} {value}/{total} runs',
    hideCursor: true,
  });
  bar.start(total, 0);
  return { by: (done) => bar.increment(done), end: () => bar.stop() };
};

type Window = { readonly start_time: string; readonly end_time: string };
const windowOf = (sample: readonly SampleStream[]): Window => {
  const times = sample
    .flatMap(({ traces }) => traces)
    .map((trace) => trace.created_at)
    .sort();
  return { start_time: times[0] ?? '', end_time: times.at(-1) ?? '' };
};

type Counts = Readonly<Record<string, number | null>>;

/** The service's own figures for each log stream, next to the number of spans sent to it. */
const recordingSummary = async (
  ask: Ask,
  root: string,
  window: Window,
  streams: readonly Stream[],
): Promise<string> => {
  const table = new Table({
    head: ['log stream', 'runs', 'sessions', 'spans', 'sent', 'solved', 'p95 time', 'cost'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const { id, sample } of streams) {
    const answer = await ask('POST', `${root}/metrics/custom_search`, {
      ...window,
      log_stream_id: id,
      interval_minutes: dayMinutes,
      metric_details: [
        { id: 'solved', metric_name: 'solved', aggregation: 'PercentageTrue' },
        { id: 'resolved', metric_name: 'resolved', aggregation: 'PercentageTrue' },
        { id: 'time', metric_name: 'duration_ns', aggregation: 'P95' },
        { id: 'cost', metric_name: 'cost', aggregation: 'Sum' },
      ],
    });
    const counts = (answer.body as { readonly aggregate_metrics: Counts }).aggregate_metrics;
    const solved = counts['solved'] ?? counts['resolved'] ?? 0;
    table.push([
      sample.name,
      counts['requests_count'] ?? 0,
      counts['session_count'] ?? 0,
      counts['span_count'] ?? 0,
      sample.traces.flatMap(({ spans }) => spansIn(spans)).length,
      `${Math.round(solved * 100)} %`,
      `${((counts['time'] ?? 0) / 1e9).toFixed(1)} s`,
      `$ ${(counts['cost'] ?? 0).toFixed(2)}`,
    ]);
  }
  return table.toString();
};

/** Three requests that can be pasted into a shell unchanged. */
const linesToTry = (told: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly root: string;
  readonly window: Window;
  readonly streams: readonly Stream[];
}): readonly string[] => {
  const line = (path: string, body: object): string =>
    `curl -sS '${told.baseUrl}${told.root}/${path}' -H 'Service-API-Key: ${told.apiKey}' ` +
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const airline = told.streams.find(({ sample }) => sample.name === 'airline')?.id;
  return [
    line('metrics/custom_search', {
      ...told.window,
      interval_minutes: dayMinutes,
      group_by: 'model',
      metric_details: [
        { id: 'slow', metric_name: 'duration_ns', aggregation: 'P95' },
        { id: 'spent', metric_name: 'cost', aggregation: 'Sum' },
      ],
    }),
    line('traces/search', {
      log_stream_id: airline,
      filter_tree: {
        and: [
          { filter: { type: 'number', name: 'status_code', operator: 'gte', value: 500 } },
          { not: { filter: { type: 'boolean', name: 'metrics/solved', value: true } } },
        ],
      },
      sort: { column_id: 'metrics/duration_ns', ascending: false },
      limit: 3,
    }),
    line('traces/available_columns', { log_stream_id: airline }),
  ];
};
