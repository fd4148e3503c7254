import type { StreamName } from '../../kernel/ports.js';
import type { StoredGroup, GroupPlan, StoredGroupSize } from '../../kernel/records/query-plans.js';
import { rowMembers } from './record-decoding.js';
import { restMax } from './record-encoding.js';
import { rowsByOrdinal } from './record-outlines.js';
import { rowsByGroup, findGroup, queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

/** Groups per look-up: usual traces are some kilobytes, and a page of large ones ends soon. */
const groupsAtOnce = 100;

/** Bytes of a document with its parts. */
const storedBytes = { $add: [{ $bsonSize: '$$ROOT' }, { $multiply: ['$parts', restMax] }] };

/** Implements `Records.weights`. The server computes the sizes; no document is transferred. */
export const groupBytes = async (
  { rows, visible }: Snapshot,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, number>> => {
  const found = new Map<StreamName, number>();
  for (let from = 0; from < names.length; from += groupsAtOnce) {
    const some = names.slice(from, from + groupsAtOnce);
    const weighed = rows.aggregate(
      [
        { $match: { group: { $in: some }, ordinal: { $gte: 0 }, ...visible } },
        { $project: rowMembers },
        { $group: { _id: '$group', bytes: { $sum: storedBytes } } },
      ],
      { hint: 'group', maxTimeMS: queryTimeoutMs },
    );
    for await (const { _id, bytes } of weighed) found.set(_id as StreamName, Number(bytes));
  }
  return found;
};

const readAlone = async (
  snapshot: Snapshot,
  { project, population, id, bytesMax }: GroupPlan,
): Promise<StoredGroup | null> => {
  const { rows, visible } = snapshot;
  const place = { project: { $eq: project }, population, id: { $eq: id } };
  const [found] = await rows
    .aggregate(
      [
        { $match: { ...place, ...visible } },
        { $limit: 1 },
        { $project: rowMembers },
        { $project: { group: 1, ordinal: 1, bytes: storedBytes } },
      ],
      { hint: 'id', maxTimeMS: queryTimeoutMs },
    )
    .toArray();
  if (found === undefined) return null;
  const bytes = Number(found['bytes']);
  const group = found['group'] as StreamName;
  if (bytes > bytesMax) return { group, bytes, rows: null };
  const places = [{ group, ordinals: [Number(found['ordinal'])] }];
  return { group, bytes, rows: await rowsByOrdinal(snapshot, places) };
};

/** Takes groups in order within `bytesMax`, always at least one. */
export const takeGroupsWithin = async (
  snapshot: Snapshot,
  names: readonly StreamName[],
  bytesMax: number,
): Promise<readonly StoredGroupSize[]> => {
  const taken: StoredGroupSize[] = [];
  let left = bytesMax;
  for (let from = 0; from < names.length; from += groupsAtOnce) {
    const some = names.slice(from, from + groupsAtOnce);
    const weighed = await groupBytes(snapshot, some);
    for (const group of some) {
      const bytes = weighed.get(group) ?? 0;
      left -= bytes;
      if (left < 0 && taken.length > 0) return taken;
      taken.push({ group, bytes });
    }
  }
  return taken;
};

export const groupRows = async (
  snapshot: Snapshot,
  plan: GroupPlan,
): Promise<StoredGroup | null> => {
  const { project, population, id, bytesMax } = plan;
  if (plan.alone === true) return readAlone(snapshot, plan);
  const group = await findGroup(snapshot, project, population, id);
  if (group === null) return null;
  const bytes = (await groupBytes(snapshot, [group])).get(group) ?? 0;
  if (bytes > bytesMax) return { group, bytes, rows: null };
  return { group, bytes, rows: (await rowsByGroup(snapshot, [group])).get(group) ?? [] };
};
