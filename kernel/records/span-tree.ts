import { byCodePoint } from '../code-points.js';

/**
 * Depth limit: deeper spans are shown side by side under their ancestor at this level, since late
 * spans can be chained without end and code that walks a tree recurses.
 */
export const treeLevelsMax = 500;

type SpanParentLink = { readonly id: unknown; readonly parent: unknown };

/**
 * Effective parents: for each span the index of its parent; the number of spans stands for the
 * trace. It is the parent that was sent, or the trace while that is missing or below the span
 * itself (contract 5.6, rule 4).
 */
export const effectiveParents = (
  traceId: unknown,
  spans: readonly SpanParentLink[],
): readonly number[] => {
  // Most traces have one level.
  if (spans.every(({ parent }) => parent === traceId)) return spans.map(() => spans.length);
  const places = new Map(spans.map(({ id }, index) => [id, index]));
  const parents = spans.map(({ parent }) =>
    parent === traceId ? spans.length : (places.get(parent) ?? spans.length),
  );
  // Spans that were nested come after their parents.
  if (parents.some((parent, index) => parent >= index && parent < spans.length))
    breakCycles(parents);
  return parents;
};

/**
 * Moves spans that are their own ancestors under the trace, independently of the order of arrival.
 */
const breakCycles = (parents: number[]): void => {
  const root = parents.length;
  const unseen = 0;
  const onPath = 1;
  const done = 2;
  const marks = new Uint8Array(parents.length);
  for (let begin = 0; begin < parents.length; begin += 1) {
    const path: number[] = [];
    let at = begin;
    while (at !== root && marks[at] === unseen) {
      marks[at] = onPath;
      path.push(at);
      at = parents[at] ?? root;
    }
    if (at !== root && marks[at] === onPath) {
      for (const circled of path.slice(path.indexOf(at))) parents[circled] = root;
    }
    for (const passed of path) marks[passed] = done;
  }
};

type SiblingKeys<T> = {
  readonly step: (span: T) => unknown;
  readonly createdAt: (span: T) => unknown;
  /** Order of arrival. */
  readonly ordinal: (span: T) => number;
};

/**
 * Comparator of siblings (contract 5.7): by `step_number` (missing last), `created_at`, and
 * arrival: clocks of senders are coarse, and their order says more than random ids.
 */
export const siblingOrder = <T>({ step, createdAt, ordinal }: SiblingKeys<T>) => {
  const stepOf = (span: T): number => {
    const value = step(span);
    return typeof value === 'number' ? value : Infinity;
  };
  const timeOf = (span: T): string => {
    const value = createdAt(span);
    return typeof value === 'string' ? value : '';
  };
  return (one: T, other: T): number =>
    (stepOf(one) === stepOf(other) ? 0 : stepOf(one) - stepOf(other)) ||
    byCodePoint(timeOf(one), timeOf(other)) ||
    ordinal(one) - ordinal(other);
};

/** Iterates everything below `root`, depth first, with its level from 1 on; not recursive. */
export function* depthFirst<T>(
  root: T,
  below: (node: T) => readonly T[],
): Generator<readonly [node: T, level: number], void> {
  const open: (readonly [T, number])[] = [];
  const push = (node: T, level: number): void => {
    for (const child of [...below(node)].reverse()) open.push([child, level]);
  };
  push(root, 1);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    push(next[0], next[1] + 1);
  }
}
