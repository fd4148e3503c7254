import { boundedMap } from '../bounded-map.js';
import { memoizeByObject } from '../memoize-by-object.js';
import type { Instant } from '../schema-types.js';
import { simplifiedNames } from './model-names.js';
import type { TokenPrices } from './token-kinds.js';

/** Price of the models that a name or pattern stands for, from an instant on. */
export type PriceEntry = TokenPrices & { readonly model: string; readonly from: Instant };

/** Ways in which an entry is found by a model's name, in the order in which they are tried. */
export const matchRules = ['exact', 'pattern', 'simplified', 'simplified_pattern'] as const;
export type MatchRule = (typeof matchRules)[number];

type PriceMatch = { readonly entry: PriceEntry; readonly rule: MatchRule };
/** Entries that one name or pattern has, by ascending time. */
type Candidates = { readonly rule: MatchRule; readonly entries: readonly PriceEntry[] };
type ByName = ReadonlyMap<string, readonly PriceEntry[]>;

/**
 * Entry that prices a model at an instant (contract 5.4): by its exact name, else by the pattern
 * with the longest name before its `*`, then the same by its simplified names; of several the one
 * with the latest `from` that is not after the instant. Null: the model has no price then.
 */
export const matchPrice = (
  entries: readonly PriceEntry[],
  model: string,
  at: Instant,
): PriceMatch | null => {
  for (const { rule, entries: some } of candidatesIn(entries)(model)) {
    const entry = some.findLast(({ from }) => from <= at);
    if (entry !== undefined) return { entry, rule };
  }
  return null;
};

/** Names whose candidates are kept per list: models of a project are few, spans are not. */
const namesMax = 1_000;
/** Longer names are looked up each time: nothing of them is kept in memory. */
const keptNameMax = 255;

const candidatesIn = memoizeByObject((entries: readonly PriceEntry[]) => {
  const written = tableOf(entries, (model) => model);
  const lower = tableOf(entries, (model) => model.toLowerCase());
  const known = boundedMap<string, readonly Candidates[]>(namesMax);
  const find = (model: string): readonly Candidates[] => [
    ...lookUp(written, model, 'exact', 'pattern'),
    ...simplifiedNames(model).flatMap((name) =>
      lookUp(lower, name, 'simplified', 'simplified_pattern'),
    ),
  ];
  return (model: string): readonly Candidates[] => {
    const kept = known.get(model);
    if (kept !== undefined) return kept;
    const found = find(model);
    if (model.length <= keptNameMax) known.set(model, found);
    return found;
  };
});

type PriceTable = {
  readonly names: ByName;
  /** By the name before the `*`, longest first. */
  readonly patterns: readonly (readonly [prefix: string, entries: readonly PriceEntry[]])[];
};

const tableOf = (entries: readonly PriceEntry[], nameOf: (model: string) => string): PriceTable => {
  const names = new Map<string, PriceEntry[]>();
  const patterns = new Map<string, PriceEntry[]>();
  for (const entry of entries.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const name = nameOf(entry.model);
    const isPattern = name.endsWith('*');
    const [table, key] = isPattern ? [patterns, name.slice(0, -1)] : [names, name];
    const some = table.get(key);
    if (some === undefined) table.set(key, [entry]);
    else some.push(entry);
  }
  return {
    names,
    patterns: [...patterns].sort(([one], [other]) => other.length - one.length),
  };
};

const lookUp = (
  { names, patterns }: PriceTable,
  name: string,
  exact: MatchRule,
  pattern: MatchRule,
): readonly Candidates[] => {
  const named = names.get(name);
  const found: Candidates[] = named === undefined ? [] : [{ rule: exact, entries: named }];
  for (const [prefix, entries] of patterns) {
    if (name.startsWith(prefix)) found.push({ rule: pattern, entries });
  }
  return found;
};
