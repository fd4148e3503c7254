import { join } from 'node:path';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import {
  runLoad,
  newProject,
  newRun,
  waitForPosition,
  watchLag,
  type BenchContext,
  type BenchTarget,
} from './bench-context.js';
import { spansPerRequest, spansPerTrace, wideBodies, type Body } from './bodies.js';
import { measureLoad, type LoadRound } from './load-round.js';
import { appendRaw } from './raw-log.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';
import { noProcessorTimes, processorColumns } from './thread-times.js';

const connections = 8;
const what = 'traces of 10 spans of 1 KB, 20 a request';

export const ingestRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const service = await startService({ dir: join(bench.dir, 'ingest') });
  try {
    const root = await newProject(service.client, 'ingest');
    const requests = bench.smoke ? 10 : 1_000;
    const rounds = bench.smoke ? 1 : 3;
    const measured: LoadRound[] = [];
    const raw: number[] = [];
    const answers: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bench.say(`ingest: round ${round + 1} of ${rounds}, ${requests * spansPerRequest} spans`);
      const place = { root, run: await newRun(service.client, root, `round ${round}`) };
      const from = round * requests;
      const load = { shape: 'wide', seed: 11, from, requests, connections } as const;
      measured.push(await measureLoad(service, place, load));
      answers.push(await countSpans(service, place));
      raw.push(spansPerTrace * appendRaw(bench.dir, `raw-${round}`, bodies(place.run, load)));
    }
    if (measured.some(({ processor }) => processor === null))
      bench.say(`ingest: ${noProcessorTimes}`);
    const parameters = { spans: requests * spansPerRequest, rounds, connections };
    const hash = resultHash(answers);
    const accepted = summary(measured.map((round) => round.accepted));
    const visible = summary(measured.map((round) => round.visible));
    const common = { unit: 'spans/s', parameters, hash };
    return [
      {
        ...common,
        name: 'ingest',
        what: `durable over HTTP, ${what}`,
        measured: figure(accepted),
        baseline: {
          what: 'the same bytes straight into node:sqlite, synchronous=FULL, a sync for each 20',
          ...figure(summary(raw)),
        },
        target: { least: 40_000 },
        more: {
          'request p95 ms': Math.max(...measured.map(({ requestP95Ms }) => requestP95Ms)),
          ...processorColumns(measured.at(-1)?.processor ?? null, 'µs'),
        },
      },
      {
        ...common,
        name: 'ingest-projected',
        what: `the same until reads show all of it`,
        measured: figure(visible),
        baseline: { what: 'accepted', ...figure(accepted) },
        target: { least: 20_000 },
        more: {},
      },
      ...(await lagRow(bench, service, root, visible.median)),
    ];
  } finally {
    await service.stop();
  }
};

const bodies = function* (
  run: string,
  load: { readonly seed: number; readonly from: number; readonly requests: number },
): Iterable<Body> {
  const make = wideBodies(load.seed, run);
  for (let n = 0; n < load.requests; n += 1) yield make(load.from + n);
};

/** Lag of reads while spans arrive at the target's rate, or at what the machine can fold. */
const lagRow = async (
  bench: BenchContext,
  service: ServiceProcess,
  root: string,
  foldedRate: number,
): Promise<readonly ResultRow[]> => {
  if (!bench.isWanted('ingest-lag')) return [];
  const rate = Math.min(20_000, 0.85 * foldedRate);
  const requestsPerSecond = rate / spansPerRequest;
  const requests = Math.ceil(requestsPerSecond * (bench.smoke ? 1 : 15));
  bench.say(`ingest-lag: ${requests} requests, ${Math.round(rate)} spans/s`);
  const place = { root, run: await newRun(service.client, root, 'paced') };
  const watched = watchLag(service.opsUrl);
  const done = await runLoad(service, place, {
    shape: 'wide',
    seed: 12,
    from: 1_000_000,
    requests,
    connections,
    requestsPerSecond,
  });
  const lags = await watched.stop();
  await waitForPosition(service, place, done.position);
  const lag = summary(lags);
  return [
    {
      name: 'ingest-lag',
      what: 'greatest lag of any read model while spans come in steadily',
      parameters: { 'spans/s': Math.round(rate), requests, connections },
      unit: 's',
      measured: { value: lag.max, spread: lag.spread, samples: lag.samples },
      baseline: null,
      target: { most: 2 },
      more: { 'median lag s': lag.median, 'request p95 ms': done.latency.p95 },
      hash: resultHash(await countSpans(service, place)),
    },
  ];
};

export const countSpans = async (
  service: ServiceProcess,
  { root, run }: BenchTarget,
): Promise<unknown> => {
  const body = {
    log_stream_id: run,
    start_time: '2026-02-01T00:00:00Z',
    end_time: '2026-04-30T00:00:00Z',
    interval_minutes: 525_600,
    metric_details: [{ id: 'w', metric_name: 'num_total_tokens', aggregation: 'Sum' }],
  };
  const path = `${root}/metrics/custom_search`;
  const answer = await service.client.call<{ aggregate_metrics: unknown }>('POST', path, { body });
  return answer.body.aggregate_metrics;
};
