import { useState } from 'preact/hooks';
import type {
  AnnotationTemplate,
  Constraints,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import { useEditedMembers } from '../client/edited-members.js';
import { useAction } from '../client/queries.js';
import { changedSince } from '../client/write-faults.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { Checkbox, Select, TextArea, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { RatingInput } from '../parts/rating-input.js';
import { RecordedWord } from '../parts/recorded-text.js';
import {
  constraintsText,
  emptyConstraints,
  hasOverlap,
  ratingKinds,
  typedConstraints,
  type ConstraintsDraft,
} from './model.js';

/** Nouns of queries that show templates, or what their ratings are. */
export const templateNouns = ['templates', 'annotations', 'traces', 'rating-progress'];

const nameComplaint = (fault: AssayFault | null): string | null =>
  fault?.code === 'already_exists' ? fault.message : fieldFault(fault, 'name');

/** Makes a template; what its ratings can be is fixed from then on. */
export const TemplateDialog = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly onClose: () => void;
}) => {
  const [name, setName] = useState('');
  const [criteria, setCriteria] = useState('');
  const [isExplained, setIsExplained] = useState(false);
  const [draft, setDraft] = useState(emptyConstraints);
  const typed = typedConstraints(draft);
  const create = useAction(
    props.permit,
    (operations, constraints: Constraints, options) =>
      operations.annotations.createTemplate(
        {
          project_id: props.projectId,
          name,
          criteria: criteria.trim() === '' ? null : criteria,
          include_explanation: isExplained,
          constraints,
        },
        options,
      ),
    templateNouns,
  );
  const save = async (): Promise<void> => {
    if ('constraints' in typed && (await create.run(typed.constraints))) props.onClose();
  };
  const complaint = nameComplaint(create.fault);
  return (
    <Dialog title="New template" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label="Name" value={name} onInput={setName} complaint={complaint} isRequired />
        <TextArea
          label="Question to the annotators"
          rows={2}
          value={criteria}
          onInput={setCriteria}
        />
        <ConstraintsFields draft={draft} onChange={setDraft} />
        <Checkbox
          label="Ask for an explanation"
          isChecked={isExplained}
          onChange={setIsExplained}
        />
        {'constraints' in typed ? (
          <TemplatePreview name={name} constraints={typed.constraints} />
        ) : (
          <p class="note">{typed.problem}</p>
        )}
        {complaint === null && <FaultNotice fault={create.fault} />}
        <p class="note">The kind of a rating and its bounds never change afterwards.</p>
        <Button
          type="submit"
          look="primary"
          isDisabled={name.trim() === '' || !('constraints' in typed) || create.isRunning}
        >
          Make the template
        </Button>
      </form>
    </Dialog>
  );
};

const ConstraintsFields = (props: {
  readonly draft: ConstraintsDraft;
  readonly onChange: (draft: ConstraintsDraft) => void;
}) => {
  const { draft } = props;
  const change = (part: Partial<ConstraintsDraft>): void => props.onChange({ ...draft, ...part });
  return (
    <>
      <Select
        label="Kind of rating"
        value={draft.kind}
        choices={ratingKinds}
        onChange={(kind) => change({ kind })}
      />
      {draft.kind === 'score' && (
        <div class="template-bounds">
          <TextField
            label="Lowest"
            type="number"
            value={draft.min}
            onInput={(min) => change({ min })}
          />
          <TextField
            label="Highest"
            type="number"
            value={draft.max}
            onInput={(max) => change({ max })}
          />
        </div>
      )}
      {(draft.kind === 'choice' || draft.kind === 'tags') && (
        <>
          <TextArea
            label="Labels, one a line"
            value={draft.labels}
            onInput={(labels) => change({ labels })}
          />
          <Checkbox
            label="Annotators may write others"
            isChecked={draft.allowsOther}
            onChange={(allowsOther) => change({ allowsOther })}
          />
        </>
      )}
    </>
  );
};

/** The input of a template to try; what is given here is not stored. */
export const TemplatePreview = (props: {
  readonly name: string;
  readonly constraints: Constraints;
}) => {
  const [value, setValue] = useState<RatingValue | null>(null);
  const kind = props.constraints.annotation_type;
  return (
    <div class="template-preview">
      <span class="note">Preview</span>
      <RatingInput
        template={{ name: `Preview of ${props.name}`, constraints: props.constraints }}
        value={value?.annotation_type === kind ? value : null}
        onRate={setValue}
        isDisabled={false}
      />
    </div>
  );
};

const editedPart = ({ name, criteria }: AnnotationTemplate) => ({
  name,
  criteria: criteria ?? '',
});

/** Changes the name and the question of a template, which is all that can change. */
export const EditDialog = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly template: AnnotationTemplate;
  readonly onClose: () => void;
}) => {
  const { template } = props;
  const place = { project_id: props.projectId, template_id: template.id };
  const [base, setBase] = useState(template);
  const { shown, edits, edit } = useEditedMembers(editedPart(base));
  const { name, criteria } = shown;
  const change = useAction(
    props.permit,
    async (operations, _input, options) => {
      const now = await operations.annotations.template(place);
      setBase(now);
      // A template has no tag to save on condition of.
      if (hasOverlap(edits, editedPart(base), editedPart(now))) throw changedSince();
      return operations.annotations.changeTemplate({ ...place, ...edits }, options);
    },
    templateNouns,
  );
  const isLater = change.fault?.code === 'precondition_failed';
  const complaint = nameComplaint(change.fault);
  return (
    <Dialog title="Edit the template" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void change.run().then((isDone) => {
            if (isDone) props.onClose();
          });
        }}
      >
        <TextField
          label="Name"
          value={name}
          onInput={(next) => edit({ name: next })}
          complaint={complaint}
          isRequired
        />
        <TextArea
          label="Question to the annotators"
          rows={3}
          value={criteria}
          onInput={(next) => edit({ criteria: next })}
        />
        <p class="note">
          Ratings stay as they are: {constraintsText(template.constraints)}
          {template.include_explanation && ', with an explanation'}. For others make a new template.
        </p>
        {complaint === null && <FaultNotice fault={change.fault} />}
        {isLater && (
          <p class="warn">
            Now it is “<RecordedWord text={base.name} />
            ”, and asks “
            <RecordedWord text={base.criteria ?? ''} />
            ”. Save again to put yours in its place.
          </p>
        )}
        <Button type="submit" look="primary" isDisabled={name.trim() === '' || change.isRunning}>
          Save
        </Button>
      </form>
    </Dialog>
  );
};
