import type { Asking, StreamName } from '../../kernel/ports.js';
import type { GroupFound, GroupPlan } from '../../kernel/records/questions.js';
import type { Population, RecordRow } from '../../kernel/records/record.js';
import type { Rows, Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { groupsWithin, keyOf, sizesOfGroups, type GroupSize } from './portions.js';
import { isUuid, ordinalsMax, tableOf } from './schema.js';
import { integers, uuidConstant } from './sql.js';
import { groupsNamed, portionBytes, rowColumns, rowsOfOne, rowsOfSized } from './stored-row.js';

export const groups = (
  model: RecordsModel,
  names: readonly StreamName[],
  asking: Asking = {},
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> =>
  model.connections.read(
    async (statements) => rowsOfGroups(statements, await groupsNamed(statements, names)),
    asking,
  );

export const weights = (
  model: RecordsModel,
  names: readonly StreamName[],
  asking: Asking = {},
): Promise<ReadonlyMap<StreamName, number>> =>
  model.connections.read(async (statements) => {
    const groups = await groupsNamed(statements, names);
    const weighed = await groupsWithin(statements, groups, Number.POSITIVE_INFINITY);
    return new Map(weighed.map(({ name, bytes }) => [name, bytes]));
  }, asking);

export const rowsOfGroups = async (
  statements: Statements,
  groups: readonly GroupSize[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  const found = new Map<StreamName, RecordRow[]>();
  for (const { population, sized } of await sizesOfGroups(statements, groups)) {
    if (sized.length === 0) continue;
    for (const row of (await rowsOfSized(statements, population, sized)).values()) {
      const known = found.get(row.group);
      if (known === undefined) found.set(row.group, [row]);
      else known.push(row);
    }
  }
  for (const rows of found.values()) rows.sort((one, other) => one.ordinal - other.ordinal);
  return found;
};

export const locate = (
  model: RecordsModel,
  project: string,
  population: Population,
  id: string,
  asking: Asking = {},
): Promise<StreamName | null> =>
  model.connections.ask(async ({ rows }) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(id)) return null;
    const [found] = await rows(
      `SELECT g.name FROM ${tableOf[population]} r JOIN groups g ON g.grp = r.grp
       WHERE r.project = ${number} AND r.id = ${uuidConstant(id)}`,
    );
    return found === undefined ? null : (String(found[0]) as StreamName);
  }, asking);

/** Their rows have two megabytes at most, their long texts apart, and are read unweighed. */
const fewSpans = 24;

/** As `Records.groupOf`. Each statement takes about a millisecond, whatever it finds. */
export const groupOf = (
  model: RecordsModel,
  { project, population, id, bytesMax }: GroupPlan,
  asking: Asking = {},
): Promise<GroupFound | null> =>
  model.connections.read(async (statements) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(id)) return null;
    const [place] = await statements.rows(
      `SELECT grp FROM ${tableOf[population]}
       WHERE project = ${number} AND id = ${uuidConstant(id)}`,
    );
    if (place === undefined) return null;
    const grp = Number(place[0]);
    const head = tableOf[population === 'session' ? 'session' : 'trace'];
    const stored = (columns: string, spansMax: number): Promise<Rows> =>
      statements.rows(
        `SELECT ${columns} FROM ${head} WHERE key = ${keyOf({ grp }, 0)} UNION ALL
         (SELECT ${columns} FROM spans
          WHERE key > ${keyOf({ grp }, 0)} AND key < ${keyOf({ grp: grp + 1 }, 0)}
          LIMIT ${integers([spansMax])})`,
      );
    const some = await stored(`bytes, ${rowColumns}`, fewSpans + 1);
    const isAll = some.length <= fewSpans + 1;
    const all = isAll ? some : await stored('bytes, key', ordinalsMax);
    const bytes = all.reduce((sum, [one]) => sum + Number(one), 0);
    const rows =
      bytes > bytesMax
        ? null
        : isAll && bytes <= portionBytes
          ? await rowsOfOne(statements, withoutFirst(some))
          : await rowsOfOneGroup(statements, { grp, size: sizeOf(withoutFirst(all)) });
    return { group: rows?.[0]?.group ?? (await nameOf(statements, grp)), bytes, rows };
  }, asking);

const withoutFirst = (rows: Rows): Rows => rows.map(([, ...rest]) => rest);

/** Of rows that begin with their keys. */
const sizeOf = (rows: Rows): number =>
  rows.reduce(
    (most, [key]) => Math.max(most, Number((key as bigint) % BigInt(ordinalsMax)) + 1),
    0,
  );

const rowsOfOneGroup = async (
  statements: Statements,
  group: GroupSize,
): Promise<readonly RecordRow[]> => {
  const [rows = []] = (await rowsOfGroups(statements, [group])).values();
  return rows;
};

const nameOf = async ({ rows }: Statements, grp: number): Promise<StreamName> => {
  const [found] = await rows(`SELECT name FROM groups WHERE grp = ${integers([grp])}`);
  return String(found?.[0]) as StreamName;
};
