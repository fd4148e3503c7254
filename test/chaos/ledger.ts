/**
 * Attempt of a client and its promise. It is `acknowledged` once a 2xx came back, and `unknown`
 * from the moment it left until then: it may exist wholly or not at all, never in part and never
 * twice.
 */
export type Attempt =
  | {
      readonly kind: 'trace';
      readonly trace: string;
      readonly spans: readonly string[];
      readonly session: string | null;
    }
  | { readonly kind: 'span'; readonly trace: string; readonly span: string }
  | { readonly kind: 'tag'; readonly trace: string; readonly tag: string };
export type Outcome = 'acknowledged' | 'unknown';

export type Entry = { readonly attempt: Attempt; outcome: Outcome };

/** A trace as some place shows it: the log, the read model. */
export type ObservedTrace = {
  /** Number of times that the trace exists: once, if all is well. */
  readonly times: number;
  /** Ids of its spans, repeats included. */
  readonly spans: readonly string[];
  readonly tags: readonly string[];
};

export type Ledger = {
  readonly entries: readonly Entry[];
  readonly sent: (attempt: Attempt) => Entry;
  /** Unknown ones, oldest first. */
  readonly open: () => readonly Entry[];
  /** Traces that were acknowledged, in that order. */
  readonly traces: () => readonly string[];
  readonly acknowledge: (entry: Entry) => void;
};

export const openLedger = (): Ledger => {
  const entries: Entry[] = [];
  const traces: string[] = [];
  return {
    entries,
    sent: (attempt) => {
      const entry: Entry = { attempt, outcome: 'unknown' };
      entries.push(entry);
      return entry;
    },
    open: () => entries.filter(({ outcome }) => outcome === 'unknown'),
    traces: () => traces,
    acknowledge: (entry) => {
      if (entry.outcome === 'acknowledged') return;
      entry.outcome = 'acknowledged';
      if (entry.attempt.kind === 'trace') traces.push(entry.attempt.trace);
    },
  };
};

type Owed = {
  acknowledged: boolean;
  readonly spans: Map<string, Outcome>;
  readonly tags: Map<string, Outcome>;
};

/** Every way in which `seen` breaks a promise of the ledger, in words; none = all is well. */
export const brokenPromises = (
  ledger: Ledger,
  seen: ReadonlyMap<string, ObservedTrace>,
): readonly string[] => {
  const owed = owedBy(ledger);
  const problems: string[] = [];
  for (const [trace, due] of owed) {
    const found = seen.get(trace);
    if (found === undefined) {
      if (due.acknowledged) problems.push(`trace ${trace} was acknowledged and is lost`);
      continue;
    }
    if (found.times !== 1) problems.push(`trace ${trace} is there ${found.times} times`);
    problems.push(...compared(`trace ${trace}: span`, due.spans, found.spans));
    problems.push(...compared(`trace ${trace}: tag`, due.tags, found.tags));
  }
  for (const trace of seen.keys())
    if (!owed.has(trace)) problems.push(`trace ${trace} was never sent`);
  return problems;
};

const owedBy = (ledger: Ledger): ReadonlyMap<string, Owed> => {
  const owed = new Map<string, Owed>();
  for (const { attempt, outcome } of ledger.entries) {
    const due = owed.get(attempt.trace) ?? {
      acknowledged: false,
      spans: new Map<string, Outcome>(),
      tags: new Map<string, Outcome>(),
    };
    owed.set(attempt.trace, due);
    // Whatever hangs on a trace proves that the trace is there.
    due.acknowledged ||= outcome === 'acknowledged';
    // A trace and its spans are one append: seen in part is as bad as lost, so all of its spans are
    // owed.
    if (attempt.kind === 'trace')
      for (const span of attempt.spans) due.spans.set(span, 'acknowledged');
    if (attempt.kind === 'span') due.spans.set(attempt.span, outcome);
    if (attempt.kind === 'tag') due.tags.set(attempt.tag, outcome);
  }
  return owed;
};

const compared = (
  what: string,
  due: ReadonlyMap<string, Outcome>,
  found: readonly string[],
): readonly string[] => {
  const there = new Set(found);
  const problems = there.size === found.length ? [] : [`${what}s ${found.join(' ')}: one is twice`];
  for (const [id, outcome] of due)
    if (outcome === 'acknowledged' && !there.has(id)) problems.push(`${what} ${id} is lost`);
  for (const id of there) if (!due.has(id)) problems.push(`${what} ${id} was never sent`);
  return problems;
};
