import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Column, FilterNode } from '../../../clients/typescript/src/generated/traces-types.js';
import type { FilterColumn } from '../../../console/language/catalogue.js';
import { canonicalTree } from '../../../console/language/canonical-tree.js';
import { treeLimitMessage, type FilterTree } from '../../../console/language/filter-tree.js';
import { parseFilter } from '../../../console/language/parse-filter.js';
import { printFilter } from '../../../console/language/print-filter.js';
import type { Filter } from '../../../kernel/filter.js';
import type { Population } from '../../../kernel/records/record.js';
import type { Json } from '../../../kernel/schema-types.js';
import { planFilter } from '../../../query-api/filters/plan.js';
import { runs } from '../../support/runs.js';
import { pick } from '../../support/record-generators.js';
import { drawSeed } from '../../support/test-environment.js';
import {
  contextOf,
  filterTexts,
  projectMetrics,
  projectTemplates,
  writtenTrees,
} from './filter-trees.js';

const populations = pick<Population>(['session', 'trace', 'span']);
const trees = populations.chain((population) =>
  fc.record({ population: fc.constant(population), written: writtenTrees(population) }),
);
const treesWithinLimits = trees
  .map(({ population, written }) => ({ population, written, tree: canonicalTree(written) }))
  .filter(({ tree }) => tree === null || treeLimitMessage(tree) === null);

const parse = (text: string, population: Population = 'trace') =>
  parseFilter(text, contextOf(population));
const treeOf = (text: string, population?: Population) => {
  const { tree, problems } = parse(text, population);
  expect(problems, text).to.deep.equal([]);
  return expect(tree, text);
};
const problemOf = (text: string, population?: Population) => {
  const { tree, problems } = parse(text, population);
  expect(tree, text).to.equal(null);
  expect(problems, text).to.have.length(1);
  const [{ at, length, message } = { at: -1, length: 0, message: '' }] = problems;
  return expect([text.slice(at, at + length), message], text);
};

/** Normal form of a tree in the service: no list of one. */
const planOf = (tree: unknown, population: Population) => {
  const { filter, complaints } = planFilter(
    { filter_tree: tree as Json },
    { population, types: new Map(Object.entries(projectMetrics)), templates: projectTemplates },
  );
  return { plan: filter && plain(filter), complaints };
};
const plain = (filter: Filter): Filter => {
  if ('all' in filter) return joined(filter.all.map(plain), (all) => ({ all }));
  if ('any' in filter) return joined(filter.any.map(plain), (any) => ({ any }));
  if ('not' in filter) return { not: plain(filter.not) };
  if ('some' in filter) return { ...filter, where: plain(filter.where) };
  // The empty set has no text whose case could count.
  const isEmptySet = filter.kind === 'collection' && filter.values.length === 0;
  return isEmptySet ? { ...filter, caseSensitive: true } : filter;
};
const joined = (nodes: readonly Filter[], join: (nodes: readonly Filter[]) => Filter): Filter => {
  const [first, ...others] = nodes;
  return first !== undefined && others.length === 0 ? first : join(nodes);
};

describe('the filter language', () => {
  const text = (name: string, operator: string, value: Json, rest = {}) => ({
    filter: { type: 'text', name, operator, value, ...rest },
  });
  const anyCase = { case_sensitive: false };

  it('parses what it prints to the same tree, for 10,000 trees (check 9)', () => {
    fc.assert(
      fc.property(treesWithinLimits, ({ population, tree }) => {
        const { me } = contextOf(population);
        const printed = printFilter(tree as FilterTree, me);
        const again = parseFilter(printed, contextOf(population));
        // Chai takes ten times as long, and shows what differs.
        if (isDeepStrictEqual(again, { tree, problems: [] })) return;
        expect(again, printed).to.deep.equal({ tree, problems: [] });
      }),
      { seed: drawSeed('filter trees'), numRuns: runs(10_000) },
    );
  });

  it('never throws and gives a tree or a place to mend, for 10,000 texts (check 9)', () => {
    const printed = treesWithinLimits.map(({ tree }) => printFilter(tree as FilterTree, null));
    fc.assert(
      fc.property(filterTexts(printed), populations, (written, population) => {
        const context = contextOf(population);
        const { tree, problems } = parseFilter(written, context);
        if (tree !== null) {
          expect(problems).to.deep.equal([]);
          const refused = planOf(tree, population).complaints.map(({ msg }) => msg);
          // A template without a rating in the window is not listed.
          expect(refused.filter((msg) => !/unknown column 'annotations/.test(msg))).to.be.empty;
          expect(parseFilter(printFilter(tree, null), context).tree).to.deep.equal(tree);
        } else if (written.trim() !== '') expect(problems).not.to.deep.equal([]);
        for (const { at, length, message } of problems) {
          expect(at >= 0 && length >= 0 && at + length <= written.length).to.equal(true);
          expect(message).to.match(/^\S[^]*[.?]$/);
        }
      }),
      { seed: drawSeed('filter texts'), numRuns: runs(10_000) },
    );
  });

  it('means with one spelling what the service reads in every spelling', () => {
    fc.assert(
      fc.property(treesWithinLimits, ({ population, written, tree }) => {
        const { plan, complaints } = planOf(written, population);
        expect(complaints).to.deep.equal([]);
        expect(planOf(tree, population).plan).to.deep.equal(plan);
      }),
      { seed: drawSeed('spellings of trees'), numRuns: runs(1_000) },
    );
  });

  it('takes the columns and makes the trees of the client', () => {
    const readable = (column: Column): FilterColumn => column;
    const sendable = (tree: FilterTree): FilterNode => tree;
    expect(sendable({ filter: { type: 'fully_annotated' } })).to.have.property('filter');
    expect(readable).to.be.a('function');
  });

  it('reads the filter of the guide', () => {
    treeOf(
      'input ~ "refund"i and not reward >= 0.5 and any span (type = tool and status_code >= 400)',
    ).to.deep.equal({
      and_: [
        text('input', 'contains', 'refund', anyCase),
        { not: { filter: { type: 'number', name: 'reward', operator: 'gte', value: 0.5 } } },
        {
          any_span: {
            and_: [
              text('type', 'eq', 'tool'),
              { filter: { type: 'number', name: 'status_code', operator: 'gte', value: 400 } },
            ],
          },
        },
      ],
    });
  });

  it('joins words by and, binds and before or, and looks for a bare word in three texts', () => {
    const word = (value: string) => ({
      or: ['input', 'output', 'name'].map((name) => text(name, 'contains', value, anyCase)),
    });
    treeOf('refund late').to.deep.equal({ and_: [word('refund'), word('late')] });
    treeOf('a OR b And not (c or 500)').to.deep.equal({
      or: [word('a'), { and_: [word('b'), { not: { or: [word('c'), word('500')] } }] }],
    });
    expect(printFilter(word('refund') as FilterTree, null)).to.equal('refund');
    expect(printFilter(word('not') as FilterTree, null)).to.equal(
      'input ~ "not"i or output ~ "not"i or name ~ "not"i',
    );
  });

  it('reads values by the filter type of their column', () => {
    treeOf('temperature = 0.2 .. 0.8', 'span').to.deep.equal({
      filter: { type: 'number', name: 'temperature', operator: 'between', value: [0.2, 0.8] },
    });
    treeOf('created_at > 2026-03-01 09:00').to.deep.equal({
      filter: {
        type: 'date',
        name: 'created_at',
        operator: 'gt',
        value: '2026-03-01T09:00:00.000000Z',
      },
    });
    treeOf('tags = {b, a}').to.deep.equal({
      filter: { type: 'collection', name: 'tags', operator: 'eq', value: ['b', 'a'] },
    });
    treeOf('name = 5').to.deep.equal(text('name', 'eq', '5'));
    treeOf('output ~ (a, "b c")').to.deep.equal(text('output', 'contains', ['a', 'b c']));
    treeOf('external_id is not empty').to.deep.equal({
      filter: { type: 'text', name: 'external_id', operator: 'is_null', value: false },
    });
    treeOf('`user_metadata/two words` not in (x)').to.deep.equal(
      text('user_metadata/two words', 'not_in', ['x']),
    );
    treeOf('annotated by (me)').to.deep.equal({
      filter: { type: 'fully_annotated', user_ids: [contextOf('trace').me] },
    });
    treeOf('`annotations/Issues found` in (late)').to.deep.equal({
      filter: {
        type: 'collection',
        name: 'annotations/Issues found',
        operator: 'one_of',
        value: ['late'],
      },
    });
  });

  it('reads errors of a metric, and `error` alone as a bare word', () => {
    const failed = (name: string, more: object = { operator: 'any' }) => ({
      filter: { type: 'error', name, ...more },
    });
    treeOf('error of toxicity').to.deep.equal(failed('toxicity'));
    treeOf('error of reward = 1003 or any span (Error OF `two words` in (1, -7))').to.deep.equal({
      or: [
        failed('reward', { operator: 'one_of', value: [1_003] }),
        { any_span: failed('two words', { operator: 'one_of', value: [1, -7] }) },
      ],
    });
    treeOf('error').to.have.property('or');
    treeOf('error late').to.have.property('and_').with.length(2);
    problemOf('error of').to.deep.equal(['', 'The filter is not complete: expected a metric.']);
    problemOf('error of input').to.deep.equal([
      'input',
      '`input` is another column: only metrics have evaluation errors.',
    ]);
    problemOf('error of rewrad').to.deep.equal([
      'rewrad',
      'Unknown column `rewrad` of traces. Did you mean `reward`?',
    ]);
    problemOf('error of reward = late').to.deep.equal([
      'late',
      'The code of an error is a whole number, such as 1003.',
    ]);
  });

  it('says where a text cannot be read, and what belongs there', () => {
    problemOf('input ~').to.deep.equal([
      '',
      'The filter is not complete: expected `(`, `{` or a value.',
    ]);
    problemOf('input ~ and x').to.deep.equal(['and', 'Expected `(`, `{` or a value, not `and`.']);
    problemOf('(input ~ x').to.deep.equal([
      '',
      'The filter is not complete: expected `..`, `and`, `or` or `)`.',
    ]);
    problemOf('a && b').to.deep.equal(['&', 'Write `and`.']);
    problemOf('input ~ "x').to.deep.equal(['"x', 'The closing quote is missing.']);
    problemOf(String.raw`input ~ "\d"`).to.deep.equal([
      String.raw`"\d"`,
      String.raw`A backslash stands before ", \, n, r, t or u{…}; write \\ for itself.`,
    ]);
    problemOf('inptu ~ x').to.deep.equal([
      'inptu',
      'Unknown column `inptu` of traces. Did you mean `input`?',
    ]);
    problemOf('model = a').to.deep.equal([
      'model',
      '`model` is a column of spans, and this is about traces. Write `any span (model …)`.',
    ]);
    problemOf('status_code ~ 4').to.deep.equal([
      '~',
      '`status_code` is a number and takes `>=`, `<=`, `>`, `<`, `=` or `!=`, not `~`.',
    ]);
    problemOf('status_code = "500"').to.deep.equal([
      '"500"',
      'A number stands here, without quotes.',
    ]);
    problemOf('name in ("a"i, "b")').to.deep.equal([
      '"b"',
      'An `i` stands behind each text of a list or none.',
    ]);
    problemOf('any trace (name = a)').to.deep.equal([
      'any trace',
      '`any trace` has no place among traces; they take `any span (…)`.',
    ]);
    expect(parse('model = a and status_code ~ 4').problems).to.have.length(2);
  });

  it('refuses what is deeper or larger than the service takes, with a sentence', () => {
    const not = (depth: number): string => (depth === 1 ? 'name = a' : `not (${not(depth - 1)})`);
    const some = (count: number): string => Array(count).fill('any span (name = a)').join(' or ');
    const all = (count: number): string => Array(count).fill('name = a').join(' ');
    for (const [most, more, message] of [
      [not(8), not(9), 'A filter is at most 8 levels deep, not 9.'],
      [all(99), all(100), 'A filter has at most 100 nodes, not 101; a bare word counts 4.'],
      [some(10), some(11), 'A filter has at most 10 conditions about spans or traces, not 11.'],
    ] as const) {
      expect(parse(most).problems).to.deep.equal([]);
      problemOf(more).to.deep.equal([more, message]);
    }
    const nested = 100_000;
    expect(parse('('.repeat(nested) + 'a' + ')'.repeat(nested)).problems[0]?.message).to.equal(
      'At most 64 parentheses stand inside each other.',
    );
    expect(parse('not '.repeat(nested)).problems).to.have.length(1);
    expect(parse('a '.repeat(nested)).problems).to.have.length(1);
  });
});
