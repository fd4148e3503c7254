import { expect } from 'chai';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import type { EventLog, StreamAppend } from '../../kernel/ports.js';
import { positionOf, appendOne } from '../suites/event-log.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { pollUntil } from '../support/poll-until.js';

describe('EventStoreDB batch appends', function () {
  let server: EventStoreServer;
  let log: EventLog;
  let remove: () => Promise<void>;
  const begin = async (listsFeatures: boolean): Promise<void> => {
    const { dir, remove: removed } = await temporaryFolder();
    remove = removed;
    server = await startEventStoreServer({ dir, listsFeatures });
    const patience = { answerMs: 1_000, callMs: 5_000, lookMs: 500, restMs: 20 };
    log = await openEventStore({ url: server.url, patience });
  };
  const end = async (): Promise<void> => {
    await log.close();
    await server.close();
    await remove();
  };
  afterEach(() => end());
  const many = (count: number) =>
    Array.from({ length: count }, () => appendOf(newStream(), 'none', newEvent('one')));

  it('use a single call while all goes well', async () => {
    await begin(true);
    await log.append(many(60));
    expect(server.counts).to.deep.equal({ append: 0, batchAppend: 60 });
  });

  it('fall back to single appends after the first response of a server without them', async () => {
    await begin(false);
    await appendOne(log, appendOf(newStream(), 'none', newEvent('first')));
    await log.append(many(20));
    expect(server.counts).to.deep.equal({ append: 21, batchAppend: 0 });
  });

  it('do not delay an append behind a slow one', async () => {
    await begin(true);
    const order: string[] = [];
    let letGo = (): void => undefined;
    const quickIsThere = new Promise<void>((resolve) => (letGo = resolve));
    server.faults.plan('append', { kind: 'held', until: () => quickIsThere });
    const append = async (name: string): Promise<void> => {
      await appendOne(log, appendOf(newStream(), 'none', newEvent(name)));
      order.push(name);
    };
    const slow = append('slow');
    await append('quick');
    letGo();
    await slow;
    expect(order).to.deep.equal(['quick', 'slow']);
  });

  /** Resolves with how many others were answered while it was waited for. */
  const amongOthers = async (silent: StreamAppend): Promise<number> => {
    server.faults.plan('append', { kind: 'silent-after' });
    const going = appendOne(log, silent);
    // One at a time, so that answers come as long as the silent one is waited for.
    let answered = 0;
    const over = new AbortController();
    const others = (async () => {
      for (; !over.signal.aborted; answered += 1) {
        await appendOne(log, appendOf(newStream(), 'none', newEvent('other')));
      }
    })();
    positionOf(await going);
    over.abort();
    await others;
    return answered;
  };

  it('time out a silent append without ending the others', async () => {
    await begin(true);
    const silent = appendOf(newStream(), 'none', newEvent('silent'));
    const answered = await amongOthers(silent);
    expect(await log.read(silent.stream)).to.have.length(1);
    expect(server.counts).to.deep.equal({ append: 0, batchAppend: answered + 1 });
  });

  it('close a replaced call', async () => {
    await begin(true);
    await amongOthers(appendOf(newStream(), 'none', newEvent('silent')));
    await appendOne(log, appendOf(newStream(), 'none', newEvent('next')));
    await pollUntil('only the last call is open', 2_000, async () => server.batchCalls() === 1);
  });

  it('store pending events once when the call breaks', async () => {
    await begin(true);
    const streams = many(40);
    server.faults.plan('append', { kind: 'lost-answer' });
    await log.append(streams);
    for (const { stream } of streams) expect(await log.read(stream)).to.have.length(1);
  });

  it('return to a shared call after it broke', async () => {
    await begin(true);
    server.faults.plan('append', { kind: 'unavailable' });
    await appendOne(log, appendOf(newStream(), 'none', newEvent('broken')));
    expect(server.counts).to.deep.equal({ append: 1, batchAppend: 1 });
    await log.append(many(10));
    expect(server.counts).to.deep.equal({ append: 1, batchAppend: 11 });
  });
});
