import { useMemo, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { openedAtFirst } from './json-opening.js';

/** Entries of one object or list that are shown at once; a button shows as many more. */
const pageSize = 100;

type Props = {
  readonly value: unknown;
  /** Shows a piece of recorded text. */
  readonly text: (text: string) => ComponentChildren;
  /** Levels that are open at first, as far as that is quick; 1 by default. */
  readonly openLevels?: number;
  /** Control beside an object; null: none. */
  readonly action?: (value: object) => ComponentChildren;
};

/** JSON as a tree that makes nodes for what is open only, whatever its depth and size. */
export const JsonTree = ({ value, text, openLevels = 1, action = noAction }: Props) => {
  const opened = useMemo(() => openedAtFirst(value, openLevels, pageSize), [value, openLevels]);
  return (
    <div class="json-tree mono">
      <Value name={null} value={value} text={text} opened={opened} action={action} />
    </div>
  );
};

const noAction = (): null => null;

type ValueProps = Required<Omit<Props, 'openLevels'>> & {
  readonly name: string | null;
  /** Objects and lists that are open at first. */
  readonly opened: ReadonlySet<unknown>;
};

const Value = (props: ValueProps) => {
  const { name, value, text } = props;
  const label = name === null ? null : <span class="json-name">{text(name)}: </span>;
  if (typeof value === 'object' && value !== null) {
    return <Branch {...props} value={value} />;
  }
  return (
    <div>
      {label}
      {typeof value === 'string' ? (
        <span class="json-text">{text(value)}</span>
      ) : (
        <span class="json-scalar">{String(value)}</span>
      )}
    </div>
  );
};

const Branch = (props: ValueProps & { readonly value: object }) => {
  const { name, value, text, opened, action } = props;
  const [isOpen, setIsOpen] = useState(opened.has(value));
  const [shown, setShown] = useState(pageSize);
  const isList = Array.isArray(value);
  const names = isOpen ? Object.keys(value) : [];
  const count = isList ? value.length : isOpen ? names.length : Object.keys(value).length;
  return (
    <div>
      <button
        type="button"
        class="json-toggle"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {name !== null && <span class="json-name">{text(name)}: </span>}
        {isList ? `[${count}]` : `{${count}}`}
      </button>
      {action(value)}
      {isOpen && (
        <div class="json-children">
          {names.slice(0, shown).map((child) => (
            <Value
              key={child}
              name={child}
              value={(value as Readonly<Record<string, unknown>>)[child]}
              text={text}
              opened={opened}
              action={action}
            />
          ))}
          {names.length > shown && (
            <button type="button" class="json-toggle" onClick={() => setShown(shown + pageSize)}>
              {names.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
};
