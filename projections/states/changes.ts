import type { StoredEvent } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';
import { mergePatches, type MergePatches, type StateValue } from './masked-state.js';
import type { StateDefinition, StateSubject } from './state.js';

/**
 * Changes that the events of these ids made to the resource, by id; ids that are not among the
 * events are absent.
 */
export const changesByEvent = (
  definition: StateDefinition,
  subject: StateSubject,
  events: readonly StoredEvent[],
  {
    wanted,
    mask,
  }: { readonly wanted: ReadonlySet<string>; readonly mask: (one: StateValue) => Json },
): ReadonlyMap<string, MergePatches> => {
  const state = definition.open(subject);
  const changes = new Map<string, MergePatches>();
  let folded = 0;
  /** Last snapshot, after `folded` events: the next change may start from it. */
  let last: { readonly at: number; readonly shown: ReturnType<typeof state.snapshot> } | null =
    null;
  const foldTo = (end: number): ReturnType<typeof state.snapshot> => {
    if (folded < end) state.fold(events.slice(folded, end));
    folded = end;
    return last?.at === end ? last.shown : state.snapshot();
  };
  events.forEach((event, index) => {
    if (!wanted.has(event.id)) return;
    const before = foldTo(index);
    const after = foldTo(index + 1);
    last = { at: index + 1, shown: after };
    changes.set(event.id, mergePatches(before, after, mask));
  });
  return changes;
};

/** Cost of folding these events together, and the maximum cost of one snapshot of them. */
export const foldCosts = (
  { weightOf: own }: StateDefinition,
  events: readonly StoredEvent[],
): { readonly folding: number; readonly showing: number } => {
  if (own === undefined) return { folding: events.length, showing: 1 };
  const records = events.reduce((sum, event) => sum + own(event), 0);
  return { folding: records, showing: records };
};
