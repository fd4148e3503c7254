import type { DuckDBValue } from '@duckdb/node-api';
import type { Population } from '../../kernel/records/record.js';
import type { Statements } from './connections.js';
import { ordinalsMax, populations, tableOf } from './schema.js';

// The engine uses the index for few keys, and scans the table beyond 2,048.
export const keysPerStatement = 1_000;

/** An existing record's key and size. */
export type SizedKey = { readonly key: bigint; readonly bytes: number };

/** Key of the record with this ordinal in its group. */
export const recordKey = ({ grp }: Pick<GroupExtent, 'grp'>, ordinal: number): bigint =>
  BigInt(grp * ordinalsMax + ordinal);

/** Possible keys of a group's records: a session or trace first, then spans. */
export const recordKeys =
  (population: Population) =>
  ({ grp, size }: GroupExtent): readonly bigint[] => {
    const first = grp * ordinalsMax;
    if (population !== 'span') return [BigInt(first)];
    return Array.from({ length: size - 1 }, (_, at) => BigInt(first + at + 1));
  };

/** A group's number and `size`, one more than its largest ordinal. */
export type GroupExtent = { readonly grp: number; readonly size: number };

export const groupExtentOf = ([grp, size]: readonly DuckDBValue[]): GroupExtent => ({
  grp: Number(grp),
  size: Number(size),
});

export const readSizes = async (
  { rows }: Statements,
  population: Population,
  keys: readonly bigint[],
): Promise<readonly SizedKey[]> => {
  const sized: SizedKey[] = [];
  for (let from = 0; from < keys.length; from += keysPerStatement) {
    const list = keys.slice(from, from + keysPerStatement).join(', ');
    const found = await rows(
      `SELECT key, bytes FROM ${tableOf[population]} WHERE key IN (${list})`,
    );
    sized.push(...found.map(sizedKeyOf));
  }
  return sized;
};

export const sizedKeyOf = ([key, bytes]: readonly DuckDBValue[]): SizedKey => ({
  key: key as bigint,
  bytes: Number(bytes),
});

/** Takes records in order within `bytesMax`, always at least one. */
export const takeWithinBytes = (
  sized: readonly SizedKey[],
  bytesMax: number,
): readonly SizedKey[] => {
  let sum = 0;
  const end = sized.findIndex(({ bytes }, at) => {
    sum += bytes;
    return at > 0 && sum > bytesMax;
  });
  return end < 0 ? sized : sized.slice(0, end);
};

/** `takeWithinBytes` for groups: returns each with the size of its records. */
export const takeGroupsWithin = async <G extends GroupExtent>(
  statements: Statements,
  groups: readonly G[],
  bytesMax: number,
): Promise<readonly (G & Pick<SizedKey, 'bytes'>)[]> => {
  const taken: (G & Pick<SizedKey, 'bytes'>)[] = [];
  let left = bytesMax;
  for (let from = 0; from < groups.length;) {
    const some = takeGroupsOfOneStatement(groups.slice(from));
    const weights = await readGroupBytes(statements, some);
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

const takeGroupsOfOneStatement = <G extends GroupExtent>(groups: readonly G[]): readonly G[] => {
  let records = 0;
  const end = groups.findIndex(({ size }, at) => {
    records += size;
    return at > 0 && records > keysPerStatement;
  });
  return end < 0 ? groups : groups.slice(0, end);
};

const readGroupBytes = async (
  statements: Statements,
  groups: readonly GroupExtent[],
): Promise<ReadonlyMap<number, number>> => {
  const weights = new Map<number, number>();
  for (const { sized } of await readGroupSizes(statements, groups)) {
    for (const { key, bytes } of sized) {
      const grp = Number(key / BigInt(ordinalsMax));
      weights.set(grp, (weights.get(grp) ?? 0) + bytes);
    }
  }
  return weights;
};

type SizedPopulation = { readonly population: Population; readonly sized: readonly SizedKey[] };

/**
 * Sizes of all records of the groups. One statement while they are few: planning it and waking a
 * thread cost more than the reading.
 */
export const readGroupSizes = async (
  statements: Statements,
  groups: readonly GroupExtent[],
): Promise<readonly SizedPopulation[]> => {
  const keysByPopulation = populations
    .map((population) => ({ population, keys: groups.flatMap(recordKeys(population)) }))
    .filter(({ keys }) => keys.length > 0);
  if (keysByPopulation.some(({ keys }) => keys.length > keysPerStatement)) {
    const found: SizedPopulation[] = [];
    for (const { population, keys } of keysByPopulation) {
      found.push({ population, sized: await readSizes(statements, population, keys) });
    }
    return found;
  }
  if (keysByPopulation.length === 0) return [];
  const selects = keysByPopulation.map(
    ({ population, keys }, at) =>
      `SELECT key, bytes, ${at} FROM ${tableOf[population]} WHERE key IN (${keys.join(', ')})`,
  );
  const rows = await statements.rows(selects.join(' UNION ALL '));
  return keysByPopulation.map(({ population }, at) => ({
    population,
    sized: rows.filter(([, , of]) => Number(of) === at).map(sizedKeyOf),
  }));
};
