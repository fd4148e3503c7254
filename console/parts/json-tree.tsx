import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

/** Entries of one object or list that are shown at once; a button shows as many more. */
const pageSize = 100;

type Props = {
  readonly value: unknown;
  /** Shows a piece of recorded text. */
  readonly text: (text: string) => ComponentChildren;
  /** Levels that are open at first; 1 by default. */
  readonly openLevels?: number;
};

/** JSON as a tree that makes nodes for what is open only, whatever its depth and size. */
export const JsonTree = ({ value, text, openLevels = 1 }: Props) => (
  <div class="json-tree mono">
    <Value name={null} value={value} text={text} openLevels={openLevels} />
  </div>
);

type ValueProps = Required<Props> & { readonly name: string | null };

const Value = ({ name, value, text, openLevels }: ValueProps) => {
  const label = name === null ? null : <span class="json-name">{text(name)}: </span>;
  if (typeof value === 'object' && value !== null) {
    return <Branch name={name} value={value} text={text} openLevels={openLevels} />;
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

const Branch = ({ name, value, text, openLevels }: ValueProps & { readonly value: object }) => {
  const [isOpen, setIsOpen] = useState(openLevels > 0);
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
      {isOpen && (
        <div class="json-children">
          {names.slice(0, shown).map((child) => (
            <Value
              key={child}
              name={child}
              value={(value as Readonly<Record<string, unknown>>)[child]}
              text={text}
              openLevels={openLevels - 1}
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
