import { randomBytes } from 'node:crypto';
import { openAuthentication } from '../command-api/access/authenticate.js';
import { reservationStream } from '../command-api/facts/reservations.js';
import { apiKeyStream } from '../command-api/facts/api-keys.js';
import { userStream } from '../command-api/facts/users.js';
import { seededRandom, type SeededRandom } from '../kernel/seeded-random.js';
import { systemClock } from '../engines/node/clock.js';
import { encodeApiKey } from '../engines/node/secrets.js';
import { Fault } from '../kernel/fault.js';
import { authorizerNeeds, testSecrets } from '../test/support/test-authorizer.js';
import { testLog, type TestLog } from '../test/support/test-log.js';
import { keyId, apiKeyCreated, userId, userCreated } from '../test/support/access-events.js';
import type { BenchContext } from './bench-context.js';
import type { ResultRow } from './result-rows.js';
import { meanOf, percentile, resultHash, summary, welch } from './statistics.js';

/** Bytes, of the 32 of a key, that an attacker who guesses the rest knows. */
const knownBytes = 28;
/** The live key comes in this often, so that whatever is remembered of it is. */
const usedEvery = 1_000;
/** Pauses of the process say nothing of the check, and would hide what does. */
const keptShare = 0.95;

const kinds = ['known beginning', 'unknown', 'unknown again', 'wrong checksum'] as const;
type Kind = (typeof kinds)[number];

/**
 * Target D9. Whether the time of a refusal tells how much of a key was right: keys that begin like
 * a live one beside unknown keys, in process, drawn in random order.
 */
export const keyTimingRow = async (bench: BenchContext): Promise<ResultRow> => {
  const each = bench.smoke ? 300 : 100_000;
  bench.say(`key-timing: ${kinds.length} times ${each} keys`);
  const world = await testLog();
  try {
    const live = randomBytes(32);
    await registered(world, encodeApiKey(live));
    const { times, said } = await refusals(world, live, each);
    const cut = percentile(
      [...times['known beginning'], ...times.unknown].toSorted((one, other) => one - other),
      keptShare,
    );
    const kept = (kind: Kind): readonly number[] => times[kind].filter((took) => took <= cut);
    const apart = (one: Kind, other: Kind) => ({
      value: Math.abs(welch(kept(one), kept(other))),
      spread: summary(kept(one)).spread,
      samples: kept(one).length + kept(other).length,
    });
    return {
      name: 'key-timing',
      what: 'Welch’s |t| of the time to refuse keys that begin like a live one and unknown keys',
      parameters: { 'keys each': each, 'known bytes of 32': knownBytes, 'kept share': keptShare },
      unit: '|t|',
      measured: apart('known beginning', 'unknown'),
      baseline: { what: 'of two draws of unknown keys', ...apart('unknown again', 'unknown') },
      target: { most: 4.5 },
      more: {
        'known beginning µs': meanOf(kept('known beginning')),
        'unknown µs': meanOf(kept('unknown')),
        // Public, so it may show: that it does says that a difference would be seen.
        'of a wrong checksum |t|': apart('wrong checksum', 'unknown').value,
      },
      hash: resultHash(said),
    };
  } finally {
    await world.close();
  }
};

const registered = async ({ append }: TestLog, value: string): Promise<void> => {
  const hash = testSecrets.hashKey(value) ?? '';
  const claimed = { type: 'NameClaimed', data: { holder: keyId(1) } };
  await append(userStream(userId(1)), userCreated(1, 'admin'));
  await append(reservationStream('api-key-value', hash), claimed);
  await append(apiKeyStream(keyId(1)), apiKeyCreated(1, { value_hash: hash }));
};

const refusals = async ({ log }: TestLog, live: Buffer, each: number) => {
  const authorizer = openAuthentication(authorizerNeeds({ log, clock: systemClock }));
  const random = seededRandom(29);
  const times: Record<Kind, number[]> = {
    'known beginning': [],
    unknown: [],
    'unknown again': [],
    'wrong checksum': [],
  };
  const said = new Set<string>();
  const refused = async (kind: Kind, tries: number): Promise<void> => {
    const key = valueOf(kind, live);
    // Each from elsewhere: failures of one address are soon refused without a look at the key.
    const address = `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`;
    const began = performance.now();
    const refusal: unknown = await authorizer
      .authenticate({ scheme: 'K', key }, address)
      .catch(passError);
    times[kind].push((performance.now() - began) * 1_000);
    said.add(refusal instanceof Fault ? refusal.code : `let in: ${String(refusal)}`);
  };
  for (let tries = 0; tries < each * kinds.length;) {
    if (tries % usedEvery === 0) {
      await authorizer.authenticate({ scheme: 'K', key: encodeApiKey(live) }, '127.0.0.1');
    }
    // One of each, in another order each time: what changes in the long run is the same for all.
    for (const kind of shuffled(kinds, random)) {
      await refused(kind, tries);
      tries += 1;
    }
  }
  if (said.size !== 1) throw new Error(`Not all were refused alike: ${[...said].join()}`);
  return { times, said: [...said] };
};
const passError = (thrown: unknown): unknown => thrown;

const shuffled = (items: readonly Kind[], random: SeededRandom): readonly Kind[] =>
  items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);

const valueOf = (kind: Kind, live: Buffer): string => {
  const known = kind === 'known beginning' ? knownBytes : 0;
  const value = encodeApiKey(Buffer.concat([live.subarray(0, known), randomBytes(32 - known)]));
  return kind === 'wrong checksum' ? `${value.slice(0, -1)}${value.endsWith('0') ? 1 : 0}` : value;
};
