import { useRef, useState } from 'preact/hooks';
import { useKeys } from '../client/keys.js';
import { Button } from '../parts/button.js';
import type { Permit } from '../parts/permits.js';
import { ratingText } from '../parts/rating-input.js';
import {
  draftProblems,
  emptyField,
  ratingOperations,
  type FieldDraft,
  type RatingDraft,
} from './draft.js';
import { RatingField } from './rating-field.js';
import { ratingAfterKey } from './rating-keys.js';
import type { RatingStep } from './session.js';
import type { RatingTemplate } from '../templates/model.js';

type Props = {
  readonly trace: { readonly id: string; readonly name: string };
  readonly templates: readonly RatingTemplate[];
  /** Ratings as the service has them. */
  readonly before: RatingDraft;
  readonly draft: RatingDraft;
  readonly permit: Permit;
  /** Takes the focus: the trace came by a step of the keyboard. */
  readonly takesFocus: boolean;
  readonly onEdit: (draft: RatingDraft) => void;
  readonly onLeave: (step: RatingStep) => void;
  /** Null: nothing to take back. */
  readonly onUndo: (() => void) | null;
};

/** One trace's ratings by every template, given by keyboard or by hand; saved all at once. */
export const RatingForm = (props: Props) => {
  const { templates, draft, permit } = props;
  const [isChecked, setIsChecked] = useState(false);
  const [note, setNote] = useState('');
  const fields = useFields(props);
  const problems = draftProblems(templates, draft);
  const leave = (isSaved: boolean): void => {
    const operations = isSaved ? ratingOperations(props.before, draft) : [];
    props.onLeave({
      traceId: props.trace.id,
      name: props.trace.name,
      before: props.before,
      draft,
      operations,
    });
  };
  const save = (): void => {
    if (!permit.isAllowed) return;
    const wrong = templates.findIndex(({ id }) => id in problems);
    setIsChecked(true);
    if (wrong >= 0) fields.goTo(wrong);
    else if (ratingOperations(props.before, draft).length > 0) leave(true);
    else setNote('No rating has changed. Skip with s.');
  };
  const skip = (): void => leave(false);
  useKeys(
    [
      { keys: 'Ctrl+Enter', what: 'Save and next', run: save },
      { keys: 's', what: 'Skip', run: skip },
    ],
    [],
  );
  const active = templates[fields.active];
  return (
    <section class="rate-form" aria-label="Your ratings">
      {templates.map((template, index) => (
        <RatingField
          key={template.id}
          template={template}
          index={index}
          field={draft[template.id] ?? emptyField}
          isActive={index === fields.active}
          focusCount={index === fields.focus.index ? fields.focus.count : 0}
          explainCount={fields.explained[template.id] ?? 0}
          complaint={isChecked ? (problems[template.id] ?? null) : null}
          permit={permit}
          onActive={() => fields.setActive(index)}
          onStep={fields.step}
          onChange={(field) => fields.change(template, field)}
        />
      ))}
      <p class="visually-hidden" role="status">
        {active !== undefined && fieldSentence(active, draft[active.id] ?? emptyField)}
      </p>
      <p class="note rate-keys">
        {keyHints.map(([keys, effect]) => (
          <span key={keys}>
            <kbd>{keys}</kbd> {effect}
          </span>
        ))}
      </p>
      <Actions note={note} permit={permit} onUndo={props.onUndo} onSkip={skip} onSave={save} />
    </section>
  );
};

const keyHints = [
  ['1 … 9', 'rate'],
  ['← →', 'less, more'],
  ['↑ ↓', 'field'],
  ['Enter', 'write'],
  ['x', 'explain'],
  ['s', 'skip'],
  ['u', 'undo'],
  ['Ctrl Enter', 'save and next'],
] as const;

const fieldSentence = ({ name }: RatingTemplate, { rating }: FieldDraft): string =>
  `${name}: ${rating === null ? 'not rated' : ratingText(rating)}`;

/** The field that keys rate, and their effects. */
const useFields = ({ templates, draft, permit, takesFocus, onEdit }: Props) => {
  const [active, setActive] = useState(0);
  const [focus, setFocus] = useState({ index: 0, count: takesFocus ? 1 : 0 });
  const [explained, setExplained] = useState<Readonly<Record<string, number>>>({});
  // The field whose number the next digit goes on with; null behind any other key.
  const continued = useRef<string | null>(null);
  const template = templates[active];
  const goTo = (index: number): void => {
    continued.current = null;
    const next = Math.max(0, Math.min(templates.length - 1, index));
    setActive(next);
    setFocus({ index: next, count: focus.count + 1 });
  };
  const step = (by: 1 | -1): void => goTo(active + by);
  const change = ({ id }: RatingTemplate, field: FieldDraft): void => {
    continued.current = null;
    onEdit({ ...draft, [id]: field });
  };
  const rate = (key: string): void => {
    if (template === undefined || !permit.isAllowed) return;
    const { id, constraints } = template;
    const field = draft[id] ?? emptyField;
    const isContinued = continued.current === id;
    const rating = ratingAfterKey(constraints, { value: field.rating, isContinued }, key);
    if (rating === undefined) return;
    change(template, { ...field, rating });
    continued.current = /^\d$/.test(key) ? id : null;
  };
  const explain = (): void => {
    if (template === undefined || !permit.isAllowed) return;
    setExplained({ ...explained, [template.id]: (explained[template.id] ?? 0) + 1 });
  };
  useKeys(
    [
      ...Array.from({ length: 10 }, (_digit, digit) => ({
        keys: String(digit),
        what: digit === 0 ? 'Withdraw, or a digit of a score' : `Option or star ${digit}`,
        run: () => rate(String(digit)),
      })),
      { keys: 'ArrowUp', what: 'Field above', run: () => step(-1) },
      { keys: 'ArrowDown', what: 'Field below', run: () => step(1) },
      { keys: 'ArrowLeft', what: 'Less, or the option before', run: () => rate('ArrowLeft') },
      { keys: 'ArrowRight', what: 'More, or the next option', run: () => rate('ArrowRight') },
      { keys: 'Backspace', what: 'Withdraw the rating', run: () => rate('Backspace') },
      { keys: 'x', what: 'Explain the rating', run: explain },
    ],
    [],
  );
  return { active, setActive, focus, explained, goTo, step, change };
};

const Actions = (props: {
  readonly note: string;
  readonly permit: Permit;
  readonly onUndo: (() => void) | null;
  readonly onSkip: () => void;
  readonly onSave: () => void;
}) => (
  <div class="rate-actions">
    <span class="note" role="status">
      {props.note}
    </span>
    <Button
      isDisabled={props.onUndo === null}
      title={props.onUndo === null ? 'No step to take back' : 'u'}
      onClick={() => props.onUndo?.()}
    >
      Undo
    </Button>
    <Button title="s" onClick={props.onSkip}>
      Skip
    </Button>
    <Button look="primary" permit={props.permit} title="Ctrl+Enter" onClick={props.onSave}>
      Save and next
    </Button>
  </div>
);
