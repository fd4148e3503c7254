import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { QueryClient } from '@tanstack/query-core';
import type { Appearance } from '../engines/appearance.js';
import type { PageClock } from '../engines/clock.js';
import type { Clipboard } from '../engines/clipboard.js';
import type { Files } from '../engines/files.js';
import type { Keyboard } from '../engines/keys.js';
import type { Navigation } from '../engines/navigation.js';
import type { Storage } from '../engines/storage.js';
import type { UnsavedWork } from '../engines/unsaved-work.js';
import type { Workers } from '../engines/workers.js';
import type { Service } from './service.js';

/** Everything outside of the page that its parts may use. */
export type Surroundings = {
  readonly navigation: Navigation;
  readonly storage: Storage;
  readonly clock: PageClock;
  readonly clipboard: Clipboard;
  readonly files: Files;
  readonly keyboard: Keyboard;
  readonly appearance: Appearance;
  readonly workers: Workers;
  readonly unsaved: UnsavedWork;
  readonly service: Service;
  readonly queries: QueryClient;
};

export const SurroundingsContext = createContext<Surroundings | null>(null);

/** The surroundings that `main.tsx` composed. Throws outside of them. */
export const useSurroundings = (): Surroundings => {
  const surroundings = useContext(SurroundingsContext);
  if (surroundings === null) throw new Error('No surroundings: render below main.tsx');
  return surroundings;
};
