import type { RecordScope } from '../../kernel/records/query-plans.js';
import { scopeIndex } from './record-match.js';
import { nameHash } from './record-names.js';
import type { StoredRow } from './record-encoding.js';
import { collectAll, recordPipeline, hintedPipeline, type RecordPipeline } from './record-scan.js';
import type { Snapshot } from './snapshot.js';

/**
 * Records of one shape have values in the same columns, so one of them tells what the catalogue
 * asks of all. Hashed, since names of members are content.
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

/** As `isValue` of record-column-facts.ts. */
const isValue = (value: unknown): boolean =>
  value !== '' && !(Array.isArray(value) && value.length === 0);

const sortNames = (names: readonly string[]): readonly string[] => [...names].sort();

/** Beyond these, asking about examples takes as long as asking about all. */
const shapesMax = 500;

/**
 * Pipelines over records of the scope among which each shape has one, from one reading of all, by
 * the index alone where nothing but the index says what is of the scope. Null: too many shapes.
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
