import { expect } from 'chai';
import { sha256 } from '../../../engines/node/digest.js';
import { systemClock } from '../../../engines/node/clock.js';
import type { Event, StoredEvent, StreamName } from '../../../kernel/ports.js';
import { toChainedEvent } from '../../../ledger/chain/chained-event.js';
import type { ChainEntry } from '../../../ledger/chain/entries.js';
import { historyChanges } from '../../../ledger/reads/entry-changes.js';
import { instantAfter, testLog, type TestLog } from '../../support/test-log.js';
import { organization, userId } from '../../support/access-events.js';
import { uuid } from '../../support/record-generators.js';

const project = uuid(1, 1);
const traceStream = (trace: string) => `trace-${project}-${trace}` as StreamName;

const logged = (trace: string, spans: number): Event => ({
  type: 'TraceLogged',
  data: {
    project_id: project,
    run_id: uuid(2, 1),
    run_kind: 'log_stream',
    trace_id: trace,
    session_id: null,
    is_complete: true,
    logging_method: 'api',
    trace: { type: 'trace', id: trace, created_at: instantAfter(0), input: 'hello' },
    spans: Array.from({ length: spans }, (_, at) => ({
      type: 'tool',
      id: uuid(4, at),
      parent_id: trace,
      created_at: instantAfter(0),
    })),
  },
});
const rated = (trace: string, value: boolean): Event => ({
  type: 'RatingGiven',
  data: {
    project_id: project,
    trace_id: trace,
    template_id: uuid(6, 1),
    user_id: userId(1),
    annotation_type: 'like_dislike',
    value,
    explanation: null,
    given_at: instantAfter(0),
  },
});

const unasked = (): never => {
  throw new Error('entries are told of no date-time');
};

const entryOf = (event: StoredEvent, seq: number): ChainEntry => ({
  ...toChainedEvent(event, organization),
  seq,
  position: event.position,
  resource: { type: 'trace', id: event.stream.slice(-36) },
  projectId: project,
  technical: false,
  prevHash: '',
  hash: '',
});

describe('changes shown by the history', () => {
  let world: TestLog;
  before(async () => {
    world = await testLog();
  });
  after(() => world.close());
  const answers = (clock = systemClock, processorMs = () => 0) =>
    historyChanges({ log: world.log, clock, processorMs, sha256, positionOf: unasked });
  const entriesOf = async (trace: string): Promise<readonly ChainEntry[]> =>
    (await world.log.read(traceStream(trace))).map((event, at) => entryOf(event, at + 1));
  const { signal } = new AbortController();

  it('end a page early where folding is expensive, and continue on the next', async () => {
    const trace = uuid(3, 1);
    const ratings = Array.from({ length: 40 }, (_, at) => rated(trace, at % 2 === 0));
    await world.append(traceStream(trace), logged(trace, 2_600), ...ratings);
    const entries = await entriesOf(trace);
    for (const asked of [entries, [...entries].reverse()]) {
      let pages = 0;
      const told = [];
      while (told.length < asked.length) {
        const some = await answers().changesOf(asked.slice(told.length), signal);
        expect(some.length).to.be.within(1, 40);
        told.push(...some);
        pages += 1;
      }
      expect(pages).to.be.within(2, 10);
      expect(told.filter(({ before }) => before === null)).to.have.length(1);
      const changes = told.flatMap(({ after }) => Object.keys(after ?? {}));
      expect(changes.filter((name) => name === 'annotations')).to.have.length(41);
    }
  });

  it('fill a page by their work, on a machine whose processors others use', async () => {
    const traces = Array.from({ length: 20 }, (_, at) => uuid(5, at));
    for (const trace of traces) await world.append(traceStream(trace), logged(trace, 1));
    const entries = (await Promise.all(traces.map(entriesOf)))
      .flat()
      .map((one, at) => ({ ...one, seq: at + 1 }));
    let passed = 0;
    const stepping = (stepMs: number) => () => (passed += stepMs);
    const clock = (stepMs: number) => ({ ...systemClock, milliseconds: stepping(stepMs) });
    const count = async (...times: Parameters<typeof answers>) =>
      (await answers(...times).changesOf(entries, signal)).length;
    // Each trace takes 200 ms of waiting for a processor.
    expect(await count(clock(100))).to.equal(20);
    expect(await count(clock(0), stepping(400))).to.be.within(1, 8);
    expect(await count(clock(2_000))).to.be.within(1, 3);
  });

  it('leave out an event that cannot be folded, and show the others', async () => {
    const [odd, sound] = [uuid(3, 2), uuid(3, 3)];
    await world.append(traceStream(odd), logged(odd, 1), rated(uuid(3, 9), true));
    await world.append(traceStream(sound), logged(sound, 1), rated(sound, true));
    const entries = [...(await entriesOf(odd)), ...(await entriesOf(sound))].map((one, at) => ({
      ...one,
      seq: at + 1,
    }));
    const told = await answers().changesOf(entries, signal);
    expect(told.map(({ after, erased }) => [after === null, erased])).to.deep.equal([
      [true, false],
      [true, false],
      [false, false],
      [false, false],
    ]);
  });
});
