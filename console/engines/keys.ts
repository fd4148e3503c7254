import { signal, type ReadonlySignal } from '@preact/signals';

/** One keyboard command. */
export type KeyBinding = {
  /** A key as `KeyboardEvent.key` names it, with `Ctrl+` before it, or two keys: `g t`. */
  readonly keys: string;
  /** Effect, for the list of keys. */
  readonly what: string;
  /** Null: the part that has the focus handles the key itself; it is listed here only. */
  readonly run: (() => void) | null;
};

export type Keyboard = {
  /** Adds commands, before those that are there; returns their removal. */
  readonly bind: (bindings: readonly KeyBinding[]) => () => void;
  /** All commands that apply now, latest first. */
  readonly bindings: ReadonlySignal<readonly KeyBinding[]>;
};

/** How long the second key of a pair may take. */
const pairMs = 1_000;

/**
 * While text is typed only `Escape`, `Ctrl+Enter` and `Ctrl+s` are commands. A pair wins over a
 * command of its second key, also over one of the part that has the focus.
 */
export const openKeyboard = (document: Document): Keyboard => {
  const layers = signal<readonly (readonly KeyBinding[])[]>([]);
  const bindings = signal<readonly KeyBinding[]>([]);
  const update = (next: readonly (readonly KeyBinding[])[]): void => {
    layers.value = next;
    bindings.value = next.flat();
  };
  const commandOf = (keys: string): (() => void) | null =>
    bindings.peek().find((one) => one.keys === keys && one.run !== null)?.run ?? null;
  let first: { readonly key: string; readonly at: number } | null = null;
  // Before the part that has the focus sees the key.
  const onPair = (event: KeyboardEvent): void => {
    const key = keyOf(event);
    const isPending = first !== null && event.timeStamp - first.at < pairMs;
    const run = isPending && key !== null ? commandOf(`${first?.key ?? ''} ${key}`) : null;
    first = key === null || run !== null ? null : { key, at: event.timeStamp };
    if (run === null) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  document.addEventListener('keydown', onPair, { capture: true });
  // A control keeps Enter until another command was run while it had the focus.
  let left: EventTarget | null = null;
  document.addEventListener('focusin', () => {
    left = null;
  });
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const key = keyOf(event);
    const isOfControl = key === 'Enter' && left !== event.target && isControl(event.target);
    const run = key === null || isOfControl ? null : commandOf(key);
    if (run === null) return;
    event.preventDefault();
    left = event.target;
    run();
  });
  return {
    bindings,
    bind: (added) => {
      update([added, ...layers.peek()]);
      return () => update(layers.peek().filter((layer) => layer !== added));
    },
  };
};

/** Commands while text is typed. */
const typingKeys = new Set(['Escape', 'Ctrl+Enter', 'Ctrl+s']);

/** The key as bindings name it; null where it is not a command. `Cmd` counts as `Ctrl`. */
const keyOf = (event: KeyboardEvent): string | null => {
  // AltGr, by which some keyboards write `[`, reports Ctrl and Alt.
  const isWritten = event.getModifierState('AltGraph');
  if ((event.altKey && !isWritten) || event.isComposing) return null;
  const hasCtrl = (event.ctrlKey || event.metaKey) && !isWritten;
  const key = hasCtrl ? `Ctrl+${event.key}` : event.key;
  // `target` is the host for an event out of a shadow root.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return key;
  const hasDialog = target.ownerDocument.querySelector('dialog[open]') !== null;
  // Escape closes the open dialog, and nothing behind it.
  if (key === 'Escape' && hasDialog) return null;
  return isTyping(target) && !typingKeys.has(key) ? null : key;
};

/** True for elements that act by `Enter` themselves. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('a[href], button, summary, [role=menuitem]');

const isTyping = (target: HTMLElement): boolean =>
  target.isContentEditable ||
  target.matches('textarea, select, input:not([type=checkbox]):not([type=radio])');
