import type { Asking, StreamName } from '../../kernel/ports.js';
import type { GroupFound, GroupPlan } from '../../kernel/records/questions.js';
import type { Population, RecordRow } from '../../kernel/records/record.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { groupsWithin, keyOf, sizesOfGroups, type GroupSize } from './portions.js';
import { isUuid, tableOf } from './schema.js';
import { integers, uuidConstant } from './sql.js';
import {
  groupsNamed,
  namedFrom,
  portionBytes,
  rowColumns,
  rowsOfOne,
  rowsOfSized,
  type NamedGroup,
} from './stored-row.js';

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
    const few = await statements.rows(
      `SELECT ${rowColumns}, bytes FROM ${head} WHERE key = ${keyOf({ grp }, 0)} UNION ALL
       (SELECT ${rowColumns}, bytes FROM spans
        WHERE key > ${keyOf({ grp }, 0)} AND key < ${keyOf({ grp: grp + 1 }, 0)}
        LIMIT ${integers([fewSpans + 1])})`,
    );
    const read = few.reduce((sum, row) => sum + Number(row.at(-1)), 0);
    if (few.length <= fewSpans + 1 && read <= Math.min(bytesMax, portionBytes)) {
      const rows = await rowsOfOne(statements, few);
      const [first] = rows;
      if (first !== undefined) return { group: first.group, bytes: read, rows };
    }
    const named = await groupAt(statements, grp);
    const [weighed] = await groupsWithin(statements, [named], Number.POSITIVE_INFINITY);
    const { name: group, bytes } = weighed ?? { ...named, bytes: 0 };
    if (bytes > bytesMax) return { group, bytes, rows: null };
    return { group, bytes, rows: (await rowsOfGroups(statements, [named])).get(group) ?? [] };
  }, asking);

const groupAt = async ({ rows }: Statements, grp: number): Promise<NamedGroup> => {
  const [found] = await rows(`SELECT grp, size, name FROM groups WHERE grp = ${integers([grp])}`);
  return namedFrom(found ?? []);
};
