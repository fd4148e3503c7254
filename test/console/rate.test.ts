import { expect } from 'chai';
import * as fc from 'fast-check';
import type {
  AnnotationTemplate,
  Constraints,
  RatingOperation,
  RatingResult,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';
import {
  draftAfter,
  draftProblems,
  ownRatings,
  ratingBatches,
  ratingOperations,
  refusedOperations,
  undoOperations,
  type FieldDraft,
  type RatingDraft,
} from '../../console/rate/draft.js';
import {
  ownOffset,
  progressText,
  queueFrom,
  queueWithPage,
  tracesToRate,
  type RatingQueue,
} from '../../console/rate/queue.js';
import { runText } from '../../console/parts/record-scope.js';
import { ratingAfterKey } from '../../console/rate/rating-keys.js';
import {
  emptySession,
  unsavedRatings,
  withDraft,
  withFailedTrace,
  withFailure,
  withoutSkips,
  withStep,
  withUndo,
  type RatingStep,
} from '../../console/rate/session.js';
import { inOrder, movedTo, typedConstraints } from '../../console/templates/model.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';

const star = (value: number): RatingValue => ({ annotation_type: 'star', value });
const text = (value: string): RatingValue => ({ annotation_type: 'text', value });
const field = (rating: RatingValue | null, explanation = ''): FieldDraft => ({
  rating,
  explanation,
});

/** The value after keys one after the other, as the form gives them. */
const afterKeys = (constraints: Constraints, keys: readonly string[]): unknown => {
  let value: RatingValue | null = null;
  let isContinued = false;
  for (const key of keys) {
    const next = ratingAfterKey(constraints, { value, isContinued }, key);
    if (next !== undefined) value = next;
    isContinued = /^\d$/.test(key);
  }
  return value?.value;
};

describe('the keys of a rating', () => {
  it('give stars and withdraw them', () => {
    const constraints = { annotation_type: 'star' } as const;
    expect(afterKeys(constraints, ['4'])).to.equal(4);
    expect(afterKeys(constraints, ['7'])).to.equal(undefined);
    expect(afterKeys(constraints, ['5', 'ArrowRight', 'ArrowLeft'])).to.equal(4);
    expect(afterKeys(constraints, ['3', '0'])).to.equal(undefined);
    expect(afterKeys(constraints, ['3', 'Backspace'])).to.equal(undefined);
  });

  it('write a score by digits, and step within its bounds', () => {
    const constraints = { annotation_type: 'score', min: 0, max: 10 } as const;
    expect(afterKeys(constraints, ['7'])).to.equal(7);
    expect(afterKeys(constraints, ['1', '0'])).to.equal(10);
    expect(afterKeys(constraints, ['7', '1'])).to.equal(1);
    expect(afterKeys(constraints, ['0'])).to.equal(0);
    expect(afterKeys(constraints, ['1', 'ArrowRight', '0'])).to.equal(0);
    expect(afterKeys(constraints, ['ArrowLeft', 'ArrowRight'])).to.equal(10);
  });

  it('choose options and toggle tags by their number', () => {
    const labels = ['late', 'rude'];
    const choice = { annotation_type: 'choice', choices: labels, allow_other: false } as const;
    const tags = { annotation_type: 'tags', tags: labels, allow_other: false } as const;
    expect(afterKeys({ annotation_type: 'like_dislike' }, ['2'])).to.equal(false);
    expect(afterKeys(choice, ['2'])).to.equal('rude');
    expect(afterKeys(choice, ['ArrowRight', 'ArrowRight', 'ArrowRight'])).to.equal('rude');
    expect(afterKeys(choice, ['3'])).to.equal(undefined);
    expect(afterKeys(tags, ['2', '1'])).to.deep.equal(['rude', 'late']);
    expect(afterKeys(tags, ['2', '2'])).to.equal(undefined);
    expect(afterKeys({ annotation_type: 'text' }, ['1', 'ArrowLeft'])).to.equal(undefined);
  });
});

const templateIds = ['a', 'b', 'c', 'd'];
const drafts: fc.Arbitrary<RatingDraft> = fc
  .array(
    fc.record({
      id: fc.constantFrom(...templateIds),
      rating: fc.option(fc.integer({ min: 1, max: 5 }).map(star), { nil: null }),
      explanation: fc.constantFrom('', 'why'),
    }),
  )
  .map((list) =>
    Object.fromEntries(
      list.map(({ id, rating, explanation }) => [
        id,
        field(rating, rating === null ? '' : explanation),
      ]),
    ),
  );

/** The ratings that the service holds, with their explanations. */
const held = (draft: RatingDraft): unknown =>
  Object.fromEntries(Object.entries(draft).filter(([, { rating }]) => rating !== null));

describe('the draft of ratings', () => {
  it('is reached by its operations, and left again by their undo', () => {
    fc.assert(
      fc.property(drafts, drafts, (before, edited) => {
        const draft = { ...before, ...edited };
        const operations = ratingOperations(before, draft);
        expect(held(draftAfter(before, operations))).to.deep.equal(held(draft));
        const undone = draftAfter(draft, undoOperations(before, operations));
        expect(held(undone)).to.deep.equal(held(before));
        expect(ratingOperations(draft, draft)).to.deep.equal([]);
      }),
      { seed: drawSeed(), numRuns: runs(100) },
    );
  });

  it('reads the ratings of the caller alone', () => {
    const annotations = {
      a: { me: { ...star(3), explanation: null }, other: { ...star(1), explanation: 'no' } },
      b: { other: { ...text('x'), explanation: null } },
    };
    expect(ownRatings(annotations, 'me')).to.deep.equal({ a: field(star(3)) });
  });

  it('names what cannot be saved', () => {
    const score = { id: 'a', constraints: { annotation_type: 'score', min: 2, max: 4 } } as const;
    const problem = (entry: FieldDraft): string | undefined =>
      draftProblems([score], { a: entry })['a'];
    const rated = (value: number) => field({ annotation_type: 'score', value });
    expect(problem(rated(4))).to.equal(undefined);
    expect(problem(rated(5))).to.equal('It takes a whole number from 2 to 4');
    expect(problem(rated(2.5))).to.equal('It takes a whole number from 2 to 4');
    expect(problem(field(null, 'because'))).to.match(/an explanation belongs to a rating/);
  });

  it('sends at most 20 operations a request, and finds the refused ones', () => {
    const before = {};
    const draft = Object.fromEntries(
      Array.from({ length: 41 }, (_field, index) => [`t${index}`, field(text(' x '))]),
    );
    const batches = ratingBatches(ratingOperations(before, draft));
    expect(batches.map(({ length }) => length)).to.deep.equal([20, 20, 1]);
    expect(batches[0]?.[0]?.rating?.value).to.equal('x');
    const result = { operation: 'create', selector: 'traces', trace: 'x' } as const;
    const results: readonly RatingResult[] = [
      { ...result, index: 0, success: true, message: 'rating recorded' },
      { ...result, index: 3, success: false, message: 'annotation template not found' },
    ];
    expect(refusedOperations(batches[1] ?? [], results)).to.deep.equal([
      { templateId: 't23', message: 'annotation template not found' },
    ]);
  });
});

/** Reads the whole queue of a service whose traces are never rated. */
const wholeQueue = (ids: readonly string[], offset: number, pageSize: number): RatingQueue => {
  let queue = queueFrom(offset);
  for (let pages = 0; queue.next !== null; pages++) {
    expect(pages).to.be.lessThan(ids.length + 3);
    const start =
      'after' in queue.next ? ids.indexOf(queue.next.after) + 1 : queue.next.starting_token;
    const page = ids.slice(start, start + pageSize);
    queue = queueWithPage(queue, {
      ids: page,
      lastId: page.at(-1) ?? null,
      hasMore: start + pageSize < ids.length,
    });
  }
  return queue;
};

describe('the queue of traces to rate', () => {
  it('says which log streams and experiments it is of, in the words of the contract', () => {
    const id = '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20';
    const kinds = ['', `log_stream:${id}`, `experiment:${id}`, `metrics_testing:${id}`];
    expect(kinds.map(runText)).to.deep.equal([
      'All log streams and experiments',
      'One log stream',
      'One experiment',
      'One validation',
    ]);
  });

  it('has each trace once, from its offset around to it', () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.nat(45),
        fc.integer({ min: 1, max: 20 }),
        (length, offset, size) => {
          const ids = Array.from({ length }, (_id, index) => `t${index}`);
          const { ids: read } = wholeQueue(ids, offset, size);
          expect([...read].sort()).to.deep.equal([...ids].sort());
          expect(read).to.deep.equal([...ids.slice(offset), ...ids.slice(0, offset)]);
        },
      ),
      { seed: drawSeed(), numRuns: runs(100) },
    );
  });

  it('shows the first trace that is not done, and fetches two ahead', () => {
    const ids = ['b', 'a', 'b', 'c', 'd', 'e'];
    expect(tracesToRate(ids, new Set(['a']), 3)).to.deep.equal(['b', 'c', 'd']);
    expect(tracesToRate(ids, new Set(ids), 3)).to.deep.equal([]);
  });

  it('begins elsewhere for each person, and at the same place for one', () => {
    const one = '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20';
    const other = '5c0d9d8e-1f0a-4a53-9d4b-3f1fea1f7a20';
    expect(ownOffset(one, 214)).to.equal(ownOffset(one, 214));
    expect(ownOffset(one, 214)).to.not.equal(ownOffset(other, 214));
    expect(ownOffset(one, 0)).to.equal(0);
    expect(ownOffset('ffffffff-ffff-4fff-bfff-ffffffffffff', 214)).to.equal(213);
    expect(progressText(12, 1_214)).to.equal('12 of 1,214 left');
    expect(progressText(undefined, undefined)).to.equal('… of … left');
  });
});

const creation = (id: string, value: number): RatingOperation => ({
  operation_type: 'create',
  annotation_template_id: id,
  rating: star(value),
  explanation: null,
});
const step = (traceId: string, operations: readonly RatingOperation[]): RatingStep => ({
  traceId,
  name: traceId,
  before: { a: field(star(1)) },
  draft: { a: field(star(5)), b: field(star(2)) },
  operations,
});
const saved = step('x', [creation('a', 5), creation('b', 2)]);

describe('the session of rating', () => {
  it('takes a save back to its trace, edited as it was', () => {
    const left = withStep(emptySession, saved);
    expect([...left.saved]).to.deep.equal(['x']);
    expect(left.given.get('x')).to.deep.equal(saved.draft);
    const back = withUndo(withUndo(withStep(left, step('y', []))));
    expect([...back.saved, ...back.skipped]).to.deep.equal([]);
    expect(back.returned).to.deep.equal(['x', 'y']);
    expect(back.given.get('x')).to.deep.equal(saved.before);
    expect(back.drafts.get('x')).to.deep.equal(saved.draft);
    expect(withUndo(back)).to.equal(back);
  });

  it('holds what would be lost with the tab: edits and failed saves', () => {
    expect(unsavedRatings(withStep(emptySession, saved))).to.equal(null);
    const edited = withDraft(emptySession, 'x', saved.draft);
    expect(unsavedRatings(edited)?.drafts.size).to.equal(1);
    expect(unsavedRatings(withStep(edited, step('x', [])))).to.equal(null);
    const failure = { step: saved, refused: [], reason: 'The service does not answer' };
    const failed = withFailure(withStep(emptySession, saved), failure);
    expect(unsavedRatings(failed)?.failed).to.deep.equal([failure]);
  });

  it('keeps skips until they are shown again', () => {
    const left = withStep(emptySession, step('y', []));
    expect([...left.skipped]).to.deep.equal(['y']);
    expect(withoutSkips(left).skipped.size).to.equal(0);
  });

  it('knows what is given when a part was refused', () => {
    const left = withStep(emptySession, saved);
    const refused = [{ templateId: 'b', message: 'annotation template not found' }];
    const failure = { step: saved, refused, reason: null };
    const after = withFailure(left, failure);
    expect(after.failed).to.deep.equal([failure]);
    expect(after.given.get('x')).to.deep.equal({ a: field(star(5)) });
    const back = withFailedTrace(after, failure);
    expect(back.failed).to.deep.equal([]);
    expect(back.steps).to.deep.equal([]);
    expect(back.returned).to.deep.equal(['x']);
    expect(withFailure(withUndo(left), failure).failed).to.deep.equal([]);
  });
});

describe('templates', () => {
  it('have constraints that the service takes', () => {
    const draft = { kind: 'score', min: '0', max: '10', labels: '', allowsOther: true } as const;
    expect(typedConstraints(draft)).to.deep.equal({
      constraints: { annotation_type: 'score', min: 0, max: 10 },
    });
    expect(typedConstraints({ ...draft, min: '11' })).to.deep.equal({
      problem: 'The lowest score first',
    });
    expect(typedConstraints({ ...draft, max: '1.5' })).to.have.property('problem');
    expect(typedConstraints({ ...draft, kind: 'tags' })).to.have.property('problem');
    expect(typedConstraints({ ...draft, kind: 'choice', labels: ' a \n\nb\na' })).to.deep.equal({
      constraints: { annotation_type: 'choice', choices: ['a', 'b'], allow_other: true },
    });
  });

  it('move to any place of their order, and nowhere beyond it', () => {
    expect(movedTo(['a', 'b', 'c'], 'a', 1)).to.deep.equal(['b', 'a', 'c']);
    expect(movedTo(['a', 'b', 'c'], 'a', 9)).to.deep.equal(['b', 'c', 'a']);
    expect(movedTo(['a', 'b', 'c'], 'c', -1)).to.deep.equal(['c', 'a', 'b']);
    const items: readonly Pick<AnnotationTemplate, 'id'>[] = [{ id: 'a' }, { id: 'b' }];
    expect(inOrder(items, ['b'])).to.deep.equal([{ id: 'b' }, { id: 'a' }]);
  });
});
