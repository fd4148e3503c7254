import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSurroundings } from './context.js';
import type { KeyBinding } from '../engines/keys.js';

/**
 * Keyboard commands while the part is shown, at once and with what its last rendering knows.
 * `depends`: what their keys and descriptions are made of.
 */
export const useKeys = (bindings: readonly KeyBinding[], depends: readonly unknown[]): void => {
  const { keyboard } = useSurroundings();
  const latest = useRef(bindings);
  latest.current = bindings;
  useLayoutEffect(
    () =>
      keyboard.bind(
        bindings.map((binding) => ({
          ...binding,
          run:
            binding.run === null
              ? null
              : () => latest.current.find(({ keys }) => keys === binding.keys)?.run?.(),
        })),
      ),
    depends,
  );
};

/** Keys by which a grid with boxes selects rows. */
export const selectionKeys = [
  { keys: 'x', what: 'Select the row' },
  { keys: 'X', what: 'Select from the last selected row to this one' },
  { keys: 'Shift+ArrowDown', what: 'Select this row and the next' },
  { keys: 'Ctrl+a', what: 'Select all rows that are loaded, or none' },
];

/**
 * Lists the keys of a grid, which handles them while it has the focus; `j` gives it the focus.
 * `further`: keys of this grid alone.
 */
export const useGridKeys = (
  grid: RefObject<HTMLElement | null>,
  further: readonly Omit<KeyBinding, 'run'>[] = [],
): void => {
  const listed = [
    { keys: 'k', what: 'Row before' },
    { keys: 'Enter', what: 'Open the row' },
    ...further,
  ].map((binding) => ({ ...binding, run: null }));
  const focus = (): void => grid.current?.focus({ preventScroll: true });
  useKeys([{ keys: 'j', what: 'To the rows, then next row', run: focus }, ...listed], []);
};
