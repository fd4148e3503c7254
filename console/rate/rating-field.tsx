import { useLayoutEffect, useRef } from 'preact/hooks';
import type {
  AnnotationTemplate,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';
import { TextArea } from '../parts/field.js';
import type { Permit } from '../parts/permits.js';
import { RatingInput } from '../parts/rating-input.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { constraintsText } from '../templates/model.js';
import type { FieldDraft } from './draft.js';

type Props = {
  readonly template: AnnotationTemplate;
  readonly index: number;
  readonly field: FieldDraft;
  readonly isActive: boolean;
  /** Counts moves of the keyboard to this field; each takes the focus. */
  readonly focusCount: number;
  /** Counts wishes to write the explanation; each takes the focus. */
  readonly explainCount: number;
  readonly complaint: string | null;
  readonly permit: Permit;
  readonly onActive: () => void;
  readonly onStep: (step: 1 | -1) => void;
  readonly onChange: (field: FieldDraft) => void;
};

/** One template to rate by; the field itself has the focus, so that letters stay commands. */
export const RatingField = (props: Props) => {
  const { template, index, field, permit } = props;
  const box = useRef<HTMLDivElement>(null);
  const hasExplanation =
    template.include_explanation || field.explanation !== '' || props.explainCount > 0;
  useLayoutEffect(() => {
    if (props.focusCount > 0) focusField(box.current);
  }, [props.focusCount]);
  useLayoutEffect(() => {
    if (props.explainCount > 0) box.current?.querySelector('textarea')?.focus();
  }, [props.explainCount]);
  const isDisabled = !permit.isAllowed;
  return (
    <div
      ref={box}
      class="rate-field"
      role="group"
      aria-label={`${index + 1} ${template.name}`}
      tabIndex={-1}
      data-active={props.isActive}
      onFocusIn={props.onActive}
      onKeyDown={(event) => onFieldKey(event, props.onStep)}
    >
      <div class="rate-field-head">
        <span class="rate-number muted">{index + 1}</span>
        <strong>
          <RecordedWord text={template.name} />
        </strong>
        <span class="note">{constraintsText(template.constraints)}</span>
      </div>
      {template.criteria !== null && template.criteria !== '' && (
        <p class="note">
          <RecordedWord text={template.criteria} />
        </p>
      )}
      <RatingInput
        template={template}
        value={field.rating}
        onRate={(rating: RatingValue | null) => props.onChange({ ...field, rating })}
        isDisabled={isDisabled}
        title={permit.reason ?? undefined}
        isKeyed
      />
      {hasExplanation && (
        <TextArea
          label={`Explanation of ${template.name}`}
          rows={2}
          value={field.explanation}
          isDisabled={isDisabled}
          onInput={(explanation) => props.onChange({ ...field, explanation })}
        />
      )}
      {props.complaint !== null && (
        <p class="bad" role="alert">
          {props.complaint}
        </p>
      )}
    </div>
  );
};

const focusField = (box: HTMLElement | null): void => {
  box?.focus({ preventScroll: true });
  box?.scrollIntoView({ block: 'nearest' });
};

/** Keys within the field: Enter writes, arrows leave an input of one line. */
const onFieldKey = (
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  onStep: (step: 1 | -1) => void,
): void => {
  const { currentTarget: box, target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isInput = target instanceof HTMLInputElement;
  if (isInput && (key === 'ArrowUp' || key === 'ArrowDown')) onStep(key === 'ArrowUp' ? -1 : 1);
  else if (key === 'Escape' && target !== box) box.focus({ preventScroll: true });
  else if (isInput && key === 'Enter' && target.form === null) box.focus({ preventScroll: true });
  else if (key === 'Enter' && target === box) {
    const input = box.querySelector<HTMLInputElement>('input:enabled');
    if (input === null) return;
    input.focus();
    input.select();
  } else return;
  event.preventDefault();
};
