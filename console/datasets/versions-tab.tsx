import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type { DatasetVersion } from '../../clients/typescript/src/generated/datasets-types-2.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useView } from '../client/view.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { datasetPermit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';
import { DiffView } from './diff-view.js';
import { authorName, versionText } from './model.js';
import { useVersions } from './questions.js';
import { RollbackDialog } from './rollback-dialog.js';
import { datasetCodec, type DatasetView } from './state.js';

/** Versions of a dataset, and the difference of two of them. */
export const VersionsTab = ({ dataset }: { readonly dataset: Dataset }) => {
  const [view, change] = useView(datasetCodec);
  const [pages, setPages] = useState(1);
  const [chosen, setChosen] = useState<number | null>(null);
  const list = useVersions(dataset.id, pages);
  const { versions = [], hasMore = false } = list.value ?? {};
  return (
    <>
      <FaultNotice fault={list.fault} onRetry={list.refetch} />
      <BehindNotice isBehind={list.isBehind} />
      {list.isLoading && <Skeleton />}
      {view.from !== null && view.to !== null && (
        <DiffView dataset={dataset} from={view.from} to={view.to} versions={versions} />
      )}
      {versions.length > 0 && (
        <div class="scroll-x" aria-busy={list.isPrevious}>
          <table class="grid-table">
            <VersionHead />
            <tbody>
              {versions.map((version) => (
                <VersionRow
                  key={version.version_index}
                  dataset={dataset}
                  version={version}
                  view={view}
                  onRollback={() => setChosen(version.version_index)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasMore && <Button onClick={() => setPages(pages + 1)}>Older versions</Button>}
      {chosen !== null && (
        <RollbackDialog
          dataset={dataset}
          version={chosen}
          onClose={() => setChosen(null)}
          onDone={() => change({ tab: 'rows', v: null, from: null, to: null })}
        />
      )}
    </>
  );
};

const VersionHead = () => (
  <thead>
    <tr>
      <th scope="col">Version</th>
      <th scope="col">By</th>
      <th scope="col">At</th>
      <th scope="col">Name then</th>
      <th scope="col" class="number">
        Rows
      </th>
      <th scope="col">Change</th>
      <ActionsHead />
    </tr>
  </thead>
);

const VersionRow = (props: {
  readonly dataset: Dataset;
  readonly version: DatasetVersion;
  readonly view: DatasetView;
  readonly onRollback: () => void;
}) => {
  const { navigation } = useSurroundings();
  const { dataset, version, view } = props;
  const { version_index: number } = version;
  const current = dataset.current_version_index;
  const isCurrent = number === current;
  const href = (part: Partial<DatasetView>): string =>
    navigation.href(`/datasets/${dataset.id}`, datasetCodec.write({ ...view, ...part }));
  return (
    <tr>
      <td>
        <a href={href({ tab: 'rows', v: isCurrent ? null : number, from: null, to: null })}>
          {`v${number}`}
        </a>
        {isCurrent && <span class="note"> current</span>}
      </td>
      <td>{markedText(authorName(version.created_by_user))}</td>
      <td>
        <Instant at={version.created_at} />
      </td>
      <td>{markedText(version.name)}</td>
      <td class="number">{version.num_rows.toLocaleString('en')}</td>
      <td>{number === 1 ? 'first content' : versionText(version)}</td>
      <td class="version-actions">
        {number > 1 && (
          <a href={href({ tab: 'versions', from: number - 1, to: number })}>
            {`Difference from v${number - 1}`}
          </a>
        )}
        {!isCurrent && (
          <a href={href({ tab: 'versions', from: number, to: current })}>{`To v${current}`}</a>
        )}
        {!isCurrent && (
          <Button
            look="plain"
            label={`Roll back to v${number}`}
            permit={datasetPermit(dataset)}
            onClick={props.onRollback}
          >
            Roll back
          </Button>
        )}
      </td>
    </tr>
  );
};
