import { useEffect } from 'preact/hooks';
import { useSurroundings } from './context.js';
import type { KeyBinding } from '../engines/keys.js';

/** Keyboard commands while the part is shown. `depends`: what their work reads. */
export const useKeys = (bindings: readonly KeyBinding[], depends: readonly unknown[]): void => {
  const { keyboard } = useSurroundings();
  useEffect(() => keyboard.bind(bindings), depends);
};
