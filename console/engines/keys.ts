import { signal, type ReadonlySignal } from '@preact/signals';

/** One keyboard command. */
export type KeyBinding = {
  /** A key as `KeyboardEvent.key` names it, with `Ctrl+` before it, or two keys: `g t`. */
  readonly keys: string;
  /** Effect, for the list of keys. */
  readonly what: string;
  readonly run: () => void;
};

export type Keyboard = {
  /** Adds commands, before those that are there; returns their removal. */
  readonly bind: (bindings: readonly KeyBinding[]) => () => void;
  /** All commands that apply now, latest first. */
  readonly bindings: ReadonlySignal<readonly KeyBinding[]>;
};

/** How long the second key of a pair may take. */
const pairMs = 1_000;

/** While text is typed only `Escape` and `Ctrl+Enter` are commands. */
export const openKeyboard = (document: Document): Keyboard => {
  const layers = signal<readonly (readonly KeyBinding[])[]>([]);
  const bindings = signal<readonly KeyBinding[]>([]);
  const update = (next: readonly (readonly KeyBinding[])[]): void => {
    layers.value = next;
    bindings.value = next.flat();
  };
  let first = { key: '', at: -pairMs };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.altKey || event.isComposing) return;
    const key = event.ctrlKey ? `Ctrl+${event.key}` : event.key;
    if (isTyping(event.target) && key !== 'Escape' && key !== 'Ctrl+Enter') return;
    const pair = event.timeStamp - first.at < pairMs ? `${first.key} ${key}` : null;
    const find = (wanted: string | null) => bindings.peek().find(({ keys }) => keys === wanted);
    const found = find(pair) ?? find(key);
    first = { key, at: event.timeStamp };
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
  return {
    bindings,
    bind: (added) => {
      update([added, ...layers.peek()]);
      return () => update(layers.peek().filter((layer) => layer !== added));
    },
  };
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type=checkbox]):not([type=radio])'));
