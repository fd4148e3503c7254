import { useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
import { printFilter } from '../language/print-filter.js';
import type { FilterTree } from '../language/filter-tree.js';
import { Button } from '../parts/button.js';
import type { Permit } from '../parts/permits.js';
import { scopeCodec } from '../parts/record-scope.js';
import type { Population } from '../../kernel/records/record.js';
import type { ExploredRecord } from './cell-text.js';
import { CurlDialog } from './curl-dialog.js';
import { DatasetDialog } from './dataset-dialog.js';
import { DeleteDialog } from './delete-dialog.js';
import { withFilter, type RecordQuestion } from './questions.js';

type Props = {
  readonly population: Population;
  readonly projectId: string;
  readonly records: readonly ExploredRecord[];
  readonly columns: readonly Column[];
  readonly onClear: () => void;
};

/** Ids that one condition takes (contract 1.11). */
const idsMax = 1_000;

/** Actions on the selected records. */
export const SelectionBar = (props: Props) => {
  const { navigation } = useSurroundings();
  const { population, projectId, records } = props;
  const [open, setOpen] = useState<'dataset' | 'delete' | 'curl' | null>(null);
  const tree = selectionTree(records);
  const question = withFilter({ project_id: projectId }, tree);
  const deletion = useProjectPermit(projectId, 'owner');
  const isTooMany = records.length > idsMax;
  const tooMany = isTooMany ? 'At most 1,000 records at a time' : undefined;
  useKeys(
    population === 'session'
      ? []
      : [{ keys: 'd', what: 'Add to a dataset', run: () => setOpen('dataset') }],
    [population],
  );
  return (
    <div class="selection-bar" role="group" aria-label="Selected records">
      <strong>{records.length.toLocaleString('en')} selected</strong>
      {population !== 'session' && (
        <Button
          isDisabled={isTooMany}
          {...(tooMany !== undefined && { title: tooMany })}
          onClick={() => setOpen('dataset')}
        >
          Add to dataset
        </Button>
      )}
      {population === 'trace' && !isTooMany && (
        <a class="button" href={navigation.href(`/p/${projectId}/rate`, scopeOf(tree))}>
          Rate
        </a>
      )}
      {population !== 'span' && (
        <Button
          look="danger"
          permit={deletion}
          isDisabled={isTooMany}
          {...(tooMany !== undefined && { title: tooMany })}
          onClick={() => setOpen('delete')}
        >
          Delete…
        </Button>
      )}
      <Button onClick={() => setOpen('curl')}>curl</Button>
      <Button look="plain" onClick={props.onClear}>
        Clear
      </Button>
      {open !== null && (
        <ActionDialog
          {...props}
          open={open}
          question={question}
          deletion={deletion}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
};

const ActionDialog = (
  props: Props & {
    readonly open: 'dataset' | 'delete' | 'curl';
    readonly question: RecordQuestion;
    readonly deletion: Permit<'owner'>;
    readonly onClose: () => void;
  },
) => {
  const { open, population, question, onClose } = props;
  if (open === 'dataset' && population !== 'session') {
    return (
      <DatasetDialog
        population={population}
        question={question}
        count={props.records.length}
        columns={props.columns}
        onClose={onClose}
      />
    );
  }
  if (open === 'delete' && population !== 'span') {
    return (
      <DeleteDialog
        population={population}
        question={question}
        permit={props.deletion}
        onClose={onClose}
        onDeleted={() => {
          onClose();
          props.onClear();
        }}
      />
    );
  }
  return <CurlDialog kind={kindOf[population]} question={question} onClose={onClose} />;
};

const selectionTree = (records: readonly ExploredRecord[]): FilterTree => ({
  filter: { type: 'id', name: 'id', operator: 'one_of', value: records.map(({ id }) => id) },
});

const scopeOf = (tree: FilterTree): string =>
  scopeCodec.write({ t: 'all', f: printFilter(tree, null), run: '' });
