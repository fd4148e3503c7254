import { expect } from 'chai';
import { annotationTemplatesStream } from '../../command-api/facts/annotation-templates.js';
import { traceStream } from '../../command-api/facts/traces.js';
import { runStream } from '../../command-api/facts/runs.js';
import {
  applyRating,
  ratedTraces,
  type RatingAction,
  type Rater,
} from '../../command-api/ratings/ratings.js';
import { openRatedTraceCache, rateTraces } from '../../command-api/ratings/rate-traces.js';
import type { Constraints, TemplateFacts } from '../../contract/annotation-templates.js';
import type { Rating } from '../../contract/ratings.js';
import type { TraceEvent } from '../../events/traces.js';
import type { EventLog } from '../../kernel/ports.js';
import type { RunId, TraceId } from '../../kernel/schema-types.js';
import { authorAt, instantAfter, testLog, type TestLog } from '../support/test-log.js';
import { organization, projectId, templateId, userId } from '../support/access-events.js';

const project = projectId(1);
const run = 'eeeeeeee-0000-4000-8000-000000000001' as RunId;
const traceId = (number: number) =>
  `ffffffff-0000-4000-8000-${String(number).padStart(12, '0')}` as TraceId;
const logged = (trace: TraceId): TraceEvent => ({
  type: 'TraceLogged',
  data: {
    project_id: project,
    run_id: run,
    run_kind: 'log_stream',
    trace_id: trace,
    session_id: null,
    is_complete: true,
    logging_method: 'api_direct',
    trace: { type: 'trace', id: trace, created_at: instantAfter(0) },
    spans: [],
  },
});

const constraints: readonly Constraints[] = [
  { annotation_type: 'like_dislike' },
  { annotation_type: 'star' },
  { annotation_type: 'score', min: 2, max: 4 },
  { annotation_type: 'tags', tags: ['a', 'b'], allow_other: false },
  { annotation_type: 'tags', tags: ['a'], allow_other: true },
  { annotation_type: 'text' },
  { annotation_type: 'choice', choices: ['x', 'y'], allow_other: false },
  { annotation_type: 'choice', choices: ['x'], allow_other: true },
];
const facts = (number: number): TemplateFacts => ({
  id: templateId(number),
  name: `template ${number}`,
  include_explanation: true,
  criteria: null,
  constraints: constraints[number] ?? { annotation_type: 'star' },
  created_at: instantAfter(0),
  created_by: userId(1),
});
const rater = (user = 1): Rater => ({
  projectId: project,
  userId: userId(user),
  at: instantAfter(9),
  templates: new Map(constraints.map((_, at) => [templateId(at), facts(at)])),
});

const give = (
  template: number,
  rating: Rating,
  explanation: string | null = null,
): RatingAction => ({
  kind: 'create',
  template: templateId(template),
  rating,
  explanation,
});
const withdraw = (template: number): RatingAction => ({
  kind: 'delete',
  template: templateId(template),
});
const like = give(0, { annotation_type: 'like_dislike', value: true });
const dislike = give(0, { annotation_type: 'like_dislike', value: false });

const traceAfter = (...events: readonly TraceEvent[]) =>
  [logged(traceId(1)), ...events].reduce(ratedTraces.evolve, ratedTraces.initial);
/** Messages of the actions one after the other, and the events that they leave. */
const rated = (actions: readonly RatingAction[], by = rater()) => {
  let trace = traceAfter();
  const events: TraceEvent[] = [];
  const messages = actions.map((action) => {
    const { outcome, event } = applyRating(trace, traceId(1), action, by);
    if (event !== null) {
      events.push(event);
      trace = ratedTraces.evolve(trace, event);
    }
    return outcome.message;
  });
  return { messages, events };
};

describe('deciding on a rating', () => {
  it('records each of the six kinds, and nothing the second time', () => {
    const ratings: readonly RatingAction[] = [
      like,
      give(1, { annotation_type: 'star', value: 5 }, 'well done'),
      give(2, { annotation_type: 'score', value: 2 }),
      give(3, { annotation_type: 'tags', value: ['b', 'a', 'b'] }),
      give(4, { annotation_type: 'tags', value: ['other'] }),
      give(5, { annotation_type: 'text', value: 'words' }),
      give(6, { annotation_type: 'choice', value: 'y' }),
      give(7, { annotation_type: 'choice', value: 'other' }),
    ];
    const { messages, events } = rated([...ratings, ...ratings]);
    expect(messages).to.deep.equal([
      ...ratings.map(() => 'rating recorded'),
      ...ratings.map(() => 'rating unchanged'),
    ]);
    expect(events).to.have.length(ratings.length);
    expect(events[3]?.data).to.deep.include({ value: ['b', 'a'] });
    expect(events[1]?.data).to.deep.equal({
      project_id: project,
      trace_id: traceId(1),
      template_id: templateId(1),
      user_id: userId(1),
      annotation_type: 'star',
      value: 5,
      explanation: 'well done',
      given_at: instantAfter(9),
    });
  });

  it('refuses what the template does not take', () => {
    const refusals: readonly (readonly [RatingAction, string])[] = [
      [give(9, { annotation_type: 'star', value: 1 }), 'annotation template not found'],
      [withdraw(9), 'annotation template not found'],
      [
        give(0, { annotation_type: 'star', value: 1 }),
        'annotation type does not match the template',
      ],
      [
        give(2, { annotation_type: 'text', value: '3' }),
        'annotation type does not match the template',
      ],
      [
        give(2, { annotation_type: 'score', value: 1 }),
        'score is outside the range of the template',
      ],
      [
        give(2, { annotation_type: 'score', value: 5 }),
        'score is outside the range of the template',
      ],
      [give(3, { annotation_type: 'tags', value: ['a', 'c'] }), 'tag is not in the template'],
      [give(6, { annotation_type: 'choice', value: 'z' }), 'choice is not in the template'],
    ];
    const { messages, events } = rated(refusals.map(([action]) => action));
    expect(messages).to.deep.equal(refusals.map(([, message]) => message));
    expect(events).to.deep.equal([]);
  });

  it('finds no trace that was never logged, or is deleted', () => {
    const gone = traceAfter({
      type: 'TraceDeleted',
      data: { project_id: project, trace_id: traceId(1) },
    });
    for (const trace of [null, gone]) {
      const { outcome } = applyRating(trace, traceId(1), like, rater());
      expect(outcome).to.deep.equal({ success: false, message: 'trace not found' });
    }
  });

  it('replaces, withdraws, and does nothing when withdrawn again', () => {
    const { messages, events } = rated([like, dislike, withdraw(0), withdraw(0), like]);
    expect(messages).to.deep.equal([
      'rating recorded',
      'rating recorded',
      'rating withdrawn',
      'no rating to withdraw',
      'rating recorded',
    ]);
    expect(events.map(({ type }) => type)).to.deep.equal([
      'RatingGiven',
      'RatingGiven',
      'RatingWithdrawn',
      'RatingGiven',
    ]);
  });

  it('records another explanation as another rating of this user only', () => {
    const explained = give(0, { annotation_type: 'like_dislike', value: true }, 'because');
    expect(rated([like, explained, explained]).messages).to.deep.equal([
      'rating recorded',
      'rating recorded',
      'rating unchanged',
    ]);
    const { event } = applyRating(traceAfter(), traceId(1), like, rater(1));
    const theirs = event === null ? null : traceAfter(event);
    expect(applyRating(theirs, traceId(1), withdraw(0), rater(2)).outcome.message).to.equal(
      'no rating to withdraw',
    );
  });
});

describe('rating many traces', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
    await world.append(runStream(run), {
      type: 'LogStreamCreated',
      data: {
        run_id: run,
        project_id: project,
        organization_id: organization,
        name: 'run',
        created_by: userId(1),
        created_at: instantAfter(0),
      },
    });
    await world.append(
      annotationTemplatesStream(project),
      ...constraints.map((_, at) => {
        const { id, ...rest } = facts(at);
        const data = { project_id: project, organization_id: organization, template_id: id };
        return { type: 'AnnotationTemplateCreated', data: { ...data, ...rest } };
      }),
    );
    await world.appendFirst(
      [1, 2, 3].map((at) => [traceStream(project, traceId(at)), logged(traceId(at))]),
    );
  });
  afterEach(() => world.close());

  const rateAll = (
    numbers: readonly number[],
    actions: readonly RatingAction[],
    { log = world.log, user = 1, ratedTraces: traces = openRatedTraceCache(log) } = {},
  ) =>
    rateTraces(
      { log, ratedTraces: traces },
      {
        projectId: project,
        userId: userId(user),
        actions: new Map(numbers.map((at) => [traceId(at), actions])),
      },
      authorAt(),
    );
  const messagesOf = ({ traces }: Awaited<ReturnType<typeof rateAll>>) =>
    [...traces.values()].map(({ outcomes }) => outcomes.map(({ message }) => message));

  it('needs one append, and no append the next time', async () => {
    let appends = 0;
    const log: EventLog = {
      ...world.log,
      append: (batch) => {
        appends += 1;
        return world.log.append(batch);
      },
    };
    const first = await rateAll([1, 2, 3], [like, withdraw(0), like], { log });
    expect(messagesOf(first)).to.deep.equal(
      Array.from({ length: 3 }, () => ['rating recorded', 'rating withdrawn', 'rating recorded']),
    );
    const again = await rateAll([1, 2, 3], [like], { log });
    expect(messagesOf(again)).to.deep.equal(Array.from({ length: 3 }, () => ['rating unchanged']));
    expect(appends).to.equal(1);
    expect(again.position >= first.position).to.equal(true);
  });

  it('reads no texts of a trace, and only what is new of its ratings', async () => {
    const spans = Array.from({ length: 50 }, () => ({ type: 'SpansLogged', data: { spans: [] } }));
    await world.append(traceStream(project, traceId(1)), ...spans);
    let read: string[] = [];
    const log: EventLog = {
      ...world.log,
      portions: async function* (name, reading) {
        for await (const portion of world.log.portions(name, reading)) {
          if (name.startsWith('trace-')) read.push(...portion.map(({ type }) => type));
          yield portion;
        }
      },
    };
    const kept = openRatedTraceCache(log);
    const recorded = [['rating recorded']];
    expect(messagesOf(await rateAll([1], [like], { log, ratedTraces: kept }))).to.eql(recorded);
    expect(read).to.deep.equal(['TraceLogged']);
    read = [];
    const again = await rateAll([1], [like], { log, ratedTraces: kept, user: 2 });
    expect(messagesOf(again)).to.eql(recorded);
    expect(read).to.deep.equal(['RatingGiven']);
    await world.log.erase(traceStream(project, traceId(1)));
    const gone = await rateAll([1], [like], { log, ratedTraces: kept });
    expect(messagesOf(gone)).to.eql([['trace not found']]);
  });

  it('skips a trace that is unknown or was deleted with its run', async () => {
    expect(messagesOf(await rateAll([1, 9, 2], [like]))).to.deep.equal([
      ['rating recorded'],
      ['trace not found'],
      ['rating recorded'],
    ]);
    await world.append(runStream(run), {
      type: 'LogStreamDeleted',
      data: { run_id: run, project_id: project },
    });
    expect(messagesOf(await rateAll([1], [dislike]))).to.deep.equal([['trace not found']]);
  });

  it('loses no rating of many who rate the same traces at once', async () => {
    const users = Array.from({ length: 12 }, (_, at) => at + 1);
    const all = await Promise.all(users.map((user) => rateAll([1, 2, 3], [like], { user })));
    for (const one of all)
      expect(messagesOf(one).flat()).to.deep.equal(Array(3).fill('rating recorded'));
    const events = await world.eventsOf(traceStream(project, traceId(2)));
    expect(events).to.have.length(1 + users.length);
  });

  it('decides again after a lost race, and reports it when it loses every time', async () => {
    const racing = (losses: number): EventLog => ({
      ...world.log,
      append: async (batch) => {
        if (losses > 0) {
          losses -= 1;
          // Each time another rating, so that each time something is written.
          const words = `${losses} of ${batch.length}`;
          await rateAll([2], [give(5, { annotation_type: 'text', value: words })], { user: 7 });
        }
        return world.log.append(batch);
      },
    });
    expect(messagesOf(await rateAll([1, 2], [like], { log: racing(2) }))).to.deep.equal([
      ['rating recorded'],
      ['rating recorded'],
    ]);
    expect(messagesOf(await rateAll([1, 2], [dislike], { log: racing(9) }))).to.deep.equal([
      ['rating recorded'],
      ['changed at the same time, try again'],
    ]);
  });
});
