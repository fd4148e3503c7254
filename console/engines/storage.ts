/**
 * Settings that the browser keeps between visits, under `assay.<name>`: never a token, a key or
 * recorded content. Reads null where storage is refused, and writes nothing.
 */
export type Storage = {
  readonly read: (name: StoredName) => string | null;
  /** Null removes it. */
  readonly write: (name: StoredName, value: string | null) => void;
};

/** `person`: `1` while this browser has a login with a refresh cookie. */
export type StoredName =
  | 'person'
  | 'theme'
  | 'density'
  | 'zone'
  | 'rail'
  | 'filters'
  | 'checkpoint'
  | 'vkey'
  | `columns.${string}`;

export const openStorage = (window: Window): Storage => ({
  read: (name) => attempt(() => window.localStorage.getItem(`assay.${name}`)),
  write: (name, value) => {
    attempt(() => {
      if (value === null) window.localStorage.removeItem(`assay.${name}`);
      else window.localStorage.setItem(`assay.${name}`, value);
      return null;
    });
  },
});

/** Browsers throw where storage is full or refused. */
const attempt = (work: () => string | null): string | null => {
  try {
    return work();
  } catch {
    return null;
  }
};
