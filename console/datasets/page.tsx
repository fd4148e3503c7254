import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useCaller, useQuery } from '../client/queries.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Select, TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { markedText } from '../parts/text-pieces.js';
import { DeletionDialog } from './dataset-dialogs.js';
import { DatasetTable } from './dataset-table.js';
import { datasetCreationPermit, datasetSorts } from './model.js';
import { NewDatasetDialog } from './new-dataset-dialog.js';
import { datasetListCodec } from './state.js';

const rowsAtOnce = 100;
/** Rows of one page of the service (contract 1.10). */
const rowsMax = 1_000;
const projectsMax = 200;

/** Visible datasets, found by name and by the project that uses them. */
export const Page = () => {
  const [view, change] = useView(datasetListCodec);
  const [limit, setLimit] = useState(rowsAtOnce);
  const [open, setOpen] = useState<Open | null>(null);
  const caller = useCaller();
  const creation = datasetCreationPermit(caller.value);
  const list = useDatasetList(limit);
  const rows = list.value?.datasets ?? [];
  const isFiltered = view.name !== '' || view.project !== null;
  return (
    <>
      <PageHeading title="Datasets">
        <Button look="primary" permit={creation} onClick={() => setOpen({ is: 'new' })}>
          New dataset
        </Button>
        <span class="note">{creation.reason}</span>
      </PageHeading>
      <div class="dataset-filters">
        <TextField
          label="Find by name"
          type="search"
          value={view.name}
          onInput={(name) => change({ name }, 'replace')}
        />
        <ProjectFilter value={view.project} onChange={(project) => change({ project })} />
      </div>
      <FaultNotice fault={list.fault} onRetry={list.refetch} />
      <BehindNotice isBehind={list.isBehind} />
      {list.isLoading && <Skeleton />}
      {list.value !== undefined && rows.length === 0 && (
        <EmptyNotice title={isFiltered ? 'No dataset is like this' : 'No dataset yet'}>
          <p>
            A dataset holds inputs and expected outputs. Make one of a file, or of traces in their
            list.
          </p>
          {isFiltered && (
            <Button onClick={() => change({ name: '', project: null })}>All datasets</Button>
          )}
        </EmptyNotice>
      )}
      {rows.length > 0 && (
        <DatasetTable
          rows={rows}
          isStale={list.isPrevious}
          sort={view.sort}
          onSort={(sort) => change({ sort })}
          creation={creation}
          onCopy={(dataset) => setOpen({ is: 'copy', dataset })}
          onDelete={(dataset) => setOpen({ is: 'delete', dataset })}
        />
      )}
      {list.value?.paginated === true && limit < rowsMax && (
        <Button onClick={() => setLimit(Math.min(rowsMax, limit * 2))}>More datasets</Button>
      )}
      <OpenDialog open={open} onClose={() => setOpen(null)} />
    </>
  );
};

type Open = { readonly is: 'new' } | { readonly is: 'copy' | 'delete'; readonly dataset: Dataset };

const OpenDialog = (props: { readonly open: Open | null; readonly onClose: () => void }) => {
  const { open, onClose } = props;
  if (open === null) return null;
  if (open.is === 'new') return <NewDatasetDialog onClose={onClose} />;
  const { dataset } = open;
  return open.is === 'copy' ? (
    <NewDatasetDialog source={{ dataset, version: null }} onClose={onClose} />
  ) : (
    <DeletionDialog dataset={dataset} onClose={onClose} onDeleted={onClose} />
  );
};

const useDatasetList = (limit: number) => {
  const [{ name, project, sort }] = useView(datasetListCodec);
  const column = datasetSorts.find((one) => one === sort?.column);
  return useQuery({
    key: ['datasets', 'list', name, project, sort, limit],
    ask: async (operations, signal) =>
      operations.datasets.query(
        {
          limit,
          filters: [
            ...containsFilter('name', name),
            ...(project === null ? [] : [{ name: 'used_in_project', value: project } as const]),
          ],
          sort:
            column === undefined || sort === null
              ? { name: 'updated_at', ascending: false }
              : { name: column, ascending: sort.ascending },
        },
        { signal },
      ),
    keepsPrevious: true,
  });
};

const anyProject = '';

const ProjectFilter = (props: {
  readonly value: string | null;
  readonly onChange: (project: string | null) => void;
}) => {
  const projects = useQuery({
    key: ['projects', 'homes'],
    ask: async (operations, signal) => operations.projects.page({ limit: projectsMax }, { signal }),
    freshMs: 60_000,
  });
  const known = (projects.value?.projects ?? []).map(({ id, name }) => ({
    value: id,
    text: markedText(name),
  }));
  const chosen = props.value ?? anyProject;
  const isOther = chosen !== anyProject && !known.some(({ value }) => value === chosen);
  return (
    <Select
      label="Used by"
      value={chosen}
      choices={[
        { value: anyProject, text: 'any project' },
        ...known,
        ...(isOther ? [{ value: chosen, text: `project ${chosen.slice(0, 8)}…` }] : []),
      ]}
      onChange={(project) => props.onChange(project === anyProject ? null : project)}
    />
  );
};
