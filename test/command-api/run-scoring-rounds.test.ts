import { join } from 'node:path';
import { expect } from 'chai';
import { traceStream } from '../../command-api/facts/traces.js';
import type { EventLog } from '../../kernel/ports.js';
import { textForm } from '../../kernel/records/text-form.js';
import { appendEvents } from '../../kernel/transact.js';
import { authorAt } from '../support/test-log.js';
import { projectId } from '../support/access-events.js';
import { inProcessSandbox, neverEnds } from '../support/sandboxes.js';
import { openScoringFixture, type ScoringFixture } from '../support/scoring-fixture.js';

const plain = 'def scorer_fn(*, node_output, **kwargs) -> str:\n    return node_output[:4]';
/** Scores every record, and then never ends. */
const hanging = `
def scorer_fn(**kwargs) -> str:
    return "a"
def aggregator_fn(*, scores) -> dict:
    ${neverEnds}
`;
/** Scores as `plain` does, where a test is about turns and not about the sandbox. */
const plainSandbox = inProcessSandbox(({ output }) => textForm(output)?.slice(0, 4) ?? null);
/** Several records have long enough for a process to begin on a busy machine, one has longer. */
const budgets = { batchMs: 3_000, recordMs: 20_000, turnMs: 500, vainMs: 6_000 };

describe('scoring beside an overloaded project', function () {
  let world: ScoringFixture;
  beforeEach(async () => {
    world = await openScoringFixture();
  });
  afterEach(() => world.close());

  it('reaches an innocent trace after one process of a scorer that hangs', async () => {
    const [bad, good] = [await world.scorer('bad', hanging), await world.scorer('good', plain)];
    const [attacked, quiet] = [await world.run(1, [bad]), await world.run(2, [good])];
    const hung = [];
    for (let number = 0; number < 40; number += 1) hung.push(await world.trace(1, attacked, 'x'));
    const innocent = await world.trace(2, quiet, 'fine');
    world.startWorker({ atOnce: 1, budgets });
    expect(await world.untilScored(2, innocent, 'good')).to.deep.equal({ good: 'fine' });
    for (const trace of hung) expect(await world.scoresOf(1, trace)).to.deep.equal({});
    // And none of those waits for ever.
    for (const trace of hung) {
      const scores = await world.untilScored(1, trace, 'bad');
      expect(scores).to.deep.include({ bad: null, bad_ems_error_code: 1_003 });
    }
    const late = await world.trace(1, attacked, 'later');
    const { bad_error_message: message } = await world.untilScored(1, late, 'bad');
    expect(message).to.match(/^not run: /);
    expect(world.errors).to.deep.equal([]);
  });

  it('scores the other records when one is too large for any process', async () => {
    await world.close();
    world = await openScoringFixture({ inputBytes: 100_000 });
    const run = await world.run(1, [await world.scorer('good', plain)]);
    const small = [];
    for (let number = 0; number < 4; number += 1) {
      small.push(await world.trace(1, run, 'fine'.repeat(10_000)));
    }
    const huge = await world.trace(1, run, 'x'.repeat(200_000));
    const last = await world.trace(1, run, 'fine');
    world.startWorker({ budgets: { stepsTextMax: 60_000 } });
    for (const trace of [...small, last]) {
      expect(await world.untilScored(1, trace, 'good')).to.deep.equal({ good: 'fine' });
    }
    expect(await world.untilScored(1, huge, 'good')).to.include({ good_ems_error_code: 1_003 });
  });

  it('keeps scores of other traces when one changes all the time', async () => {
    const run = await world.run(1, [await world.scorer('good', plain)]);
    const restless = await world.trace(1, run, 'rest');
    const others = [await world.trace(1, run, 'one '), await world.trace(1, run, 'two ')];
    const { log } = world;
    const stream = traceStream(projectId(1), restless);
    let changes = 0;
    // Somebody is always quicker, until the others are scored.
    const racing: EventLog['append'] = async (batch) => {
      const isScore = batch.some((one) => one.stream === stream);
      if (isScore && !('good' in (await world.scoresOf(1, others[1] ?? restless)))) {
        changes += 1;
        const next = (await log.read(stream)).length;
        const data = {
          project_id: projectId(1),
          trace_id: restless,
          changes: { tags: [`${next}`] },
        };
        const event = { type: 'TraceUpdated', data };
        await appendEvents(log, [{ stream, expected: next - 1, events: [event] }], authorAt());
      }
      return log.append(batch);
    };
    world.startWorker({ sandbox: plainSandbox, log: { ...log, append: racing } });
    for (const [at, trace] of others.entries()) {
      expect(await world.untilScored(1, trace, 'good')).to.deep.equal({
        good: ['one ', 'two '][at],
      });
    }
    expect(await world.untilScored(1, restless, 'good')).to.deep.equal({ good: 'rest' });
    expect(changes).to.be.greaterThan(3);
    expect(world.errors).to.deep.equal([]);
  });

  it('gives a scorer the scores that it requires, even those of another round', async () => {
    const first = await world.scorer('first', plain);
    const second = await world.scorer('second', '# what the first made of it', ['first']);
    const sandbox = inProcessSandbox(({ output, required_scores: required }, source) =>
      source === plain ? textForm(output) : textForm(required['first']),
    );
    const run = await world.run(1, [second, first]);
    const traces = [];
    for (let number = 0; number < 6; number += 1) {
      traces.push(await world.trace(1, run, `${number}000`));
    }
    // A turn is one process of two records.
    world.startWorker({ sandbox, budgets: { turnMs: 0, stepsMax: 2 } });
    for (const [number, trace] of traces.entries()) {
      expect(await world.untilScored(1, trace, 'second')).to.include({ second: `${number}000` });
    }
  });

  it('is done by one of several workers, and by another when that one dies', async () => {
    const run = await world.run(1, [await world.scorer('good', plain)]);
    const first = world.startWorker({ sandbox: plainSandbox, worker: 'first' });
    const before = await world.trace(1, run, 'one ');
    expect(await world.untilScored(1, before, 'good')).to.deep.equal({ good: 'one ' });
    const path = join(world.dir, 'another bookmark');
    world.startWorker({ sandbox: plainSandbox, worker: 'second', path });
    await first.stop();
    const after = await world.trace(1, run, 'two ');
    expect(await world.untilScored(1, after, 'good')).to.deep.equal({ good: 'two ' });
    for (const trace of [before, after]) {
      const events = await world.eventsOf(traceStream(projectId(1), trace));
      expect(events.filter(({ type }) => type === 'ScoresRecorded')).to.have.length(1);
    }
    expect(world.errors).to.deep.equal([]);
  });
});
