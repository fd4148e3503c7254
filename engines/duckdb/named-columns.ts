import { nameKinds, type NameKind } from '../../kernel/records/column-names.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { integers } from './sql.js';
import type { Numbers, Named } from './remembered-columns.js';

/** What a question about one project needs to know of the model. */
export type Scoped = Pick<RecordsModel, 'projects' | 'seen' | 'types'> & {
  readonly columns: Numbers;
};

export const inProject = async (
  model: RecordsModel,
  statements: Statements,
  project: string,
): Promise<Scoped> => {
  const { projects, seen, types } = model;
  const number = projects.get(project);
  const named = number === undefined ? noNames : await namedIn(model, statements, number);
  return { projects, seen, types, columns: named.numbers };
};

export const namedIn = async (
  model: RecordsModel,
  statements: Statements,
  project: number,
): Promise<Named> => {
  const known = model.named.get(project);
  if (known !== null) return known;
  const read = await readNamed(statements, project);
  // A state that was passed meanwhile is right for this question and for no later one.
  const [checkpoint] = await statements.rows('SELECT position, fence FROM mark');
  const { position, fence } = model.checkpoint;
  if (checkpoint?.[0] === position && Number(checkpoint[1]) === fence)
    model.named.set(project, read);
  return read;
};

const readNamed = async ({ rows }: Statements, project: number): Promise<Named> => {
  const found = await rows(`SELECT id, number FROM columns WHERE project = ${integers([project])}`);
  return withNames(
    noNames,
    found.map(([id, number]) => ({ id: String(id), number: Number(number) })),
  );
};

/** With these beside those that it has. */
export const withNames = (
  { numbers, taken }: Named,
  added: readonly { readonly id: string; readonly number: number }[],
): Named => {
  if (added.length === 0) return { numbers, taken };
  const places = { ...taken };
  for (const { id } of added) places[kindOf(id)] += 1;
  const kept = added.filter(({ id }) => !isForgotten(id));
  return {
    numbers: new Map([...numbers, ...kept.map(({ id, number }) => [id, number] as const)]),
    taken: places,
  };
};

export const noNames: Named = {
  numbers: new Map(),
  taken: Object.fromEntries(nameKinds.map((kind) => [kind, 0])) as Named['taken'],
};

const kindOf = (id: string): NameKind => id.slice(0, id.indexOf('/')) as NameKind;

/** A name that no record has any more leaves the file, and keeps its place (decision D-111). */
const isForgotten = (id: string): boolean => id.indexOf('/') === id.length - 1;
export const columnsAlive = (catalog: string): string =>
  `SELECT * REPLACE (
     CASE WHEN project IS NULL OR number IN (SELECT col FROM ${catalog}.facets) THEN id
          ELSE left(id, strpos(id, '/')) END AS id)
   FROM ${catalog}.columns`;
