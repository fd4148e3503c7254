import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { browserZone, knownZones } from './zone.js';
import type { Storage } from './storage.js';

/** How pages look; changes apply at once and are kept in this browser. */
export type Appearance = {
  readonly theme: Signal<'system' | 'light' | 'dark'>;
  readonly density: Signal<'usual' | 'roomy'>;
  readonly rail: Signal<'open' | 'folded'>;
  /** True on screens below 640 px, which show one column and edit no tables. */
  readonly isNarrow: ReadonlySignal<boolean>;
  /** Zone in which instants are shown; the browser's until another is chosen. */
  readonly zone: Signal<string>;
  /** Zones to choose from, UTC first. */
  readonly zones: () => readonly string[];
};

export const openAppearance = (root: HTMLElement, storage: Storage): Appearance => {
  const kept = <V extends string>(
    name: 'theme' | 'density' | 'rail',
    values: readonly [V, ...V[]],
  ) => {
    const stored = storage.read(name);
    const value = signal(values.find((one) => one === stored) ?? values[0]);
    effect(() => {
      const isUsual = value.value === values[0];
      if (isUsual) delete root.dataset[name];
      else root.dataset[name] = value.value;
      if (storage.read(name) !== null || !isUsual) storage.write(name, value.value);
    });
    return value;
  };
  return {
    theme: kept('theme', ['system', 'light', 'dark']),
    density: kept('density', ['usual', 'roomy']),
    rail: kept('rail', ['open', 'folded']),
    isNarrow: narrowScreen(root),
    zone: keptZone(storage),
    zones: knownZones,
  };
};

const narrowScreen = (root: HTMLElement): ReadonlySignal<boolean> => {
  const query = root.ownerDocument.defaultView?.matchMedia('(max-width: 640px)');
  const isNarrow = signal(query?.matches === true);
  query?.addEventListener('change', ({ matches }) => {
    isNarrow.value = matches;
  });
  return isNarrow;
};

const keptZone = (storage: Storage): Signal<string> => {
  const stored = storage.read('zone');
  const isKnown = stored !== null && knownZones().includes(stored);
  const zone = signal(isKnown ? stored : browserZone());
  effect(() => {
    const isUsual = zone.value === browserZone();
    if (!isUsual || storage.read('zone') !== null) storage.write('zone', zone.value);
  });
  return zone;
};
