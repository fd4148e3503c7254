import { useState } from 'preact/hooks';
import type { DatasetRow } from '../../clients/typescript/src/generated/datasets-types.js';
import type { DatasetVersion } from '../../clients/typescript/src/generated/datasets-types-2.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useQuery } from '../client/queries.js';
import type { Operations } from '../client/operations.js';
import { Button } from '../parts/button.js';
import { FaultNotice } from '../parts/notice.js';
import { readPermit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';
import { authorName, versionText } from './model.js';
import { versionsSince } from './questions.js';
import { followColumns, rebaseDraft, touchedRows, type RebasedDraft } from './rebase.js';
import { datasetCodec } from './state.js';
import type { DraftEditing } from './use-draft.js';

type Props = {
  readonly datasetId: string;
  readonly editing: DraftEditing;
  readonly onRebased: (rebased: RebasedDraft) => void;
};

const rowsAtOnce = 1_000;

/** The versions that came since the changes began, and the way to put the changes on top. */
export const LaterVersions = ({ datasetId, editing, onRebased }: Props) => {
  const { navigation, service } = useSurroundings();
  const { draft } = editing;
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const since = useQuery({
    key: ['datasets', datasetId, 'since', draft.version],
    ask: (operations, signal) => versionsSince(operations, datasetId, draft.version, signal),
  });
  const versions = since.value ?? [];
  const newest = versions.at(-1);
  const path = `/datasets/${datasetId}`;
  const putOnTop = async (): Promise<void> => {
    setIsRunning(true);
    setFailure(null);
    try {
      const { value } = await service.read(readPermit, (operations) =>
        rebase(operations, datasetId, editing, versions),
      );
      onRebased(value);
    } catch (error) {
      setFailure((error as Error).message);
      setIsRunning(false);
    }
  };
  return (
    <section class="notice stale-notice later-versions" aria-label="Saved meanwhile">
      <strong>{`Saved meanwhile: your changes are to v${draft.version}.`}</strong>
      <FaultNotice fault={since.fault} onRetry={since.refetch} />
      <ul>
        {versions.map((version) => (
          <li key={version.version_index}>
            {`v${version.version_index} by ${markedText(authorName(version.created_by_user))}, `}
            <Instant at={version.created_at} />: {versionText(version)}
          </li>
        ))}
      </ul>
      {failure !== null && (
        <p class="bad" role="alert">
          {failure}
        </p>
      )}
      {newest !== undefined && (
        <span class="inline">
          <Button look="primary" isDisabled={isRunning} onClick={() => void putOnTop()}>
            Put mine on top
          </Button>
          <a href={navigation.href(path, comparison(draft.version, newest.version_index))}>
            What changed
          </a>
        </span>
      )}
    </section>
  );
};

const comparison = (from: number, to: number): string =>
  datasetCodec.write({ tab: 'versions', v: null, at: null, from, to, q: '' });

/** Reads the rows that are changed from the newest version, and puts the changes on top of it. */
const rebase = async (
  operations: Operations,
  dataset_id: string,
  { draft, folded }: DraftEditing,
  versions: readonly DatasetVersion[],
): Promise<RebasedDraft> => {
  const newest = versions.at(-1);
  if (newest === undefined) return { draft, gone: [], overlaps: [] };
  const { version_index: version, column_names: columns, num_rows: rows } = newest;
  const wanted = touchedRows(folded);
  const touched = new Map<string, { index: number; cells: DatasetRow['values_dict'] }>();
  const page = { dataset_id, version_index: version, limit: rowsAtOnce };
  if (wanted.size > 0) {
    for await (const row of operations.datasets.versionContent(page)) {
      const { row_id: id, index, values_dict: cells } = row;
      if (wanted.has(id)) touched.set(id, { index, cells });
      if (touched.size === wanted.size) break;
    }
  }
  const names = followColumns(draft.columns, versions);
  return rebaseDraft(draft, { version, columns, rows, names, touched });
};

/** Says what did not find a place on the later version, and what goes over another's change. */
export const RebaseNotice = (props: {
  readonly rebased: RebasedDraft;
  readonly onClose: () => void;
}) => {
  const { gone, overlaps } = props.rebased;
  return (
    <section class="notice stale-notice later-versions" aria-label="Put on top" role="status">
      <strong>
        {gone.length + overlaps.length === 0
          ? 'Your changes are on top of the newest version. Look, then save.'
          : 'Your changes are on top, but look at these before you save:'}
      </strong>
      <ul>
        {[...gone, ...overlaps].map((text) => (
          <li key={text}>{markedText(text)}</li>
        ))}
      </ul>
      <Button look="plain" onClick={props.onClose}>
        Close
      </Button>
    </section>
  );
};
