import type { RecordScope } from '../../kernel/records/questions.js';
import { scopeIndex } from './record-match.js';
import { hashed } from './record-names.js';
import type { StoredRow } from './record-rows.js';
import { inFull, recordsAsked, recordsBy, type OpenRecords } from './record-scan.js';
import type { Snapshot } from './snapshot.js';

/**
 * Records of one shape have values in the same columns, so one of them tells what the catalogue
 * asks of all. Hashed, since names of members are content.
 */
export const shapeOf = ({ values, metrics, notes, annotations = {} }: StoredRow): string => {
  const shown = Object.entries(metrics).flatMap(([member, metric]) =>
    withValue(metric).map((type) => `${type} ${member}`),
  );
  return hashed(
    JSON.stringify(
      [withValue(values), shown, withValue(notes), Object.keys(annotations)].map(sorted),
    ),
  );
};

const withValue = (members: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(members).filter((name) => isValue(members[name]));

/** As `isValue` of record-columns.ts. */
const isValue = (value: unknown): boolean =>
  value !== '' && !(Array.isArray(value) && value.length === 0);

const sorted = (names: readonly string[]): readonly string[] => [...names].sort();

/** Beyond these, asking about examples takes as long as asking about all. */
const shapesMax = 500;

/**
 * Pipelines over records of the scope among which each shape has one, from one reading of all, by
 * the index alone where nothing but the index says what is of the scope. Null: too many shapes.
 */
export const examplesAsked = async (
  snapshot: Snapshot,
  scope: RecordScope,
): Promise<OpenRecords | null> => {
  const isInIndex = scope.filter === null && scope.kinds === null;
  const open = isInIndex
    ? recordsBy(snapshot, scope, scopeIndex(scope))
    : await recordsAsked(snapshot, scope);
  const examples = await inFull(open)([eachShape, { $limit: shapesMax + 1 }]);
  if (examples.length > shapesMax) return null;
  const of = (member: 'at' | 'id') => ({ $in: examples.map((one) => String(one[member])) });
  return recordsBy(snapshot, scope, scopeIndex(scope), { at: of('at'), id: of('id') });
};

const eachShape = { $group: { _id: '$shape', at: { $first: '$at' }, id: { $first: '$id' } } };
