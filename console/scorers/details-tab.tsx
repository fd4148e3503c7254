import type { ChangeScorer } from '../../clients/typescript/src/generated/scorers-types.js';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { Instant } from '../client/instants.js';
import { useEditedMembers } from '../client/edited-members.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { fieldFault } from '../parts/faults.js';
import { Checkbox, Select, TextArea, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { scorerPermit } from './model.js';
import { detailsChange, detailsOf, type ScorerDetails } from './details.js';
import { NodeTypes } from './node-types.js';

const rollUps = [
  { value: 'none', text: '–' },
  { value: 'average', text: 'average' },
  { value: 'sum', text: 'sum' },
  { value: 'max', text: 'greatest' },
  { value: 'min', text: 'least' },
] as const;

/** Label, purpose and levels of a scorer: everything but its code. */
export const DetailsTab = ({ scorer }: { readonly scorer: Scorer }) => {
  const { shown: details, edit } = useEditedMembers(detailsOf(scorer));
  const change = useAction(
    scorerPermit(scorer),
    (operations, input: ChangeScorer, options) =>
      operations.scorers.change({ scorer_id: scorer.id, ...input }, options),
    ['scorers'],
  );
  const body = detailsChange(scorer, details);
  const isEmpty = body !== null && Object.keys(body).length === 0;
  return (
    <form
      class="card stack"
      aria-label="Details"
      onSubmit={(event) => {
        event.preventDefault();
        if (body !== null) void change.run(body);
      }}
    >
      <p class="note">
        Made <Instant at={scorer.created_at} />, changed <Instant at={scorer.updated_at} />. The
        name stays: it is that of the metric.
      </p>
      <DetailFields
        details={details}
        isDisabled={!change.permit.isAllowed}
        complaintOf={(member) => fieldFault(change.fault, member)}
        onEdit={edit}
      />
      {body === null && (
        <p class="bad">Levels need one name more than there are limits, and limits that ascend.</p>
      )}
      <FaultNotice fault={change.fault} />
      <div class="inline">
        <Button
          type="submit"
          permit={change.permit}
          isDisabled={body === null || isEmpty || change.isRunning}
        >
          Save the details
        </Button>
        <span class="note">{change.permit.reason}</span>
      </div>
    </form>
  );
};

const DetailFields = (props: {
  readonly details: ScorerDetails;
  readonly isDisabled: boolean;
  readonly complaintOf: (member: string) => string | null;
  readonly onEdit: (part: Partial<ScorerDetails>) => void;
}) => {
  const { details, isDisabled, complaintOf, onEdit } = props;
  const text = (member: 'label' | 'tags' | 'requiredScorers' | 'limits' | 'levels') => ({
    value: details[member],
    isDisabled,
    onInput: (value: string) => onEdit({ [member]: value }),
  });
  return (
    <>
      <TextField label="Label" hint="How charts name it" {...text('label')} />
      <TextArea
        label="Purpose"
        value={details.description}
        isDisabled={isDisabled}
        onInput={(description) => onEdit({ description })}
      />
      <TextField label="Tags" hint="With commas between them" {...text('tags')} />
      <NodeTypes
        chosen={details.nodeTypes}
        isDisabled={isDisabled}
        onChange={(chosen) => onEdit({ nodeTypes: chosen })}
      />
      <Select
        label="Values of spans become one of the trace by"
        value={details.rollUp}
        choices={rollUps}
        isDisabled={isDisabled}
        onChange={(rollUp) => onEdit({ rollUp })}
      />
      <TextField
        label="Required scorers"
        hint="Names with commas between them; the code reads them in required_scores"
        complaint={complaintOf('required_scorers')}
        {...text('requiredScorers')}
      />
      <TextField
        label="Limits of levels"
        hint="Ascending numbers, as in 0.3, 0.7; empty: no levels"
        complaint={complaintOf('buckets')}
        {...text('limits')}
      />
      <TextField
        label="Names of levels"
        hint="One more than limits, lowest first, as in Low, Middle, High"
        complaint={complaintOf('display_value_levels')}
        {...text('levels')}
      />
      <Checkbox
        label="Lower is better"
        isChecked={details.isInverted}
        isDisabled={isDisabled}
        onChange={(isInverted) => onEdit({ isInverted })}
      />
    </>
  );
};
