import { randomUUID } from 'node:crypto';
import { seededRandom } from '../kernel/seeded-random.js';
import { operations } from '../contract/all.js';
import { validRequest } from '../test/fuzz/valid-request.js';
import { startTwoOrganizations, type TwoOrganizations } from '../test/support/two-organizations.js';
import { createOneOfEach } from '../test/support/one-of-each-object.js';
import type { BenchContext } from './bench-context.js';
import type { ResultRow } from './result-rows.js';
import { percentile, resultHash, summary } from './statistics.js';

type Ids = Readonly<Record<string, unknown>>;

/**
 * Operations that name what they are about in the path. Of those that log into a project an unknown
 * trace is waited for, two seconds each time, wherever it is.
 */
const asked = operations.filter(
  ({ schemes, path, size }) =>
    schemes.includes('K') && size !== 'ingest' && /\{\w+_id\}/.test(path),
);
const kinds = ['foreign', 'random', 'random again'] as const;
type Kind = (typeof kinds)[number];

/**
 * Target D2. Whether the time of an answer tells ids of another organisation from ids of nothing:
 * the same requests with either, in turn.
 */
export const foreignIdRow = async (bench: BenchContext): Promise<ResultRow> => {
  const rounds = bench.smoke ? 1 : Math.ceil(2_000 / asked.length);
  bench.say(`foreign-ids: ${rounds} times ${asked.length} operations, ${kinds.length} ways`);
  const cast = await startTwoOrganizations();
  try {
    const { times, said } = await answers(cast, rounds);
    const all = (kind: Kind): readonly number[] => times.flatMap((one) => one[kind]);
    const medianOf = (values: readonly number[]): number => summary(values).median;
    const apart = (one: Kind, other: Kind) => ({
      value: Math.abs(medianOf(all(one)) - medianOf(all(other))),
      spread: summary(all(one)).spread,
      samples: all(one).length,
    });
    const widest = times
      .map((one) => Math.abs(medianOf(one.foreign) - medianOf(one.random)))
      .toSorted((one, other) => one - other);
    return {
      name: 'foreign-ids',
      what: 'between median times of answers to ids of another organisation and to ids of nothing',
      parameters: { operations: asked.length, rounds },
      unit: 'ms',
      measured: apart('foreign', 'random'),
      baseline: {
        what: 'between two draws of ids of nothing',
        ...apart('random again', 'random'),
      },
      target: { most: 5 },
      more: {
        'median of foreign ms': medianOf(all('foreign')),
        'median of random ms': medianOf(all('random')),
        'widest of one operation ms': percentile(widest, 1),
        ...Object.fromEntries([...said].map(([status, count]) => [`answered ${status}`, count])),
      },
      hash: resultHash([...said]),
    };
  } finally {
    await cast.close();
  }
};

const answers = async (cast: TwoOrganizations, rounds: number) => {
  const stranger = cast.theirs.admin.as;
  const theirs = await createOneOfEach(cast.ours.admin.as, 'foreign');
  const own = await createOneOfEach(stranger, 'own');
  const rng = seededRandom(37).next;
  const times = asked.map((): Taken => ({ foreign: [], random: [], 'random again': [] }));
  const said = new Map<number, number>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, operation] of asked.entries()) {
      const draw = Math.floor(rng() * 2 ** 31);
      const first = Math.floor(rng() * kinds.length);
      for (const turn of kinds.keys()) {
        const kind = kinds[(first + turn) % kinds.length] ?? 'random';
        const known = kind === 'foreign' ? theirs : madeUp(own);
        const request = validRequest(operation, seededRandom(draw).next, known);
        const began = performance.now();
        const { status } = await stranger.send(operation.method, request.path, request.ask);
        const took = performance.now() - began;
        said.set(status, (said.get(status) ?? 0) + 1);
        // The first round is to get warm.
        if (round > 0) times[at]?.[kind].push(took);
      }
    }
  }
  const wrong = [...said.keys()].filter((status) => status < 400 || status >= 500);
  if (wrong.length > 0) throw new Error(`Ids out of sight were answered ${wrong.join()}`);
  return { times, said };
};
type Taken = Readonly<Record<Kind, number[]>>;

const madeUp = (ids: Ids): Ids =>
  Object.fromEntries(Object.keys(ids).map((name) => [name, randomUUID()]));
