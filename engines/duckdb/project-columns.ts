import { columnNameKinds, type ColumnNameKind } from '../../kernel/records/column-names.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { integerList } from './sql.js';
import type { ColumnNumbers, ProjectColumns } from './column-cache.js';

/** The part of the model that a query about one project needs. */
export type ProjectModel = Pick<RecordsModel, 'projects' | 'markers' | 'metricTypes'> & {
  readonly columns: ColumnNumbers;
};

export const projectModelOf = async (
  model: RecordsModel,
  statements: Statements,
  project: string,
): Promise<ProjectModel> => {
  const { projects, markers, metricTypes } = model;
  const number = projects.get(project);
  const named =
    number === undefined ? noProjectColumns : await loadProjectColumns(model, statements, number);
  return { projects, markers, metricTypes, columns: named.numbers };
};

export const loadProjectColumns = async (
  model: RecordsModel,
  statements: Statements,
  project: number,
): Promise<ProjectColumns> => {
  const known = model.columnCache.get(project);
  if (known !== null) return known;
  const read = await readProjectColumns(statements, project);
  // A superseded state is right for this query only: not cached.
  const [checkpoint] = await statements.rows('SELECT position, fence FROM mark');
  const { position, fence } = model.checkpoint;
  if (checkpoint?.[0] === position && Number(checkpoint[1]) === fence)
    model.columnCache.set(project, read);
  return read;
};

const readProjectColumns = async (
  { rows }: Statements,
  project: number,
): Promise<ProjectColumns> => {
  const found = await rows(
    `SELECT id, number FROM columns WHERE project = ${integerList([project])}`,
  );
  return addColumns(
    noProjectColumns,
    found.map(([id, number]) => ({ id: String(id), number: Number(number) })),
  );
};

/** Adds columns to those of the project. */
export const addColumns = (
  { numbers, counts }: ProjectColumns,
  added: readonly { readonly id: string; readonly number: number }[],
): ProjectColumns => {
  if (added.length === 0) return { numbers, counts };
  const places = { ...counts };
  for (const { id } of added) places[kindOf(id)] += 1;
  const kept = added.filter(({ id }) => !isForgotten(id));
  return {
    numbers: new Map([...numbers, ...kept.map(({ id, number }) => [id, number] as const)]),
    counts: places,
  };
};

export const noProjectColumns: ProjectColumns = {
  numbers: new Map(),
  counts: Object.fromEntries(columnNameKinds.map((kind) => [kind, 0])) as ProjectColumns['counts'],
};

const kindOf = (id: string): ColumnNameKind => id.slice(0, id.indexOf('/')) as ColumnNameKind;

/**
 * True if the name has left the file, since no record uses it; it keeps its slot (decision D-111).
 */
const isForgotten = (id: string): boolean => id.indexOf('/') === id.length - 1;
export const liveColumnsSql = (catalog: string): string =>
  `SELECT * REPLACE (
     CASE WHEN project IS NULL OR number IN (SELECT col FROM ${catalog}.facets) THEN id
          ELSE left(id, strpos(id, '/')) END AS id)
   FROM ${catalog}.columns`;
