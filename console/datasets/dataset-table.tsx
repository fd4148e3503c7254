import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { datasetPermit, type Permit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';
import { countedText } from './changes.js';
import { authorName } from './model.js';
import { useLinkedProjects } from './projects-tab.js';

type ListSort = { readonly column: string; readonly ascending: boolean };

type Props = {
  readonly rows: readonly Dataset[];
  readonly isStale: boolean;
  /** Null: the latest change first. */
  readonly sort: ListSort | null;
  readonly onSort: (sort: ListSort) => void;
  /** For a copy of a dataset. */
  readonly creation: Permit;
  readonly onCopy: (dataset: Dataset) => void;
  readonly onDelete: (dataset: Dataset) => void;
};

const columns = [
  { id: 'name', text: 'Name', isNumber: false },
  { id: 'num_rows', text: 'Rows', isNumber: true },
  { id: null, text: 'Columns', isNumber: true },
  { id: null, text: 'Version', isNumber: true },
  { id: 'project_count', text: 'Used by', isNumber: false },
  { id: null, text: 'Made by', isNumber: false },
  { id: 'updated_at', text: 'Changed', isNumber: false },
] as const;

/** Datasets with their size and use; controls follow the caller's permissions on each. */
export const DatasetTable = (props: Props) => (
  <div class="scroll-x" aria-busy={props.isStale}>
    <table class="grid-table dataset-table">
      <thead>
        <tr>
          {columns.map((column) => (
            <HeadCell key={column.text} column={column} {...props} />
          ))}
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {props.rows.map((dataset) => (
          <DatasetRow key={dataset.id} dataset={dataset} {...props} />
        ))}
      </tbody>
    </table>
  </div>
);

const HeadCell = ({
  column,
  sort,
  onSort,
}: Props & { readonly column: (typeof columns)[number] }) => {
  const { id, text, isNumber } = column;
  const current = sort ?? { column: 'updated_at', ascending: false };
  const isSorted = id !== null && current.column === id;
  const direction = current.ascending ? 'ascending' : 'descending';
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSorted ? direction : undefined}
    >
      {id === null ? (
        text
      ) : (
        <button
          type="button"
          class="sort-button"
          onClick={() =>
            onSort({ column: id, ascending: isSorted ? !current.ascending : id === 'name' })
          }
        >
          {text}
          {isSorted && <span aria-hidden="true">{current.ascending ? ' ↑' : ' ↓'}</span>}
        </button>
      )}
    </th>
  );
};

const DatasetRow = (props: Props & { readonly dataset: Dataset }) => {
  const { navigation, unsaved } = useSurroundings();
  const { dataset } = props;
  const name = markedText(dataset.name);
  const hasDraft = unsaved.read(`dataset ${dataset.id}`) !== null;
  return (
    <tr>
      <td>
        <a href={navigation.href(`/datasets/${dataset.id}`)}>{name}</a>
        {dataset.draft && <span class="note"> draft</span>}
        {hasDraft && <span class="note warn"> changes not saved</span>}
      </td>
      <td class="number">{dataset.num_rows.toLocaleString('en')}</td>
      <td class="number">{dataset.column_names.length.toLocaleString('en')}</td>
      <td class="number">{`v${dataset.current_version_index}`}</td>
      <td>
        <UsedBy dataset={dataset} />
      </td>
      <td>{markedText(authorName(dataset.created_by_user))}</td>
      <td>
        <Instant at={dataset.updated_at} relative />
      </td>
      <td class="number">
        <Button
          look="plain"
          label={`Copy ${name}`}
          permit={props.creation}
          onClick={() => props.onCopy(dataset)}
        >
          Copy
        </Button>
        <Button
          look="plain"
          label={`Delete ${name}`}
          permit={datasetPermit(dataset)}
          onClick={() => props.onDelete(dataset)}
        >
          Delete…
        </Button>
      </td>
    </tr>
  );
};

/** How many projects use it; a click names those that the caller can see. */
const UsedBy = ({ dataset }: { readonly dataset: Dataset }) => {
  const { navigation } = useSurroundings();
  const [isOpen, setIsOpen] = useState(false);
  const list = useLinkedProjects(dataset.id, isOpen);
  const { project_count: count } = dataset;
  if (count === 0) return <span class="muted">–</span>;
  if (!isOpen || list.value === undefined) {
    return (
      <button
        type="button"
        class="link-button"
        aria-label={`${countedText(count, 'project')} of ${markedText(dataset.name)}`}
        onClick={() => setIsOpen(true)}
      >
        {countedText(count, 'project')}
      </button>
    );
  }
  const { projects } = list.value;
  const hidden = count - projects.length;
  return (
    <>
      {projects.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={navigation.href(`/p/${id}`)}>{markedText(name)}</a>
        </span>
      ))}
      {hidden > 0 && <span class="muted">{` and ${hidden} that you cannot see`}</span>}
    </>
  );
};
