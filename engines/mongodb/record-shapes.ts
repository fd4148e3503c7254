import type { RecordScope } from '../../kernel/records/query-plans.js';
import { scopeIndex } from './record-match.js';
import { nameHash } from './record-names.js';
import type { StoredRow } from './record-encoding.js';
import { collectAll, recordPipeline, hintedPipeline, type RecordPipeline } from './record-scan.js';
import type { Snapshot } from './snapshot.js';

/**
 * Shape of a record: hash of its columns with a value, so that one example answers the catalogue
 * for all of the shape. Hashed, since member names are content.
 */
export const shapeHash = ({ values, metrics, notes, annotations = {} }: StoredRow): string => {
  const shown = Object.entries(metrics).flatMap(([member, metric]) =>
    namesWithValue(metric).map((type) => `${type} ${member}`),
  );
  return nameHash(
    JSON.stringify(
      [namesWithValue(values), shown, namesWithValue(notes), Object.keys(annotations)].map(
        sortNames,
      ),
    ),
  );
};

const namesWithValue = (members: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(members).filter((name) => isValue(members[name]));

/** `isValue` of record-column-facts.ts for a decoded value. */
const isValue = (value: unknown): boolean =>
  value !== '' && !(Array.isArray(value) && value.length === 0);

const sortNames = (names: readonly string[]): readonly string[] => [...names].sort();

/** Beyond this many shapes, examples take as long as all records. */
const shapesMax = 500;

/**
 * Pipelines over one example record per shape of the scope, found in one read, by the index alone
 * where the index covers the scope. Null: too many shapes.
 */
export const examplePipeline = async (
  snapshot: Snapshot,
  scope: RecordScope,
): Promise<RecordPipeline | null> => {
  const isInIndex = scope.filter === null && scope.kinds === null;
  const open = isInIndex
    ? hintedPipeline(snapshot, scope, scopeIndex(scope))
    : await recordPipeline(snapshot, scope);
  const examples = await collectAll(open)([shapeExamples, { $limit: shapesMax + 1 }]);
  if (examples.length > shapesMax) return null;
  const of = (member: 'at' | 'id') => ({ $in: examples.map((one) => String(one[member])) });
  return hintedPipeline(snapshot, scope, scopeIndex(scope), { at: of('at'), id: of('id') });
};

const shapeExamples = { $group: { _id: '$shape', at: { $first: '$at' }, id: { $first: '$id' } } };
