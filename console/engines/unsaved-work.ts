import { signal } from '@preact/signals';

/**
 * Work of this tab that is not saved yet, by name. It outlives the page that shows it and is gone
 * with the tab; closing or reloading the tab asks first while there is some.
 */
export type UnsavedWork = {
  /** Null: nothing under this name. Parts that read it are drawn again when it changes. */
  readonly read: (name: string) => unknown;
  /** Null removes it. */
  readonly write: (name: string, work: unknown) => void;
  readonly clear: () => void;
  /** True while there is some. Parts that ask are drawn again when it changes. */
  readonly hasAny: () => boolean;
};

export const openUnsavedWork = (window: Window): UnsavedWork => {
  const all = signal<ReadonlyMap<string, unknown>>(new Map());
  window.addEventListener('beforeunload', (event) => {
    if (all.peek().size > 0) event.preventDefault();
  });
  return {
    read: (name) => all.value.get(name) ?? null,
    write: (name, work) => {
      const next = new Map(all.peek());
      if (work === null) next.delete(name);
      else next.set(name, work);
      all.value = next;
    },
    clear: () => {
      all.value = new Map();
    },
    hasAny: () => all.value.size > 0,
  };
};
