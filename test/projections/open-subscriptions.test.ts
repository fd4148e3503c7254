import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { EventReader } from '../../kernel/ports.js';
import { fillReason } from '../../projections/open-subscriptions.js';
import { temporaryFolder } from '../support/folder.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { append, projectorIn, type OpenProjector } from '../support/projector.js';
import { traceStream } from '../support/random-trace-logs.js';
import { pollUntil } from '../support/poll-until.js';

describe('read models that a projector opens', () => {
  it('are filled when they lack more than a hundred events, and lag otherwise', async () => {
    const { dir, remove } = await temporaryFolder();
    await grown(dir, 1, 100);
    const lagging = await held(dir);
    expect(await reasons(lagging), 'a hundred events are lag').to.deep.equal([null]);
    lagging.goOn();
    await folded(lagging);
    await lagging.close();

    await grown(dir, 101, 101);
    const filling = await held(dir);
    expect(await reasons(filling)).to.deep.equal([fillReason]);
    filling.goOn();
    await folded(filling);
    expect(await reasons(filling)).to.deep.equal([null]);
    await append(filling.log, traceStream(300), 0, traceLoggedEvent(300));
    expect(await reasons(filling), 'what comes later is lag').to.deep.equal([null]);
    await filling.close();
    await remove();
  });
});

const reasons = async ({ projector }: OpenProjector) =>
  (await projector.status()).map(({ rebuilding }) => rebuilding);

const folded = (one: OpenProjector) =>
  pollUntil('all is folded', 30_000, async () =>
    (await one.projector.status()).every(({ lag_events: lag }) => lag === 0),
  );

/** Its read models get no page of the log before `goOn`. */
const held = async (dir: string): Promise<OpenProjector & { readonly goOn: () => void }> => {
  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const reader = (log: EventReader): EventReader => ({
    ...log,
    page: async (...asked) => {
      if (asked[1] > 1) await gate;
      return log.page(...asked);
    },
  });
  return { ...(await projectorIn({ dir, reader })), goOn };
};

/** Appends so many traces while nothing is folded. */
const grown = async (dir: string, first: number, count: number): Promise<void> => {
  const bus = openBus(randomUUID());
  const log = await openEventLog({ dir, bus });
  for (let n = first; n < first + count; n += 1)
    await append(log, traceStream(n), 0, traceLoggedEvent(n));
  await log.close();
  await bus.close();
};
