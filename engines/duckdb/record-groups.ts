import type { QueryContext, StreamName } from '../../kernel/ports.js';
import type { StoredGroup, GroupPlan } from '../../kernel/records/query-plans.js';
import type { Population, RecordRow } from '../../kernel/records/record.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import {
  takeGroupsWithin,
  recordKey,
  readGroupSizes,
  sizedKeyOf,
  type GroupExtent,
  type SizedKey,
} from './record-sizes.js';
import { isUuid, ordinalsMax, tableOf } from './schema.js';
import { integerList, uuidConstant } from './sql.js';
import {
  groupsByName,
  namedGroupOf,
  statementBytesMax,
  rowColumns,
  decodeGroup,
  readRows,
  type NamedGroup,
} from './row-decoding.js';

export const rowsByGroup = (
  model: RecordsModel,
  names: readonly StreamName[],
  context: QueryContext = {},
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> =>
  model.connections.read(
    async (statements) => readGroups(statements, await groupsByName(statements, names)),
    context,
  );

export const groupBytes = (
  model: RecordsModel,
  names: readonly StreamName[],
  context: QueryContext = {},
): Promise<ReadonlyMap<StreamName, number>> =>
  model.connections.read(async (statements) => {
    const groups = await groupsByName(statements, names);
    const weighed = await takeGroupsWithin(statements, groups, Number.POSITIVE_INFINITY);
    return new Map(weighed.map(({ name, bytes }) => [name, bytes]));
  }, context);

export const readGroups = async (
  statements: Statements,
  groups: readonly GroupExtent[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  const found = new Map<StreamName, RecordRow[]>();
  for (const { population, sized } of await readGroupSizes(statements, groups)) {
    if (sized.length === 0) continue;
    for (const row of (await readRows(statements, population, sized)).values()) {
      const known = found.get(row.group);
      if (known === undefined) found.set(row.group, [row]);
      else known.push(row);
    }
  }
  for (const rows of found.values()) rows.sort((one, other) => one.ordinal - other.ordinal);
  return found;
};

export const findGroup = (
  model: RecordsModel,
  project: string,
  population: Population,
  id: string,
  context: QueryContext = {},
): Promise<StreamName | null> =>
  model.connections.readOne(async ({ rows }) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(id)) return null;
    const [found] = await rows(
      `SELECT g.name FROM ${tableOf[population]} r JOIN groups g ON g.grp = r.grp
       WHERE r.project = ${number} AND r.id = ${uuidConstant(id)}`,
    );
    return found === undefined ? null : (String(found[0]) as StreamName);
  }, context);

/** Groups this small are read unweighed: two megabytes of rows at most, long texts apart. */
const unweighedSpansMax = 24;

/** Implements `Records.groupOf`. Each statement takes about a millisecond, whatever its result. */
export const groupRows = (
  model: RecordsModel,
  { project, population, id, bytesMax, alone }: GroupPlan,
  context: QueryContext = {},
): Promise<StoredGroup | null> =>
  model.connections.read(async (statements) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(id)) return null;
    const [place] = await statements.rows(
      `SELECT key, bytes, grp FROM ${tableOf[population]}
       WHERE project = ${number} AND id = ${uuidConstant(id)}`,
    );
    if (place === undefined) return null;
    const grp = Number(place[2]);
    if (alone === true) return readAlone(statements, population, sizedKeyOf(place), bytesMax);
    const head = tableOf[population === 'session' ? 'session' : 'trace'];
    const few = await statements.rows(
      `SELECT ${rowColumns}, bytes FROM ${head} WHERE key = ${recordKey({ grp }, 0)} UNION ALL
       (SELECT ${rowColumns}, bytes FROM spans
        WHERE key > ${recordKey({ grp }, 0)} AND key < ${recordKey({ grp: grp + 1 }, 0)}
        LIMIT ${integerList([unweighedSpansMax + 1])})`,
    );
    const read = few.reduce((sum, row) => sum + Number(row.at(-1)), 0);
    if (few.length <= unweighedSpansMax + 1 && read <= Math.min(bytesMax, statementBytesMax)) {
      const rows = await decodeGroup(statements, few);
      const [first] = rows;
      if (first !== undefined) return { group: first.group, bytes: read, rows };
    }
    const named = await readGroupName(statements, grp);
    const [weighed] = await takeGroupsWithin(statements, [named], Number.POSITIVE_INFINITY);
    const { name: group, bytes } = weighed ?? { ...named, bytes: 0 };
    if (bytes > bytesMax) return { group, bytes, rows: null };
    return { group, bytes, rows: (await readGroups(statements, [named])).get(group) ?? [] };
  }, context);

const readAlone = async (
  statements: Statements,
  population: Population,
  record: SizedKey,
  bytesMax: number,
): Promise<StoredGroup> => {
  const { key, bytes } = record;
  const { name: group } = await readGroupName(statements, Number(key / BigInt(ordinalsMax)));
  if (bytes > bytesMax) return { group, bytes, rows: null };
  return { group, bytes, rows: [...(await readRows(statements, population, [record])).values()] };
};

const readGroupName = async ({ rows }: Statements, grp: number): Promise<NamedGroup> => {
  const [found] = await rows(
    `SELECT grp, size, name FROM groups WHERE grp = ${integerList([grp])}`,
  );
  return namedGroupOf(found ?? []);
};
