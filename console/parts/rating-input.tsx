import { useState } from 'preact/hooks';
import type {
  AnnotationTemplate,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';
import { Button } from './button.js';

type Props = {
  readonly template: Pick<AnnotationTemplate, 'name' | 'constraints'>;
  /** Null: not rated. */
  readonly value: RatingValue | null;
  /** Null withdraws the rating. */
  readonly onRate: (value: RatingValue | null) => void;
  readonly isDisabled: boolean;
  /** Why it is disabled. */
  readonly title?: string | undefined;
  /** Shows the digit of each option, and gives what is typed with each key. */
  readonly isKeyed?: boolean;
};

/** Input of a rating: a choice is given at once, and withdrawn when it is chosen again. */
export const RatingInput = (props: Props) => {
  const { constraints } = props.template;
  switch (constraints.annotation_type) {
    case 'like_dislike':
      return (
        <Options
          {...props}
          options={[true, false].map((value) => ({
            text: value ? 'like' : 'dislike',
            rating: { annotation_type: 'like_dislike', value },
          }))}
        />
      );
    case 'star':
      return <Stars {...props} />;
    case 'score':
      return <Typed {...props} kind="score" />;
    case 'text':
      return <Typed {...props} kind="text" />;
    case 'choice':
      return (
        <>
          <Options
            {...props}
            options={constraints.choices.map((value) => ({
              text: value,
              rating: { annotation_type: 'choice', value },
            }))}
          />
          {constraints.allow_other && <Typed {...props} kind="choice" />}
        </>
      );
    case 'tags':
      return <Tags {...props} tags={constraints.tags} allowOther={constraints.allow_other} />;
  }
};

type Option = { readonly text: string; readonly rating: RatingValue };

const Options = (props: Props & { readonly options: readonly Option[] }) => (
  <div class="inline" role="group" aria-label={props.template.name}>
    {props.options.map(({ text, rating }, index) => {
      const isChosen = props.value?.value === rating.value;
      return (
        <Button
          key={text}
          isPressed={isChosen}
          isDisabled={props.isDisabled}
          {...(props.title !== undefined && { title: props.title })}
          onClick={() => props.onRate(isChosen ? null : rating)}
        >
          <Digit isShown={props.isKeyed === true} index={index} />
          <bdi>{text}</bdi>
        </Button>
      );
    })}
  </div>
);

/** The key of an option; the tenth and further ones have none. */
const Digit = (props: { readonly isShown: boolean; readonly index: number }) =>
  props.isShown && props.index < 9 ? (
    <kbd class="rating-digit" aria-hidden="true">
      {props.index + 1}
    </kbd>
  ) : null;

const starsMax = 5;

const Stars = (props: Props) => {
  const stars = typeof props.value?.value === 'number' ? props.value.value : 0;
  return (
    <div class="rating-stars" role="group" aria-label={props.template.name}>
      {Array.from({ length: starsMax }, (_star, index) => index + 1).map((value) => (
        <button
          key={value}
          type="button"
          title={props.title}
          disabled={props.isDisabled}
          aria-label={value === 1 ? '1 star' : `${value} stars`}
          aria-pressed={value === stars}
          onClick={() => props.onRate(value === stars ? null : { annotation_type: 'star', value })}
        >
          {value <= stars ? '★' : '☆'}
        </button>
      ))}
    </div>
  );
};

const Tags = (
  props: Props & { readonly tags: readonly string[]; readonly allowOther: boolean },
) => {
  const chosen = Array.isArray(props.value?.value) ? props.value.value : [];
  const rate = (value: readonly string[]): void =>
    props.onRate(value.length === 0 ? null : { annotation_type: 'tags', value });
  const all = [...props.tags, ...chosen.filter((tag) => !props.tags.includes(tag))];
  return (
    <div class="inline" role="group" aria-label={props.template.name}>
      {all.map((tag, index) => (
        <Button
          key={tag}
          isPressed={chosen.includes(tag)}
          isDisabled={props.isDisabled}
          {...(props.title !== undefined && { title: props.title })}
          onClick={() =>
            rate(chosen.includes(tag) ? chosen.filter((one) => one !== tag) : [...chosen, tag])
          }
        >
          <Digit isShown={props.isKeyed === true && index < props.tags.length} index={index} />
          <bdi>{tag}</bdi>
        </Button>
      ))}
      {props.allowOther && (
        <Typed
          {...props}
          kind="choice"
          value={null}
          isKeyed={false}
          onRate={(other) => {
            if (typeof other?.value === 'string') rate([...chosen, other.value]);
          }}
        />
      )}
    </div>
  );
};

/**
 * A rating that is typed; Enter or the button gives it, or each key where it is keyed. An empty one
 * is withdrawn.
 */
const Typed = (props: Props & { readonly kind: 'score' | 'text' | 'choice' }) => {
  const { kind, value } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const { constraints } = props.template;
  const isListed =
    constraints.annotation_type === 'choice' &&
    constraints.choices.includes(String(value?.value ?? ''));
  const given = value === null || isListed ? '' : String(value.value);
  const bounds =
    constraints.annotation_type === 'score' ? { min: constraints.min, max: constraints.max } : {};
  const hint = 'min' in bounds ? `${bounds.min} to ${bounds.max}` : 'other';
  const give = (text: string): void => {
    if (text.trim() === '') props.onRate(null);
    else if (kind === 'score') props.onRate({ annotation_type: kind, value: Number(text) });
    else
      props.onRate({ annotation_type: kind, value: props.isKeyed === true ? text : text.trim() });
  };
  const input = (
    <input
      class="cell-input rating-typed"
      {...({ type: kind === 'score' ? 'number' : 'text' } as { readonly type: 'text' })}
      {...bounds}
      step={kind === 'score' ? 1 : undefined}
      aria-label={props.template.name}
      placeholder={kind === 'text' ? '' : hint}
      value={draft ?? given}
      disabled={props.isDisabled}
      title={props.title}
      onInput={({ currentTarget: { value: text } }) =>
        props.isKeyed === true ? give(text) : setDraft(text)
      }
    />
  );
  if (props.isKeyed === true) return input;
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        setDraft(null);
        give(draft ?? given);
      }}
    >
      {input}
      {draft !== null && draft !== given && <Button type="submit">Give</Button>}
    </form>
  );
};

/** A rating as a text: `★★★☆☆`, `like`, `7`, `late, rude`. */
export const ratingText = ({ annotation_type: type, value }: RatingValue): string => {
  if (type === 'star') return '★'.repeat(value) + '☆'.repeat(Math.max(0, starsMax - value));
  if (type === 'like_dislike') return value ? 'like' : 'dislike';
  return type === 'tags' ? value.join(', ') : String(value);
};
