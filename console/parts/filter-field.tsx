import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FilterContext } from '../language/catalogue.js';
import { completeFilter, type RecordedValue } from '../language/complete-filter.js';
import { parseFilter } from '../language/parse-filter.js';
import type { Population } from '../../kernel/records/record.js';
import { Button } from './button.js';

/** Column whose recorded values a completion wants. */
export type WantedValues = { readonly column: string; readonly population: Population };

type Props = {
  readonly label: string;
  /** The filter that applies. */
  readonly text: string;
  readonly context: FilterContext;
  readonly valuesOf: (column: string, population: Population) => readonly RecordedValue[];
  readonly onWantValues: (wanted: WantedValues | null) => void;
  readonly recents: readonly string[];
  /** Called with a complete filter only; the one before stays until then. */
  readonly onApply: (text: string) => void;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
  /** Controls behind the field. */
  readonly children?: ComponentChildren;
};

type Option = { readonly text: string; readonly note: string };

/** The filter language typed, with completion; an incomplete filter changes nothing. */
export const FilterField = (props: Props) => {
  const own = useRef<HTMLInputElement>(null);
  const input = props.inputRef ?? own;
  const id = useId();
  const typed = useFilterDraft(props, input);
  const { draft, options, chosen, isShown, hasFailed } = typed;
  return (
    <div class="field filter-field">
      <label for={id}>{props.label}</label>
      <div class="filter-line">
        <input
          ref={input}
          id={id}
          class="mono"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-describedby={`${id}-note`}
          aria-invalid={hasFailed}
          placeholder='input ~ "refund"i and any span (status_code >= 400)'
          value={draft}
          onFocus={() => typed.setIsOpen(true)}
          onBlur={() => typed.setIsOpen(false)}
          onInput={(event) => typed.onInput(event.currentTarget)}
          onClick={(event) => typed.setCaret(event.currentTarget.selectionStart)}
          onKeyDown={typed.onKeyDown}
        />
        {draft !== props.text && <Button onClick={() => typed.apply(draft)}>Apply</Button>}
        {props.text !== '' && draft === props.text && (
          <Button onClick={() => typed.apply('')}>Clear</Button>
        )}
        {props.children}
      </div>
      <Options id={id} options={isShown ? options : []} chosen={chosen} onAccept={typed.accept} />
      <span id={`${id}-note`} class={hasFailed ? 'bad' : 'note'} aria-live="polite">
        {typed.problem?.message}
      </span>
    </div>
  );
};

const closed = { isOpen: false, chosen: -1, hasFailed: false };

/** The typed text before it applies, with its completions and its problem. */
const useFilterDraft = (props: Props, input: RefObject<HTMLInputElement | null>) => {
  const [draft, setDraft] = useState(props.text);
  const [caret, setCaret] = useState<number | null>(null);
  const [list, setList] = useState(closed);
  // At once: later it would undo what was typed since the filter applied.
  useLayoutEffect(() => {
    setDraft(props.text);
    setList(closed);
  }, [props.text]);
  useLayoutEffect(() => {
    if (caret !== null) input.current?.setSelectionRange(caret, caret);
  }, [caret, draft]);
  const completion = completeFilter(draft, caret ?? draft.length, props.context, props.valuesOf);
  const wanted = list.isOpen ? completion.valuesOf : null;
  useEffect(() => props.onWantValues(wanted), [wanted?.column, wanted?.population]);
  const recents = draft === '' ? props.recents.map((text) => ({ text, note: 'recent' })) : [];
  const options: readonly Option[] = recents.length > 0 ? recents : completion.suggestions;
  const [problem = null] = parseFilter(draft, props.context).problems;
  const apply = (text: string): void => {
    const isWhole = parseFilter(text, props.context).problems.length === 0;
    setList({ ...closed, hasFailed: !isWhole });
    if (isWhole) props.onApply(text.trim());
  };
  const accept = (option: Option): void => {
    const { from, to } = completion;
    const added = `${option.text}${option.text.endsWith('(') ? '' : ' '}`;
    setDraft(`${draft.slice(0, from)}${added}${draft.slice(to).trimStart()}`);
    setCaret(from + added.length);
    setList({ ...list, chosen: -1 });
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const option = list.isOpen ? options[list.chosen] : undefined;
    if (step !== 0 && options.length > 0) {
      const chosen = Math.max(-1, Math.min(list.chosen + step, options.length - 1));
      setList({ ...list, isOpen: true, chosen });
    } else if (option !== undefined && (event.key === 'Enter' || event.key === 'Tab')) {
      accept(option);
    } else if (event.key === 'Enter') apply(draft);
    else if (event.key === 'Escape') {
      if (!list.isOpen) setDraft(props.text);
      setList(closed);
    } else return;
    event.preventDefault();
  };
  const onInput = ({ value, selectionStart }: HTMLInputElement): void => {
    setDraft(value);
    setCaret(selectionStart);
    setList({ ...closed, isOpen: true });
  };
  return {
    draft,
    options,
    chosen: list.chosen,
    isShown: list.isOpen && options.length > 0,
    hasFailed: list.hasFailed,
    problem: draft !== props.text || list.hasFailed ? problem : null,
    apply,
    accept,
    onKeyDown,
    onInput,
    setCaret,
    setIsOpen: (isOpen: boolean): void => setList({ ...list, isOpen, chosen: -1 }),
  };
};

const Options = (props: {
  readonly id: string;
  readonly options: readonly Option[];
  readonly chosen: number;
  readonly onAccept: (option: Option) => void;
}) => (
  <div
    id={`${props.id}-list`}
    class="filter-options"
    role="listbox"
    aria-label="Suggestions"
    hidden={props.options.length === 0}
  >
    {props.options.map((option, index) => (
      <div
        key={`${index} ${option.text}`}
        id={`${props.id}-${index}`}
        role="option"
        aria-selected={index === props.chosen}
        ref={index === props.chosen ? scrollToOption : null}
        onMouseDown={(event) => {
          // The focus stays in the field.
          event.preventDefault();
          props.onAccept(option);
        }}
      >
        <span class="mono">{option.text}</span>
        <span class="note">{option.note}</span>
      </div>
    ))}
  </div>
);

const scrollToOption = (option: HTMLElement | null): void =>
  option?.scrollIntoView({ block: 'nearest' });
