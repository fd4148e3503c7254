import { Type, type Static } from 'typebox';
import type { Population } from '../kernel/records/record.js';
import { nullish, namedSchema, oneOf } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { operation } from './operation.js';
import { projectRoleFor } from './permissions.js';
import { recordSelection } from './record-reads.js';

const format = oneOf(['jsonl', 'csv']);
/**
 * Escaping of texts that a spreadsheet would run (contract 5.7): `escape` prefixes them with `'`.
 */
const formulas = oneOf(['escape', 'keep']);
export type ExportFormat = Static<typeof format>;

export const exportMedia = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
} as const satisfies Readonly<Record<ExportFormat, string>>;

const file = {
  kind: 'r',
  unknownMembers: 'near misses refused',
  media: exportMedia.jsonl,
  otherMedia: exportMedia.csv,
  response: Type.String(),
} as const;

const body = namedSchema(
  'RecordExport',
  Type.Object({ ...recordSelection, format: nullish(format), formulas: nullish(formulas) }),
);
export type RecordExport = Static<typeof body>;

const plural = (population: Population) => `${population}s`;
const exportOperation = (operationId: string, population: Population) =>
  operation({
    ...file,
    operationId,
    summary: `All ${plural(population)} of a search, as a file`,
    description:
      'JSON Lines, or CSV with `format: csv`; sent while it is made, so it is whole only when ' +
      'its transfer ended as HTTP says. In CSV a text that a spreadsheet would run begins with ' +
      "`'`, unless `formulas` is `keep`.",
    example: {
      log_stream_id: exampleIds.log_stream_id,
      filters: [{ type: 'number', name: 'metrics/reward', operator: 'gte', value: 0.5 }],
      sort: { column_id: 'created_at', ascending: true },
      format: 'csv',
    },
    section: '5.7',
    method: 'POST',
    path: `/v2/projects/{project_id}/${plural(population)}/export`,
    requires: projectRoleFor('export_data'),
    body,
  });

export const exportSessions = exportOperation('exportSessions', 'session');
export const exportTraces = exportOperation('exportTraces', 'trace');
export const exportSpans = exportOperation('exportSpans', 'span');

export const exportDatasetContent = operation({
  ...file,
  operationId: 'exportDatasetContent',
  summary: 'All rows of a version of a dataset, as a file',
  description:
    'Of the current version unless `version_index` says otherwise; JSON Lines, or CSV with ' +
    '`format=csv`. Whole only when its transfer ended as HTTP says.',
  section: '5.11',
  method: 'GET',
  path: '/v2/datasets/{dataset_id}/content/export',
  // Every reader of a dataset may export its rows (contract 3.10).
  requires: 'dataset-read',
  query: Type.Object({
    version_index: Type.Optional(Type.Integer({ minimum: 1 })),
    format: Type.Optional(format),
    formulas: Type.Optional(formulas),
  }),
});

export const datasetExportOperations = [exportDatasetContent];
