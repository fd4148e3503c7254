import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useView } from '../client/view.js';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { datasetPermit } from '../parts/permits.js';
import { Tabs } from '../parts/tabs.js';
import { markedText } from '../parts/text-pieces.js';
import { countedText, foldDraft } from './changes.js';
import { DatasetActions } from './dataset-actions.js';
import { EditableRows } from './editable-rows.js';
import { MappingTab } from './mapping-tab.js';
import { authorName } from './model.js';
import { ProjectsTab } from './projects-tab.js';
import { useDataset, useVersion } from './questions.js';
import { RollbackDialog } from './rollback-dialog.js';
import { RowsView } from './rows-view.js';
import { datasetCodec } from './state.js';
import { useDraft } from './use-draft.js';
import { VersionsTab } from './versions-tab.js';

/** One dataset: its rows, versions, mapping and projects; as it is, or as it was. */
export const Page = ({ params }: PageProps) => {
  const id = params['dataset_id'] ?? '';
  const [view] = useView(datasetCodec);
  const found = useDataset(id, view.at);
  const { value } = found;
  const isOther = value !== undefined && value.dataset.id !== id;
  return (
    <>
      {value === undefined || isOther ? (
        <PageHeading title="Dataset" />
      ) : (
        <Heading dataset={value.dataset} isPast={view.at !== null} />
      )}
      <FaultNotice fault={found.fault} onRetry={found.refetch} />
      {view.at !== null && found.fault?.code === 'not_found' && (
        <EmptyNotice title="It did not exist then, or was deleted since" />
      )}
      <BehindNotice isBehind={found.isBehind} />
      {found.isLoading && <Skeleton />}
      {value !== undefined && !isOther && found.fault === null && (
        <Content dataset={value.dataset} tag={value.tag} onStale={found.refetch} />
      )}
    </>
  );
};

const Heading = (props: { readonly dataset: Dataset; readonly isPast: boolean }) => {
  const { dataset, isPast } = props;
  return (
    <PageHeading title={markedText(dataset.name)}>
      <span class="note">
        {`v${dataset.current_version_index} · ${countedText(dataset.num_rows, 'row')} · by ` +
          `${markedText(authorName(dataset.created_by_user))} · changed `}
        <Instant at={dataset.updated_at} relative />
      </span>
      {!isPast && <DatasetActions dataset={dataset} />}
    </PageHeading>
  );
};

const tabs = [
  { key: 'rows', text: 'Rows' },
  { key: 'versions', text: 'Versions' },
  { key: 'mapping', text: 'Mapping' },
  { key: 'projects', text: 'Projects' },
] as const;

type ContentProps = {
  readonly dataset: Dataset;
  readonly tag: string;
  readonly onStale: () => void;
};

const Content = ({ dataset, tag, onStale }: ContentProps) => {
  const [view, change] = useView(datasetCodec);
  if (view.at !== null) return <AsItWas dataset={dataset} at={view.at} />;
  const isComparing = view.from !== null && view.to !== null;
  const tab = isComparing ? 'versions' : view.tab;
  return (
    <>
      <VersionStrip dataset={dataset} />
      {dataset.draft && (
        <p class="notice stale-notice">
          This dataset is a draft: map its columns, then publish it in the tab Mapping.
        </p>
      )}
      <Tabs
        label="Dataset"
        tabs={tabs}
        selected={tab}
        onSelect={(next) => change({ tab: next, from: null, to: null, v: null })}
      />
      {tab === 'rows' && <Rows dataset={dataset} onStale={onStale} />}
      {tab === 'versions' && <VersionsTab dataset={dataset} />}
      {tab === 'mapping' && <MappingTab dataset={dataset} tag={tag} onStale={onStale} />}
      {tab === 'projects' && <ProjectsTab dataset={dataset} />}
    </>
  );
};

const Rows = ({ dataset, onStale }: Omit<ContentProps, 'tag'>) => {
  const [view] = useView(datasetCodec);
  const editing = useDraft(dataset.id, {
    version: dataset.current_version_index,
    columns: dataset.column_names,
    rows: dataset.num_rows,
  });
  if (view.v !== null && view.v !== dataset.current_version_index) {
    return <OldVersion dataset={dataset} version={view.v} />;
  }
  return <EditableRows dataset={dataset} editing={editing} onStale={onStale} />;
};

/** Versions that the strip has links to; the others are in the tab. */
const stripVersions = 6;

const VersionStrip = ({ dataset }: { readonly dataset: Dataset }) => {
  const { navigation } = useSurroundings();
  const [view] = useView(datasetCodec);
  const current = dataset.current_version_index;
  const shown = view.v ?? current;
  const first = Math.max(1, current - stripVersions + 1);
  const numbers = Array.from({ length: current - first + 1 }, (_version, at) => first + at);
  const hrefOf = (version: number): string =>
    navigation.href(
      `/datasets/${dataset.id}`,
      datasetCodec.write({
        ...view,
        tab: 'rows',
        v: version === current ? null : version,
        from: null,
        to: null,
      }),
    );
  return (
    <nav class="version-strip" aria-label="Newest versions">
      {first > 1 && <span class="muted">…</span>}
      {numbers.map((version) => (
        <a
          key={version}
          href={hrefOf(version)}
          aria-current={version === shown ? 'true' : undefined}
        >
          {`v${version}`}
        </a>
      ))}
    </nav>
  );
};

/** An older version, to read. */
const OldVersion = (props: { readonly dataset: Dataset; readonly version: number }) => {
  const { dataset, version } = props;
  const [, change] = useView(datasetCodec);
  const current = dataset.current_version_index;
  const found = useVersion(dataset.id, version, current);
  const { value } = found;
  const [isRolling, setIsRolling] = useState(false);
  return (
    <section class="as-it-was" aria-label={`Version ${version}`}>
      <div class="spread">
        <strong>{`Version ${version} of ${current}, read-only`}</strong>
        <span class="inline">
          <Button
            permit={datasetPermit(dataset)}
            isDisabled={value == null}
            onClick={() => setIsRolling(true)}
          >
            Roll back to it
          </Button>
          <Button onClick={() => change({ v: null, from: version, to: current })}>
            {`Difference to v${current}`}
          </Button>
          <Button onClick={() => change({ v: null })}>{`To v${current}`}</Button>
        </span>
      </div>
      <FaultNotice fault={found.fault} onRetry={found.refetch} />
      {found.isLoading && <Skeleton />}
      {value === null && <EmptyNotice title="The dataset has no such version" />}
      {value != null && (
        <RowsView
          dataset={dataset}
          version={{ version, rows: value.num_rows }}
          folded={foldDraft({ columns: value.column_names, steps: [] })}
          editing={null}
        />
      )}
      {isRolling && (
        <RollbackDialog
          dataset={dataset}
          version={version}
          onClose={() => setIsRolling(false)}
          onDone={() => change({ v: null })}
        />
      )}
    </section>
  );
};

/** The dataset at a position or time, to read. */
const AsItWas = ({ dataset, at }: { readonly dataset: Dataset; readonly at: string }) => {
  const { navigation } = useSurroundings();
  const [, change] = useView(datasetCodec);
  const isInstant = at.includes('-');
  return (
    <section class="as-it-was" aria-label="As it was">
      <div class="spread">
        <strong>
          As it was at {isInstant ? <Instant at={at} /> : <span class="mono">{at}</span>}, read-only
        </strong>
        <span class="inline">
          <a href={navigation.href(`/history/dataset/${dataset.id}`, `at=${at}`)}>Its history</a>
          <Button onClick={() => change({ at: null })}>As it is</Button>
        </span>
      </div>
      <RowsView
        dataset={dataset}
        version={{ version: dataset.current_version_index, rows: dataset.num_rows }}
        folded={foldDraft({ columns: dataset.column_names, steps: [] })}
        editing={null}
      />
    </section>
  );
};
