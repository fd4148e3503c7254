import { join } from 'node:path';
import { seededRandom } from '../kernel/seeded-random.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import {
  runLoad,
  newProject,
  newRun,
  waitForPosition,
  timeRuns,
  type BenchContext,
  type BenchTarget,
} from './bench-context.js';
import { tracesPerRequest } from './bodies.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

type Result = { readonly success: boolean; readonly message: string };
type Found = { readonly records: readonly { readonly id: string }[] };
type Template = { readonly id: string; readonly usage_count: number };

const operationsCount = 5;
const starsMax = 5;

/** The largest request of contract 4.8: 1,000 traces of 10 spans, 5 operations. */
export const ratingRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const service = await startService({ dir: join(bench.dir, 'ratings') });
  try {
    const root = await newProject(service.client, 'ratings');
    const place = { root, run: await newRun(service.client, root, 'rated') };
    const count = bench.smoke ? tracesPerRequest : 1_000;
    const rounds = bench.smoke ? 1 : 5;
    const traces = await logged(service, place, count);
    const templates = await Promise.all(
      Array.from({ length: operationsCount }, (_, at) => templateOf(service, root, `stars ${at}`)),
    );
    bench.say(`ratings: ${rounds} times ${operationsCount} operations on ${traces.length} traces`);
    const random = seededRandom(23);
    const said: string[] = [];
    const positions: string[] = [];
    const rate = async (value: (at: number) => number): Promise<void> => {
      const operations = templates.map((id, at) => ({
        annotation_template_id: id,
        rating: { annotation_type: 'star', value: value(at) },
      }));
      const body = { operations, selector: { selector_type: 'traces', traces } };
      const path = `${root}/annotation/ratings`;
      const reply = await service.client.call<readonly Result[]>('POST', path, { body });
      positions.push(reply.position ?? '');
      said.push(...new Set(reply.body.map(({ message }) => message)));
      if (reply.body.some(({ success }) => !success)) throw new Error(`Not rated: ${said.join()}`);
    };
    let stars = random.integer(1, starsMax);
    const given = await timeRuns(rounds, () => {
      stars = (stars % starsMax) + 1;
      return rate((at) => ((stars + at) % starsMax) + 1);
    });
    const repeated = await timeRuns(rounds, () => rate((at) => ((stars + at) % starsMax) + 1));
    const shown = await timeRuns(1, () => waitForPosition(service, place, positions.at(-1) ?? ''));
    const usage = await service.client.call<readonly Template[]>(
      'GET',
      `${root}/annotation/templates`,
    );
    const parameters = { traces: traces.length, operations: operationsCount, rounds };
    const hash = resultHash([said, usage.body.map((one) => one.usage_count)]);
    const common = { unit: 'ms', parameters, hash, target: null };
    const again = figure(summary(repeated));
    return [
      {
        ...common,
        name: 'ratings',
        what: 'ratings of many traces in one request, each another than before, durable',
        measured: figure(summary(given)),
        baseline: { what: 'the same request again, which changes nothing', ...again },
        more: { 'until reads show them ms': shown[0] ?? 0 },
      },
    ];
  } finally {
    await service.stop();
  }
};

const templateOf = async (service: ServiceProcess, root: string, name: string): Promise<string> => {
  const body = { name, constraints: { annotation_type: 'star' } };
  const path = `${root}/annotation/templates`;
  return (await service.client.call<Template>('POST', path, { body })).body.id;
};

/** Ids of so many traces of 10 spans of 1 KB that were recorded and can be read. */
const logged = async (
  service: ServiceProcess,
  place: BenchTarget,
  count: number,
): Promise<readonly string[]> => {
  const done = await runLoad(service, place, {
    shape: 'wide',
    seed: 21,
    from: 0,
    requests: count / tracesPerRequest,
    connections: 4,
    requestsPerSecond: null,
  });
  await waitForPosition(service, place, done.position);
  const body = { log_stream_id: place.run, limit: count };
  const found = await service.client.call<Found>('POST', `${place.root}/traces/search`, { body });
  return found.body.records.map(({ id }) => id);
};
