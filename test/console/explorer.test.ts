import { expect } from 'chai';
import * as fc from 'fast-check';
import { cellValue } from '../../console/explorer/cell-text.js';
import { facetSelection, withFacet } from '../../console/explorer/facet-edits.js';
import { facetsMax, foundFacets, type Facet } from '../../console/explorer/facets.js';
import { moveFilter } from '../../console/explorer/move-filter.js';
import { stripBuckets, stripInterval } from '../../console/explorer/model.js';
import { explorerCodec } from '../../console/explorer/state.js';
import { canonicalTree } from '../../console/language/canonical-tree.js';
import type { FilterContext } from '../../console/language/catalogue.js';
import type { FilterTree } from '../../console/language/filter-tree.js';
import { parseFilter } from '../../console/language/parse-filter.js';
import { printFilter } from '../../console/language/print-filter.js';
import { partsOfTree, textOfParts } from '../../console/parts/filter-parts.js';
import { openRowCounter } from '../../console/parts/row-counter.js';
import type { CustomSearchResponse } from '../../clients/typescript/src/generated/metrics-types.js';
import { drawSeed } from '../support/test-environment.js';
import { writtenTrees } from './language/filter-trees.js';

const context: FilterContext = { population: 'trace', columns: {}, me: null };
const treeOf = (text: string): FilterTree | null => {
  const { tree, problems } = parseFilter(text, context);
  expect(problems, text).to.deep.equal([]);
  return tree;
};
const name = { id: 'name', filter_type: 'text' } as const;
const status = { id: 'status_code', filter_type: 'number' } as const;

describe('the explorer', () => {
  it('reads from a facet what was chosen in it, and leaves the other conditions', () => {
    const values = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 5 });
    const other = treeOf('input ~ refund and any span (name = tool)');
    fc.assert(
      fc.property(values, fc.boolean(), (chosen, isOfSpans) => {
        const tree = withFacet(other, name, isOfSpans, chosen);
        const isOther = isOfSpans && chosen.length === 0;
        if (!isOther) expect(facetSelection(tree, name, isOfSpans)).to.have.members(chosen);
        expect(JSON.stringify(tree)).to.include('refund');
      }),
      { seed: drawSeed() },
    );
    const numbers = withFacet(null, status, false, ['200', '500']);
    expect(facetSelection(numbers, status, false)).to.deep.equal(['200', '500']);
    expect(withFacet(numbers, status, false, [])).to.equal(null);
  });

  it('shows the first facets of 2,000, those with a choice, and what is found by name', () => {
    const columns = Array.from({ length: 2_000 }, (_column, index) => ({
      id: `user_metadata/key ${index}`,
      label: `key ${index}`,
      filter_type: 'text' as const,
    }));
    const facets = columns.map((column) => ({
      column: column as unknown as Facet['column'],
      isOfSpans: false,
    }));
    const all = foundFacets(facets, null, '');
    expect([all.shown.length, all.more]).to.deep.equal([facetsMax, 2_000 - facetsMax]);
    const chosen = columns[1_998] ?? name;
    const { shown } = foundFacets(facets, withFacet(null, chosen, false, ['a']), '');
    expect(shown.at(-1)?.column.label).to.equal('key 1998');
    const found = foundFacets(facets, null, 'KEY 1999');
    expect(found.shown.map(({ column }) => column.label)).to.deep.equal(['key 1999']);
    expect(found.more).to.equal(0);
  });

  it('moves a filter to the level below and back, and names what does not apply', () => {
    const tree = treeOf('name = a and any span (type = tool)');
    const below = moveFilter(tree, 'trace', 'span');
    expect(below.tree).to.deep.equal({
      filter: { type: 'text', name: 'type', operator: 'eq', value: 'tool' },
    });
    expect(below.lost).to.deep.equal(treeOf('name = a'));
    expect(moveFilter(below.tree, 'span', 'session').tree).to.deep.equal({
      any_trace: { any_span: below.tree },
    });
  });

  it('edits each filter in the builder without changing its meaning', () => {
    fc.assert(
      fc.property(writtenTrees('trace'), (written) => {
        const tree = canonicalTree(written);
        if (tree === null) return;
        const text = textOfParts(partsOfTree(tree, null), context, 'trace');
        const parsed = parseFilter(text, context);
        const direct = parseFilter(printFilter(tree, null), context);
        expect(parsed.tree, text).to.deep.equal(direct.tree);
      }),
      { seed: drawSeed(), numRuns: 300 },
    );
  });

  it('shows no member of a prototype as what was recorded under its name', () => {
    const record = {
      id: 'a',
      type: 'trace',
      trace_id: null,
      created_at: '2026-01-01T00:00:00.000000Z',
      metrics: {},
      metric_info: {},
      user_metadata: JSON.parse('{"__proto__": "own"}') as unknown,
      annotation_aggregates: {},
    };
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      for (const map of ['metrics', 'user_metadata', 'annotations']) {
        const { value, error } = cellValue(record, { id: `${map}/${name}` });
        expect([value, error], `${map}/${name}`).to.deep.equal([undefined, null]);
      }
    }
    expect(cellValue(record, { id: 'user_metadata/__proto__' }).value).to.equal('own');
  });

  it('counts the rows of a file in any pieces, line feeds within cells left out', () => {
    const cell = fc.constantFrom('a', '"b\n""c"', '', 'd,e');
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 7 }), (written, size) => {
        const text = `x,y\r\n${written.map((row) => `${row.join(',')}\r\n`).join('')}`;
        const bytes = new TextEncoder().encode(text);
        const counter = openRowCounter('csv');
        for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
        expect(counter.rows()).to.equal(written.length);
      }),
      { seed: drawSeed() },
    );
  });

  it('fills the gaps of a strip, of at most 121 buckets', () => {
    const bounds = fc.tuple(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: 3e11 }));
    fc.assert(
      fc.property(bounds, ([fromMs, length]) => {
        const minutes = stripInterval(fromMs, fromMs + length);
        const at = Math.floor(fromMs / (minutes * 60_000)) * minutes * 60_000;
        const bucket = {
          start_bucket_time: new Date(at).toISOString(),
          end_bucket_time: new Date(at + minutes * 60_000).toISOString(),
          requests_count: 3,
          session_count: 0,
          span_count: 9,
        };
        const answer = {
          group_by_columns: [],
          aggregate_metrics: { requests_count: 3, session_count: 0, span_count: 9 },
          bucketed_metrics: { all: [bucket] },
          ems_captured_error: false,
          standard_errors: {},
          population: 'traces' as const,
        } as unknown as CustomSearchResponse;
        const buckets = stripBuckets(answer, undefined, minutes, {
          fromMs,
          toMs: fromMs + length,
        });
        expect(buckets.length).to.be.within(1, 121);
        expect(buckets.map(({ count }) => count).filter((count) => count > 0)).to.deep.equal([3]);
        expect(buckets.at(-1)?.endMs).to.be.greaterThan(fromMs + length);
      }),
      { seed: drawSeed() },
    );
  });

  it('reads the view that it wrote', () => {
    const view = {
      ...explorerCodec.read(''),
      f: 'name = "a&b=c#d"',
      t: '7d' as const,
      cols: ['name', 'metrics/a,b'],
      sort: { column: 'metrics/cost', ascending: false },
      facets: 'off' as const,
    };
    expect(explorerCodec.read(explorerCodec.write(view))).to.deep.equal(view);
    expect(explorerCodec.write(explorerCodec.read(''))).to.equal('');
  });
});
