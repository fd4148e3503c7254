import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Span } from '../../../clients/typescript/src/generated/spans-types.js';
import {
  criticalPath,
  nextError,
  unfoldAbove,
  visibleRows,
} from '../../../console/traces/tree-walk.js';
import { spanTree, type TreeSpan } from '../../../console/traces/tree.js';
import { cpuTime } from '../../support/cpu-time.js';
import { runs } from '../../support/runs.js';
import { drawSeed } from '../../support/test-environment.js';

const traceId = 'trace';
const instantAt = (microseconds: number): string =>
  `2026-11-22T18:06:${String(Math.floor(microseconds / 1e6)).padStart(2, '0')}.` +
  `${String(microseconds % 1e6).padStart(6, '0')}Z`;
const trace = { id: traceId, created_at: instantAt(500) };

/** Spans whose parents are other spans, the trace, missing, or in a circle. */
const spans: fc.Arbitrary<readonly TreeSpan[]> = fc
  .array(
    fc.record({
      parent: fc.integer({ min: -3, max: 30 }),
      type: fc.constantFrom('agent', 'workflow', 'llm', 'tool'),
      begin: fc.integer({ min: 0, max: 20 }),
      step_number: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
      status_code: fc.constantFrom(null, 200, 200, 500),
      // A fraction does not fit the metric.
      duration_ns: fc.oneof(
        {
          weight: 9,
          arbitrary: fc.option(fc.integer({ min: -1_000, max: 20_000 }), { nil: null }),
        },
        { weight: 1, arbitrary: fc.constant(0.5) },
      ),
      cost: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
      num_total_tokens: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
    }),
    { maxLength: 40 },
  )
  .map((list) =>
    list.map(({ parent, type, begin, step_number, status_code, ...metrics }, at) => ({
      id: `span ${at}`,
      type,
      created_at: instantAt(begin),
      parent_id: parent === -1 ? traceId : parent < -1 ? null : `span ${parent}`,
      step_number,
      status_code,
      metrics: Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== null)),
    })),
  );

type NaiveNode = { readonly span: TreeSpan; readonly children: readonly NaiveNode[] };

/** The tree by its definition: contract 5.6, rule 4, and 5.7. */
const naiveTree = (list: readonly TreeSpan[]): readonly NaiveNode[] => {
  const byId = new Map(list.map((span) => [span.id, span]));
  const parentOf = (span: TreeSpan): TreeSpan | undefined =>
    span.parent_id === traceId ? undefined : byId.get(span.parent_id ?? '');
  const isCircled = (span: TreeSpan): boolean => {
    let at = parentOf(span);
    for (let steps = 0; at !== undefined && steps <= list.length; steps += 1) {
      if (at === span) return true;
      at = parentOf(at);
    }
    return false;
  };
  const below = (parent: TreeSpan | undefined): readonly NaiveNode[] =>
    list
      .filter((span) => (isCircled(span) ? undefined : parentOf(span)) === parent)
      .map((span, at) => ({ span, at }))
      .sort(
        (one, other) =>
          (one.span.step_number ?? 99) - (other.span.step_number ?? 99) ||
          Number(one.span.created_at > other.span.created_at) -
            Number(one.span.created_at < other.span.created_at) ||
          one.at - other.at,
      )
      .map(({ span }) => ({ span, children: below(span) }));
  return below(undefined);
};
const flat = (nodes: readonly NaiveNode[], depth = 0): readonly (NaiveNode & { depth: number })[] =>
  nodes.flatMap((node) => [{ ...node, depth }, ...flat(node.children, depth + 1)]);
const all = (node: NaiveNode): readonly TreeSpan[] => flat([node]).map(({ span }) => span);
const own = (span: TreeSpan, name: string): number | null => {
  const value = span.metrics?.[name];
  return Number.isInteger(value) ? Number(value) : null;
};
const sum = (values: readonly (number | null)[]): number | null => {
  const some = values.filter((value) => value !== null);
  return some.length === 0 ? null : some.reduce((one, other) => one + other, 0);
};
const total = (node: NaiveNode, name: string): number | null =>
  own(node.span, name) ?? sum(node.children.map((child) => total(child, name)));
const beginOf = (span: TreeSpan, list: readonly TreeSpan[]): number => {
  const first = [trace, ...list].map((one) => one.created_at).sort()[0] ?? '';
  const micros = (at: string): number => Number(at.slice(17, 19)) * 1e6 + Number(at.slice(20, 26));
  return (micros(span.created_at) - micros(first)) * 1_000;
};

const options = (what: string) => ({ seed: drawSeed(what), numRuns: runs(500) });

describe('the rows of a trace', () => {
  it("have the contract's order, depths, sums and times, of spans in any order", () => {
    fc.assert(
      fc.property(spans, (list) => {
        const tree = spanTree(trace, list);
        const expected = flat(naiveTree(list));
        const places = expected.map(({ span, depth }) => [span.id, depth]);
        expect(tree.rows.map(({ span, depth }) => [span.id, depth])).to.deep.equal(places);
        tree.rows.forEach((row, at) => {
          const node = expected[at] ?? { span: row.span, children: [] };
          const family = all(node);
          const begins = family.map((span) => beginOf(span, list));
          const lastEnd = Math.max(
            ...family.map(
              (span) => beginOf(span, list) + Math.max(0, own(span, 'duration_ns') ?? 0),
            ),
          );
          expect(row.end).to.equal(at + family.length);
          expect(tree.rows[row.parent]?.span.id ?? null).to.equal(
            expected.find(({ children }) => children.some(({ span }) => span === node.span))?.span
              .id ?? null,
          );
          const { cost, tokens, errors } = row;
          expect({ cost, tokens, errors }).to.deep.equal({
            cost: total(node, 'cost'),
            tokens: total(node, 'num_total_tokens'),
            errors: family.filter((span) => span.status_code === 500).length,
          });
          const mayRollUp = ['agent', 'workflow'].includes(node.span.type);
          const isMeasured = family.some((span) => own(span, 'duration_ns') !== null);
          const isElapsed = own(node.span, 'duration_ns') === null && mayRollUp && isMeasured;
          expect(row.isElapsed).to.equal(isElapsed);
          expect(row.durationNs).to.equal(
            isElapsed ? lastEnd - Math.min(...begins) : own(node.span, 'duration_ns'),
          );
          const begin = isElapsed ? Math.min(...begins) : beginOf(node.span, list);
          expect(row.beginNs).to.equal(begin);
          expect(row.endNs).to.be.at.most(tree.lengthNs);
        });
        expect(tree.cost).to.equal(sum(naiveTree(list).map((node) => total(node, 'cost'))));
        expect(tree.errors).to.equal(list.filter((span) => span.status_code === 500).length);
        for (const [id, row] of tree.rowOf) expect(tree.rows[row]?.span.id).to.equal(id);
      }),
      options('span trees'),
    );
  });

  it('are made once of 20,000 shuffled spans in less than 100 ms, and keep the 500th level', () => {
    const count = 20_000;
    const inOrder = Array.from({ length: count }, (_, at) => ({
      id: `span ${at}`,
      type: at % 3 === 0 ? 'agent' : 'llm',
      created_at: instantAt(at),
      // A chain of 2,000, and bushes on it.
      parent_id: at === 0 ? traceId : `span ${at < 2_000 ? at - 1 : at % 2_000}`,
      step_number: null,
      status_code: at % 100 === 0 ? 500 : 200,
      metrics: { duration_ns: 1_000, cost: 1 },
    }));
    const shuffled = inOrder
      .map((span, at) => ({ span, key: (at * 7_919) % 20_011 }))
      .sort((one, other) => one.key - other.key)
      .map(({ span }) => span);
    expect(shuffled.slice(0, 9)).not.to.deep.equal(inOrder.slice(0, 9));
    const times = Array.from({ length: 9 }, () => {
      const spent = cpuTime();
      spanTree(trace, shuffled);
      return spent();
    });
    // The fastest of nine: other programs slow this one down.
    expect(Math.min(...times)).to.be.below(100);
    const { rows, cost, tokens, errors } = spanTree(trace, shuffled);
    const expected: (readonly [string, number])[] = [];
    const walk = (at: number, depth: number): void => {
      expected.push([`span ${at}`, Math.min(depth, 499)]);
      if (at + 1 < 2_000) walk(at + 1, depth + 1);
      for (let bush = at + 2_000; bush < count; bush += 2_000) {
        expected.push([`span ${bush}`, Math.min(depth + 1, 499)]);
      }
    };
    walk(0, 0);
    expect(rows.map(({ span, depth }) => [span.id, depth])).to.deep.equal(expected);
    expect({ cost, tokens, errors }).to.deep.equal({ cost: 1, tokens: null, errors: 200 });
    expect(rows[1_000]?.parent).to.equal(498);
  });

  it('take the spans of the client, each once, and without spans the trace alone', () => {
    const usable = (list: readonly Span[]) => spanTree(trace, list).rows.map(({ span }) => span);
    expect(usable([])).to.deep.equal([]);
    const [first, second] = [1, 2].map((at) => ({
      id: 'span',
      type: 'llm',
      created_at: instantAt(at),
    }));
    if (first === undefined || second === undefined) return;
    expect(spanTree(trace, [first, second]).rows.map(({ span }) => span)).to.deep.equal([second]);
    const logged = { ...trace, metrics: { duration_ns: 5e6, cost: 3 } };
    expect(spanTree(logged, [])).to.deep.include({
      lengthNs: 5e6,
      cost: 3,
      tokens: null,
      errors: 0,
    });
  });

  it('hide what is below folded spans, and unfold what hides one', () => {
    const foldings = fc.uniqueArray(fc.nat({ max: 39 }).map((at) => `span ${at}`));
    fc.assert(
      fc.property(spans, foldings, fc.nat({ max: 39 }), (list, folds, chosen) => {
        const tree = spanTree(trace, list);
        const folded = new Set(folds);
        const seen = (nodes: readonly NaiveNode[]): readonly string[] =>
          nodes.flatMap(({ span, children }) => [
            span.id,
            ...(folded.has(span.id) ? [] : seen(children)),
          ]);
        const visible = visibleRows(tree, folded);
        expect(visible.map((row) => tree.rows[row]?.span.id)).to.deep.equal(seen(naiveTree(list)));
        if (chosen >= list.length) return;
        const unfolded = unfoldAbove(tree, folded, chosen);
        expect(visibleRows(tree, unfolded)).to.include(chosen);
        expect([...unfolded].every((id) => folded.has(id))).to.equal(true);
      }),
      options('foldings'),
    );
  });

  it('lead from error to error, causes first, around the end and back', () => {
    const causesFirst = (nodes: readonly NaiveNode[]): readonly TreeSpan[] =>
      nodes.flatMap(({ span, children }) => [...causesFirst(children), span]);
    fc.assert(
      fc.property(spans, (list) => {
        const tree = spanTree(trace, list);
        const errors = causesFirst(naiveTree(list)).filter((span) => span.status_code === 500);
        const walk = (step: 1 | -1): readonly (string | undefined)[] => {
          let row = -1;
          return Array.from({ length: errors.length + 1 }, () => {
            row = nextError(tree, row, step) ?? -1;
            return tree.rows[row]?.span.id;
          });
        };
        const ids = errors.map(({ id }) => id);
        expect(walk(1)).to.deep.equal([...ids, ids[0]]);
        expect(walk(-1)).to.deep.equal([...ids.toReversed(), ids.at(-1)]);
      }),
      options('errors'),
    );
  });

  it('mark the critical path: at each level what ended last before the next one began', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const tree = spanTree(trace, list);
        const marked = new Set<number>();
        const mark = (parent: number, end: number): void => {
          let rest = tree.rows.flatMap((row, at) => (row.parent === parent ? [{ row, at }] : []));
          rest = rest.filter(({ row }) => row.beginNs <= end);
          for (let until = end; ;) {
            const clip = (at: number): number => Math.min(at, end);
            const bound = until;
            const ended = rest.filter(({ row }) => clip(row.endNs) <= bound);
            const [first] = ended;
            if (first === undefined) return;
            const last = ended.reduce(
              (one, other) => (clip(other.row.endNs) > clip(one.row.endNs) ? other : one),
              first,
            );
            marked.add(last.at);
            mark(last.at, clip(last.row.endNs));
            rest = rest.filter(({ at }) => at !== last.at);
            until = last.row.beginNs;
          }
        };
        mark(-1, tree.lengthNs);
        expect(criticalPath(tree)).to.deep.equal(marked);
      }),
      options('critical paths'),
    );
    const example = spanTree({ id: traceId, created_at: instantAt(0) }, [
      { ...bar('root', 0, 100, traceId), type: 'agent' },
      bar('first', 0, 30, 'root'),
      bar('beside', 5, 60, 'root'),
      bar('last', 70, 100, 'root'),
    ]);
    const names = [...criticalPath(example)].map((row) => example.rows[row]?.span.id);
    expect(names).to.have.members(['root', 'last', 'beside']);
  });
});

/** A span from one microsecond to another. */
const bar = (id: string, from: number, to: number, parent: string) => ({
  id,
  type: 'tool',
  created_at: instantAt(from),
  parent_id: parent,
  metrics: { duration_ns: (to - from) * 1_000 },
});
