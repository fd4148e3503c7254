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
          run: () => latest.current.find(({ keys }) => keys === binding.keys)?.run(),
        })),
      ),
    depends,
  );
};
