import { useState } from 'preact/hooks';
import type { Experiment } from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { DeletionDialog, GroupDialog, TagDialog } from './selection-dialogs.js';
import type { ExperimentGroup } from './model.js';
import { comparisonCodec } from './state.js';

/** Experiments that one comparison takes (contract 5.5). */
const comparedMax = 10;

/** Actions on the selected experiments. */
export const SelectionActions = (props: {
  readonly projectId: string;
  readonly selected: readonly Experiment[];
  readonly groups: readonly ExperimentGroup[];
  readonly onClear: () => void;
}) => {
  const { projectId, selected } = props;
  const [open, setOpen] = useState<'tag' | 'group' | 'delete' | null>(null);
  const permit = useProjectPermit(projectId, 'editor');
  const close = (): void => setOpen(null);
  return (
    <div class="selection-bar" role="group" aria-label="Selected experiments">
      <strong>{selected.length} selected</strong>
      <CompareLink projectId={projectId} ids={selected.map(({ id }) => id)} />
      <WinnerButton projectId={projectId} permit={permit} selected={selected} />
      <Button permit={permit} onClick={() => setOpen('tag')}>
        Tag
      </Button>
      <Button permit={permit} onClick={() => setOpen('group')}>
        Group
      </Button>
      <Button look="danger" permit={permit} onClick={() => setOpen('delete')}>
        Delete…
      </Button>
      <Button look="plain" onClick={props.onClear}>
        Clear
      </Button>
      {open === 'tag' && <TagDialog {...props} permit={permit} onClose={close} />}
      {open === 'group' && <GroupDialog {...props} permit={permit} onClose={close} />}
      {open === 'delete' && (
        <DeletionDialog {...props} permit={permit} onClose={close} onDeleted={props.onClear} />
      )}
    </div>
  );
};

/** Way to the comparison of these experiments, the first the baseline. */
const CompareLink = (props: { readonly projectId: string; readonly ids: readonly string[] }) => {
  const { navigation } = useSurroundings();
  const [base = '', ...others] = props.ids;
  const isPossible = others.length > 0 && props.ids.length <= comparedMax;
  const path = `/p/${props.projectId}/experiments/compare`;
  const view = comparisonCodec.write({ ...comparisonCodec.read(''), base, with: others });
  useKeys(
    isPossible ? [{ keys: 'c', what: 'Compare', run: () => navigation.go(path, view) }] : [],
    [isPossible, view],
  );
  if (!isPossible) {
    return (
      <Button isDisabled title="Select 2 to 10 experiments">
        Compare
      </Button>
    );
  }
  return (
    <a class="button" href={navigation.href(path, view)}>
      Compare
    </a>
  );
};

/** Chooses the selected experiment as the winner of its group, or takes the choice back. */
const WinnerButton = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly selected: readonly Experiment[];
}) => {
  const [experiment, ...others] = props.selected;
  const isChosen = experiment?.winner === true && experiment.winner_source === 'chosen';
  const choose = useAction(
    props.permit,
    async (operations, _input, options) => {
      const ids = { project_id: props.projectId, experiment_id: experiment?.id ?? '' };
      if (isChosen) await operations.experiments.withdrawWinner(ids, options);
      else await operations.experiments.chooseWinner(ids, options);
    },
    ['experiments'],
  );
  const isOne = others.length === 0;
  const isDisabled = !props.permit.isAllowed || !isOne || choose.isRunning;
  const run = (): void => void choose.run();
  useKeys(isDisabled ? [] : [{ keys: 'w', what: 'Winner', run }], [isDisabled, experiment?.id]);
  return (
    <>
      <Button
        permit={props.permit}
        isDisabled={isDisabled}
        {...(!isOne && { title: 'Select one experiment' })}
        onClick={run}
      >
        {isChosen && isOne ? 'Withdraw winner' : 'Winner'}
      </Button>
      <FaultNotice fault={choose.fault} />
    </>
  );
};
