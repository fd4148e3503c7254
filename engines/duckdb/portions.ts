import type { DuckDBValue } from '@duckdb/node-api';
import type { Population } from '../../kernel/records/record.js';
import type { Statements } from './connections.js';
import { ordinalsMax, populations, tableOf } from './schema.js';

// The engine looks keys up in the index while they are few, and scans the table beyond 2,048.
export const keysAtATime = 1_000;

/** A record that is there, and what it weighs. */
export type Sized = { readonly key: bigint; readonly bytes: number };

/** Of the record at this place of its group. */
export const keyOf = ({ grp }: Pick<GroupSize, 'grp'>, ordinal: number): bigint =>
  BigInt(grp * ordinalsMax + ordinal);

/** Keys that records of the group can have: a session or trace comes first, spans after it. */
export const keysOf =
  (population: Population) =>
  ({ grp, size }: GroupSize): readonly bigint[] => {
    const first = grp * ordinalsMax;
    if (population !== 'span') return [BigInt(first)];
    return Array.from({ length: size - 1 }, (_, at) => BigInt(first + at + 1));
  };

/** `size` is one more than the largest ordinal. */
export type GroupSize = { readonly grp: number; readonly size: number };

export const groupFrom = ([grp, size]: readonly DuckDBValue[]): GroupSize => ({
  grp: Number(grp),
  size: Number(size),
});

export const sizesOf = async (
  { rows }: Statements,
  population: Population,
  keys: readonly bigint[],
): Promise<readonly Sized[]> => {
  const sized: Sized[] = [];
  for (let from = 0; from < keys.length; from += keysAtATime) {
    const list = keys.slice(from, from + keysAtATime).join(', ');
    const found = await rows(
      `SELECT key, bytes FROM ${tableOf[population]} WHERE key IN (${list})`,
    );
    sized.push(...found.map(sizedFrom));
  }
  return sized;
};

export const sizedFrom = ([key, bytes]: readonly DuckDBValue[]): Sized => ({
  key: key as bigint,
  bytes: Number(bytes),
});

/** As many from the beginning as have no more bytes than that, and at least one. */
export const within = (sized: readonly Sized[], bytesMax: number): readonly Sized[] => {
  let sum = 0;
  const end = sized.findIndex(({ bytes }, at) => {
    sum += bytes;
    return at > 0 && sum > bytesMax;
  });
  return end < 0 ? sized : sized.slice(0, end);
};

/** The same of groups, which weigh what their records do, with that. */
export const groupsWithin = async <G extends GroupSize>(
  statements: Statements,
  groups: readonly G[],
  bytesMax: number,
): Promise<readonly (G & Pick<Sized, 'bytes'>)[]> => {
  const taken: (G & Pick<Sized, 'bytes'>)[] = [];
  let left = bytesMax;
  for (let from = 0; from < groups.length;) {
    const some = fewRecords(groups.slice(from));
    const weights = await weightsOf(statements, some);
    for (const group of some) {
      const bytes = weights.get(group.grp) ?? 0;
      left -= bytes;
      if (left < 0 && taken.length > 0) return taken;
      taken.push({ ...group, bytes });
    }
    from += some.length;
  }
  return taken;
};

const fewRecords = <G extends GroupSize>(groups: readonly G[]): readonly G[] => {
  let records = 0;
  const end = groups.findIndex(({ size }, at) => {
    records += size;
    return at > 0 && records > keysAtATime;
  });
  return end < 0 ? groups : groups.slice(0, end);
};

const weightsOf = async (
  statements: Statements,
  groups: readonly GroupSize[],
): Promise<ReadonlyMap<number, number>> => {
  const weights = new Map<number, number>();
  for (const { sized } of await sizesOfGroups(statements, groups)) {
    for (const { key, bytes } of sized) {
      const grp = Number(key / BigInt(ordinalsMax));
      weights.set(grp, (weights.get(grp) ?? 0) + bytes);
    }
  }
  return weights;
};

type SizedPopulation = { readonly population: Population; readonly sized: readonly Sized[] };

/**
 * All records of the groups. One statement while they are few: what it costs to have one planned
 * and a thread woken for it is more than what it reads.
 */
export const sizesOfGroups = async (
  statements: Statements,
  groups: readonly GroupSize[],
): Promise<readonly SizedPopulation[]> => {
  const asked = populations
    .map((population) => ({ population, keys: groups.flatMap(keysOf(population)) }))
    .filter(({ keys }) => keys.length > 0);
  if (asked.some(({ keys }) => keys.length > keysAtATime)) {
    const found: SizedPopulation[] = [];
    for (const { population, keys } of asked) {
      found.push({ population, sized: await sizesOf(statements, population, keys) });
    }
    return found;
  }
  if (asked.length === 0) return [];
  const selects = asked.map(
    ({ population, keys }, at) =>
      `SELECT key, bytes, ${at} FROM ${tableOf[population]} WHERE key IN (${keys.join(', ')})`,
  );
  const rows = await statements.rows(selects.join(' UNION ALL '));
  return asked.map(({ population }, at) => ({
    population,
    sized: rows.filter(([, , of]) => Number(of) === at).map(sizedFrom),
  }));
};
