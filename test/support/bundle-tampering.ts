import * as fc from 'fast-check';
import type { Bundle, BundleEntry } from './bundles.js';

const members = [
  'event_id',
  'event_type',
  'stream',
  'at',
  'request_id',
  'data_digest',
  'prev_hash',
  'hash',
  'data',
  'salt',
] as const;

type BundleTampering = {
  readonly how: 'change' | 'role' | 'remove' | 'swap' | 'insert' | 'cut' | 'node';
  readonly at: number;
  readonly member: (typeof members)[number];
};

/** Ways to tamper with a bundle, at one of `places`. */
export const bundleTamperings = (places: number): fc.Arbitrary<BundleTampering> =>
  fc.record({
    how: fc.constantFrom('change', 'role', 'remove', 'swap', 'insert', 'cut', 'node'),
    at: fc.nat(places - 1),
    member: fc.constantFrom(...members),
  });

/** Null where the tampering does not apply. */
export const tamperBundle = (
  bundle: Bundle,
  { how, at, member }: BundleTampering,
): Bundle | null => {
  const { entries, nodes } = bundle;
  const place = at % entries.length;
  const one = entries[place];
  if (one === undefined) return null;
  const replaced = (by: readonly BundleEntry[], count = 1): Bundle => ({
    ...bundle,
    entries: [...entries.slice(0, place), ...by, ...entries.slice(place + count)],
  });
  switch (how) {
    case 'change': {
      const value = one[member];
      return value === null ? null : replaced([{ ...one, [member]: otherThan(value) }]);
    }
    case 'role':
      return replaced([{ ...one, actor: { ...one.actor, role: 'guest' } }]);
    case 'remove':
      return replaced([]);
    case 'swap': {
      const other = entries[place + 1];
      return other === undefined ? null : replaced([other, one], 2);
    }
    case 'insert':
      return replaced([one, { ...one, event_type: 'Forged' }]);
    case 'cut':
      return place === 0 ? null : { ...bundle, entries: entries.slice(0, place) };
    case 'node': {
      const node = nodes[at % Math.max(1, nodes.length)];
      if (node === undefined) return null;
      const hash = node.hash.replace(/^./, (first) => (first === '0' ? '1' : '0'));
      return { ...bundle, nodes: nodes.map((each) => (each === node ? { ...each, hash } : each)) };
    }
  }
};

const otherThan = (value: string): string =>
  `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`;
