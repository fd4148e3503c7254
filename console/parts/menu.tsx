import { useLayoutEffect, useRef } from 'preact/hooks';

type MenuItem = { readonly text: string; readonly run: () => void };

/** A menu at a place of the screen: arrow keys move, Escape and leaving it close. */
export const Menu = (props: {
  readonly label: string;
  readonly place: { readonly x: number; readonly y: number };
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}) => {
  const menu = useRef<HTMLDivElement | null>(null);
  // Before the next key comes: it belongs to the menu.
  useLayoutEffect(() => {
    const before = menu.current?.ownerDocument.activeElement;
    menu.current?.querySelector('button')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div
      ref={menu}
      class="menu"
      role="menu"
      aria-label={props.label}
      tabIndex={-1}
      style={{
        left: `min(${props.place.x}px, calc(100vw - 240px))`,
        top: `min(${props.place.y}px, calc(100vh - 200px))`,
      }}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        if (event.key === 'Escape' || event.key === 'Tab') props.onClose();
        else if (step !== 0) moveFocus(event.currentTarget, step);
        else return;
        event.preventDefault();
      }}
      onFocusOut={(event) => {
        const next = event.relatedTarget;
        if (!(next instanceof Node && event.currentTarget.contains(next))) props.onClose();
      }}
    >
      {props.items.map(({ text, run }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            props.onClose();
            run();
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
};

const moveFocus = (menu: Element, step: number): void => {
  const items = [...menu.querySelectorAll('button')];
  const at = items.findIndex((item) => item === menu.ownerDocument.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
};
