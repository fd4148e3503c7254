import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import {
  soleWriterAfterMs,
  lateReadWindowMs,
  openIngestBackpressure,
  stalledAfterMs,
  type FinishAppend,
  type IngestBackpressure,
} from '../../kernel/ingest-backpressure.js';
import { withIngestBackpressure, appendWaitMaxMs } from '../../kernel/backpressured-log.js';
import { logStart, type EventLog, type Position, type StreamAppend } from '../../kernel/ports.js';
import { newEvent } from '../support/projector.js';
import { positionAt } from '../support/record-rows.js';
import { projectId, traceStream } from '../support/random-trace-logs.js';

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Time passes only when it is told to. */
const handClock = () => {
  let now = 0;
  const waits = new Set<{ readonly until: number; readonly resolve: () => void }>();
  return {
    milliseconds: () => now,
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        waits.add({ until: now + ms, resolve });
      }),
    pass: async (ms: number): Promise<void> => {
      for (const end = now + ms; now < end;) {
        now = Math.min(end, now + 100);
        for (const one of waits) {
          if (one.until > now) continue;
          waits.delete(one);
          one.resolve();
        }
        await settled();
      }
    },
  };
};

describe('ingest backpressure', () => {
  let clock: ReturnType<typeof handClock>;
  let readable: Position;
  /** True: reads of the projected position never resolve. */
  let isSilent: boolean;
  let pace: IngestBackpressure;
  let begun: string[];
  let waited: number[];
  beforeEach(async () => {
    clock = handClock();
    readable = logStart;
    isSilent = false;
    begun = [];
    waited = [];
    pace = openIngestBackpressure({
      clock,
      projectedPosition: () =>
        isSilent ? new Promise(() => undefined) : Promise.resolve(readable),
      onWait: (ms) => waited.push(ms),
      weightMax: { besideLateReads: 3, among: 10, alone: 30 },
    });
    // Another project logs too, all of it projected at once.
    await logs('neighbour', 0, 0);
    begun = [];
  });
  const begins = async (
    project: string,
    weight: number,
    signal?: AbortSignal,
    atMostMs = appendWaitMaxMs,
  ): Promise<FinishAppend> => {
    const end = await pace.admitAppend(project, weight, {
      atMostMs,
      ...(signal && { signal }),
    });
    begun.push(project);
    return end;
  };
  const logs = async (project: string, weight: number, at: number): Promise<void> => {
    const end = await begins(project, weight);
    end(positionAt(at));
  };
  const reads = async (at: number): Promise<void> => {
    readable = positionAt(at);
    pace.checkProgress();
    await settled();
  };

  it('delays a project with too many unprojected bytes, and no other', async () => {
    await logs('heavy', 10, 1);
    const next = [logs('heavy', 6, 2), logs('heavy', 6, 3), logs('heavy', 6, 4)];
    await settled();
    expect(begun).to.deep.equal(['heavy']);
    await logs('other', 1, 5);
    expect(begun).to.deep.equal(['heavy', 'other']);
    await reads(1);
    expect(begun, 'as many as there is room for').to.have.length(3);
    await reads(2);
    expect(begun).to.have.length(4);
    await reads(5);
    expect(begun).to.have.length(5);
    await Promise.all(next);
    expect(waited).to.deep.equal([0, 0, 0]);
  });

  it('admits an append above the limit once nothing is unprojected, and not before', async () => {
    await logs('heavy', 1, 1);
    await logs('heavy', 1, 2);
    const next = [logs('heavy', 20, 3), logs('heavy', 1, 4)];
    await reads(1);
    expect(begun, 'the small one waits in turn').to.have.length(2);
    await reads(2);
    expect(begun).to.have.length(3);
    await reads(3);
    await Promise.all(next);
  });

  it('reduces the limit while reads of another project are late, and for 2 s after', async () => {
    await logs('heavy', 3, 1);
    pace.recordLateRead('heavy');
    await logs('heavy', 3, 2);
    expect(begun, 'its own reads are its own').to.have.length(2);
    pace.recordLateRead('other');
    pace.recordLateRead('heavy');
    const next = [logs('heavy', 2, 3), logs('heavy', 2, 4)];
    await reads(1);
    expect(begun).to.have.length(2);
    await reads(2);
    expect(begun).to.have.length(3);
    await reads(3);
    await Promise.all(next);
    await clock.pass(lateReadWindowMs);
    await logs('heavy', 8, 5);
    expect(begun, 'two and eight are within ten').to.have.length(5);
  });

  it('counts running appends, and not failed ones', async () => {
    const end = await begins('heavy', 10);
    const next = logs('heavy', 1, 1);
    await settled();
    expect(begun).to.deep.equal(['heavy']);
    end(null);
    await next;
    expect(begun).to.have.length(2);
  });

  it('admits without any notification, by polling', async () => {
    await logs('heavy', 10, 1);
    const next = logs('heavy', 1, 2);
    readable = positionAt(1);
    await clock.pass(100);
    await next;
  });

  it('admits everything while the read model is stalled', async () => {
    await logs('heavy', 10, 1);
    const next = [logs('heavy', 10, 2), logs('heavy', 10, 3)];
    await clock.pass(stalledAfterMs - 100);
    expect(begun).to.have.length(1);
    await clock.pass(200);
    await Promise.all(next);
    await logs('heavy', 10, 4);
    expect(begun, 'nobody waits once it is known').to.have.length(4);
    await reads(2);
    void begins('heavy', 1);
    await settled();
    expect(begun, 'it moves again').to.have.length(4);
  });

  it('delays no append beyond its limit, however slow the progress', async () => {
    for (let at = 1; at < 10; at += 1) await logs('heavy', 1, at);
    const last = logs('heavy', 10, 101);
    for (let at = 1; at < 7; at += 1) {
      await clock.pass(1_000);
      await logs('neighbour', 0, 0);
      await reads(at);
    }
    await last;
    expect(waited).to.have.length(1);
    expect(waited[0]).to.be.within(appendWaitMaxMs, appendWaitMaxMs + 100);
  });

  it('applies time limits while the store does not answer', async () => {
    await logs('heavy', 10, 1);
    isSilent = true;
    const next = [begins('heavy', 10, undefined, 500), begins('heavy', 10)];
    await clock.pass(400);
    expect(begun).to.have.length(1);
    await clock.pass(100);
    expect(begun, 'one may wait no longer').to.have.length(2);
    await clock.pass(stalledAfterMs);
    expect(begun, 'nothing becomes readable').to.have.length(3);
    await Promise.all(next);
  });

  it('raises the limit of the only writing project, until another one writes', async () => {
    await clock.pass(soleWriterAfterMs);
    await logs('heavy', 15, 1);
    await logs('heavy', 15, 2);
    const next = [logs('heavy', 5, 3), logs('heavy', 5, 4)];
    await settled();
    expect(begun).to.have.length(2);
    await reads(1);
    await Promise.all(next);
    await logs('neighbour', 1, 5);
    const held = logs('heavy', 1, 6);
    await reads(2);
    expect(begun, 'fifteen are more than ten').to.have.length(5);
    await reads(3);
    expect(begun).to.have.length(6);
    await held;
  });

  it('admits everything after stop', async () => {
    await logs('heavy', 10, 1);
    const next = logs('heavy', 10, 2);
    pace.stop();
    await next;
    await logs('heavy', 10, 3);
  });

  it('forgets cancelled appends', async () => {
    await logs('heavy', 10, 1);
    const leaving = new AbortController();
    const gone = begins('heavy', 10, leaving.signal).catch((error: unknown) => error);
    const stays = logs('heavy', 1, 2);
    await settled();
    leaving.abort(new Fault('unavailable', 'The client is gone'));
    expect(await gone).to.include({ code: 'unavailable' });
    await reads(1);
    await stays;
    expect(begun).to.have.length(2);
  });
});

describe('a log with ingest backpressure', () => {
  const streamOf = (number: number, bytes: number): StreamAppend => ({
    stream: traceStream(number),
    expected: 'none',
    events: [newEvent('TraceLogged', 'x'.repeat(bytes))],
  });
  /** Counts up; streams without events are a conflict. */
  const counting = () => {
    const batches: (readonly StreamAppend[])[] = [];
    let last = 0;
    const log = {
      append: async (batch: readonly StreamAppend[]) => {
        batches.push(batch);
        return batch.map(({ events }) =>
          events.length === 0 ? 'conflict' : { position: positionAt((last += events.length)) },
        );
      },
    } as unknown as EventLog;
    return { log, batches };
  };
  const opened = (signal?: AbortSignal) => {
    const { log, batches } = counting();
    const asked: { project: string; weight: number; atMostMs: number }[] = [];
    const ended: (Position | null)[] = [];
    const pace: IngestBackpressure = {
      admitAppend: async (project, weight, { atMostMs }) => {
        asked.push({ project, weight, atMostMs });
        return (position) => ended.push(position);
      },
      recordLateRead: () => undefined,
      checkProgress: () => undefined,
      stop: () => undefined,
    };
    const paced = withIngestBackpressure(log, {
      backpressure: () => pace,
      currentContext: () => (signal === undefined ? {} : { signal }),
      weightOf: (data) => String(data).length,
    });
    return { paced, batches, asked, ended };
  };

  it('appends a large request in parts, and returns one result', async () => {
    const { paced, batches, asked, ended } = opened();
    const conflict = { ...streamOf(3, 0), events: [] };
    const results = await paced.append([
      streamOf(1, 300_000),
      streamOf(2, 100_000),
      conflict,
      streamOf(4, 900_000),
      streamOf(5, 10),
    ]);
    expect(batches.map(({ length }) => length)).to.deep.equal([3, 1, 1]);
    expect(results).to.deep.equal([
      { position: positionAt(1) },
      { position: positionAt(2) },
      'conflict',
      { position: positionAt(3) },
      { position: positionAt(4) },
    ]);
    expect(new Set(asked.map(({ project }) => project))).to.deep.equal(new Set([projectId]));
    expect(ended).to.deep.equal([positionAt(2), positionAt(3), positionAt(4)]);
  });

  it('keeps an append in the part of the one that it follows', async () => {
    const { paced, batches } = opened();
    const follower = { ...streamOf(2, 900_000), afterPrevious: true } as const;
    await paced.append([streamOf(1, 300_000), follower, streamOf(3, 10)]);
    expect(batches.map(({ length }) => length)).to.deep.equal([2, 1]);
  });

  it('counts the spans of an event beside its bytes, and divides by bytes alone', async () => {
    const { paced, batches, asked } = opened();
    const spans = Array.from({ length: 2_000 }, () => ({}));
    const events = [newEvent('TraceLogged', { spans })];
    await paced.append([1, 2].map((n) => ({ stream: traceStream(n), expected: 'none', events })));
    expect(batches.map(({ length }) => length)).to.deep.equal([2]);
    const bytes = 4_096 + '[object Object]'.length;
    expect(asked.map(({ weight }) => weight)).to.deep.equal([2 * (bytes + 2_000 * 2_048)]);
  });

  it('counts the cost of overlap metrics', async () => {
    const { paced, asked } = opened();
    const text = 'a '.repeat(8_192);
    const pair = { output: text, dataset_output: text };
    const ofPair = 4 * 2 * 16_384 + 16_384 ** 2 / 4_096;
    const ofLongest = 4 * 2 * 32_768 + 32_768 ** 2 / 4_096;
    const received = [
      { key: 'gen_ai.completion', value: text },
      { key: 'galileo.dataset.output', value: text },
    ];
    const [data, expected] = [
      [
        { trace: pair, spans: [] },
        { trace: { output: text }, spans: [pair, pair] },
        { trace: { output: text.repeat(3), dataset_output: 'a' }, spans: [] },
        { parts: [{ spans: [{ sent: { attributes: received } }] }] },
        { changes: { output: text } },
        { scores: { bleu: null } },
        { scores: { bleu: 1 } },
      ],
      [ofPair, 2 * (ofPair + 2_048), 0, ofPair, ofPair, ofLongest, 0],
    ];
    for (const one of data) {
      const events = [newEvent('TraceLogged', one)];
      await paced.append([{ stream: traceStream(1), expected: 'none', events }]);
    }
    const bytes = 4_096 + '[object Object]'.length;
    expect(asked.map(({ weight }) => weight - bytes)).to.deep.equal(expected);
  });

  it('does not delay streams without records', async () => {
    const { paced, asked } = opened();
    const one = streamOf(1, 10);
    await paced.append([{ ...one, stream: `sized-session-${projectId}-x` as never }]);
    await paced.append([{ ...one, stream: 'session-of-somebody' as never }]);
    expect(asked).to.deep.equal([]);
  });

  it('finishes an append that it began, even for a disconnected client', async () => {
    const leaving = new AbortController();
    const { paced, batches, asked } = opened(leaving.signal);
    const appended = paced.append([streamOf(1, 600_000), streamOf(2, 600_000)]);
    leaving.abort();
    expect(await appended).to.have.length(2);
    expect(batches).to.have.length(2);
    expect(asked.map(({ atMostMs }) => atMostMs)).to.deep.equal([appendWaitMaxMs, appendWaitMaxMs]);
  });

  it('releases the weight when the append fails', async () => {
    const { paced, ended } = opened();
    await paced.append([{ ...streamOf(1, 10), events: [] }]);
    expect(ended).to.deep.equal([null]);
  });
});
