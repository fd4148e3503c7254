import { editDatasetContent, replaceDatasetContent } from '../../contract/dataset-content.js';
import { contentTag } from '../../contract/datasets.js';
import { writeRoute, type Request, type Route } from '../../contract/operation.js';
import type { ContentId, RowId } from '../../kernel/dataset-content.js';
import {
  Fault,
  validationFault,
  valueFault,
  type Complaint,
  valueComplaint,
} from '../../kernel/fault.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { visibleDataset } from '../access/dataset-visibility.js';
import { currentVersion, type Dataset } from '../facts/datasets.js';
import {
  copyVersion,
  createVersion,
  rollbackVersion,
  tableOf,
  type VersionChange,
  type PreparedVersion,
} from './versions.js';
import { applyEdits } from './edits.js';
import type { DatasetNeeds } from './needs.js';
import { loadChunks, newRows } from './row-storage.js';

type InDataset = { readonly dataset_id: DatasetId };

/** Write routes that make a new version (contract 5.11). */
export const contentWrites = (needs: DatasetNeeds): readonly Route[] => [
  editContentRoute(needs),
  replaceContentRoute(needs),
];

const editContentRoute = (needs: DatasetNeeds): Route =>
  writeRoute(editDatasetContent, async (request) => {
    const { body, isStrict } = request;
    let made: readonly string[] = [];
    const { position, version } = await createVersion(
      needs,
      versionChangeOf(request),
      async (dataset, content) => {
        const { columns, ...current } = currentVersion(dataset);
        const edited = applyEdits(
          { columns, chunks: await loadChunks(needs.log, current) },
          body.edits,
          {
            isStrict,
            version: dataset.versions.length + 1,
            nextKey: dataset.nextKey,
            rowId: rowIds(needs, content),
          },
        );
        if (!('stretches' in edited)) throw validationFault(edited);
        made = edited.columns.filter(({ key }) => key >= dataset.nextKey).map(({ name }) => name);
        const isSame = Object.values(edited.counts).every((count) => count === 0);
        return isSame ? null : { source: 'edits', ...edited };
      },
    );
    const notes = { 'X-New-Columns': made };
    return { position, body: null, etag: contentTag(version), notes };
  });

const replaceContentRoute = (needs: DatasetNeeds): Route =>
  writeRoute(
    replaceDatasetContent,
    async (request) => {
      const { body, principal, params } = request;
      const { rollback_version: index, dataset_id: source, version_index: ofSource } = body;
      const other =
        source == null || source === params.dataset_id
          ? null
          : await visibleDataset(needs, principal, source);
      if (other === null && source != null && source !== params.dataset_id) {
        throw new Fault('not-found', 'Dataset not found');
      }
      const { position, version } = await createVersion(
        needs,
        versionChangeOf(request),
        (dataset, content) =>
          other === null
            ? index == null
              ? prepareRollback(needs, dataset, ofSource ?? 0, 'version_index')
              : prepareRollback(needs, dataset, index, 'rollback_version')
            : prepareCopy(needs, dataset, content, {
                dataset: other.dataset,
                index: ofSource ?? 0,
              }),
      );
      return { position, body: null, etag: contentTag(version) };
    },
    ({ body }) => replacementComplaints(body),
  );

const rowIds =
  ({ ids }: DatasetNeeds, content: ContentId) =>
  (index: number): RowId =>
    ids.derive('RowId', content, String(index));

const prepareRollback = async (
  { log }: DatasetNeeds,
  dataset: Dataset,
  index: number,
  member: string,
): Promise<PreparedVersion | null> => {
  const wanted = dataset.versions[index - 1];
  if (wanted === undefined) throw valueFault(['body', member], 'the dataset has no such version');
  const current = currentVersion(dataset);
  return rollbackVersion(dataset, wanted, {
    before: await loadChunks(log, current),
    after: await loadChunks(log, wanted),
  });
};

const prepareCopy = async (
  needs: DatasetNeeds,
  dataset: Dataset,
  content: ContentId,
  from: { readonly dataset: Dataset; readonly index: number },
): Promise<PreparedVersion | null> => {
  const { log } = needs;
  const source = from.dataset.versions[from.index - 1];
  if (source === undefined) {
    throw valueFault(['body', 'version_index'], 'the dataset has no such version');
  }
  return copyVersion(
    dataset,
    await loadChunks(log, currentVersion(dataset)),
    tableOf(source.columns, await loadChunks(log, source)),
    (rows, version) => newRows(rows, version, rowIds(needs, content)),
  );
};

const versionChangeOf = ({
  params,
  principal,
  ifMatch,
  cause,
  mint,
}: Pick<
  Request<InDataset, unknown, unknown>,
  'params' | 'principal' | 'ifMatch' | 'cause' | 'mint'
>): VersionChange => ({ id: params.dataset_id, userId: principal.userId, ifMatch, cause, mint });

type Replacement = {
  readonly rollback_version?: number | null;
  readonly dataset_id?: string | null;
  readonly version_index?: number | null;
};

/** Requires either a version of this dataset or a version of a named dataset (contract 5.11). */
const replacementComplaints = (body: Replacement): readonly Complaint[] => {
  const missing = (member: string): Complaint => ({
    loc: ['body', member],
    msg: 'Field required',
    type: 'missing',
  });
  const isCopy = body.dataset_id != null || body.version_index != null;
  if (body.rollback_version == null && !isCopy) return [missing('rollback_version')];
  if (body.rollback_version != null && isCopy) {
    const sentence = 'give either rollback_version or dataset_id and version_index';
    return [valueComplaint(['body'], sentence)];
  }
  if (!isCopy) return [];
  return [
    ...(body.dataset_id == null ? [missing('dataset_id')] : []),
    ...(body.version_index == null ? [missing('version_index')] : []),
  ];
};
