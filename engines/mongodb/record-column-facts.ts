import type { Document } from 'mongodb';
import {
  userMetadataKeysMax,
  type ColumnFacts,
  type RecordScope,
} from '../../kernel/records/query-plans.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { registryType } from '../../kernel/records/column-value.js';
import { appliesTo, standardColumns } from '../../kernel/records/columns.js';
import type { MetricType } from '../../kernel/records/record.js';
import { decodeMember } from './member-names.js';
import { columnMember } from './record-match.js';
import { collectAll, recordPipeline, type RecordQuery } from './record-scan.js';
import { metricTypes } from './record-search.js';
import { examplePipeline } from './record-shapes.js';
import type { Snapshot } from './snapshot.js';

/** Column facts of the records considered, for the column catalogue (contract 4.1). */
export const columnFacts = async (snapshot: Snapshot, scope: RecordScope): Promise<ColumnFacts> => {
  const open = (await examplePipeline(snapshot, scope)) ?? (await recordPipeline(snapshot, scope));
  const query = collectAll(open);
  const [present, metrics, notes, rated] = await Promise.all([
    presentColumns(query, scope),
    metricsWithValues(query, snapshot, scope.project),
    query([
      { $project: { _id: 0, notes: { $objectToArray: '$notes' } } },
      { $unwind: '$notes' },
      { $match: { 'notes.v': { $ne: '' } } },
      { $group: { _id: '$notes.k' } },
      { $sort: { _id: 1 } },
      { $limit: userMetadataKeysMax },
    ]),
    query([
      { $project: { _id: 0, rated: { $objectToArray: '$annotations' } } },
      { $unwind: '$rated' },
      { $group: { _id: '$rated.k' } },
    ]),
  ]);
  return {
    present,
    metrics,
    userMetadata: notes.map(({ _id }) => decodeMember(String(_id))),
    templates: rated.map(({ _id }) => decodeMember(String(_id))).sort(byCodePoint),
  };
};

/** True if the member is not absent, an empty text or an empty list. */
const isValue = (member: string): Document => ({
  $and: [{ $gt: [`$${member}`, null] }, { $ne: [`$${member}`, ''] }, { $ne: [`$${member}`, []] }],
});

const presentColumns = async (
  query: RecordQuery,
  { population }: RecordScope,
): Promise<readonly string[]> => {
  const possible = standardColumns.filter((column) => appliesTo(column, population));
  const some = Object.fromEntries(
    possible.map(({ id }) => [id, { $max: isValue(columnMember(id)) }]),
  );
  const [found] = await query([{ $group: { _id: null, ...some } }]);
  return possible.filter(({ id }) => found?.[id] === true).map(({ id }) => id);
};

const metricsWithValues = async (
  query: RecordQuery,
  snapshot: Snapshot,
  project: string,
): Promise<readonly string[]> => {
  const types: readonly MetricType[] = ['integer', 'floating_point', 'boolean', 'text'];
  const some = Object.fromEntries(
    types.map((type) => [type, { $max: isValue(`metrics.v.${type}`) }]),
  );
  const found = await query([
    { $project: { _id: 0, metrics: { $objectToArray: '$metrics' } } },
    { $unwind: '$metrics' },
    { $group: { _id: '$metrics.k', ...some } },
  ]);
  const names = found.map(({ _id }) => decodeMember(String(_id)));
  const judged = await metricTypes(snapshot, project, names);
  return names
    .filter((name, at) => {
      const type = registryType(name) ?? judged.get(name);
      return type !== undefined && found[at]?.[type] === true;
    })
    .sort(byCodePoint);
};
