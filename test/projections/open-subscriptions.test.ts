import { expect } from 'chai';
import type { EventReader } from '../../kernel/ports.js';
import { behindReason } from '../../projections/open-subscriptions.js';
import { temporaryFolder } from '../support/folder.js';
import { append, newEvent, projectorIn } from '../support/projector.js';
import { runId, projectId, traceId, traceStream } from '../support/trace-histories.js';

describe('a projector whose read models nobody else has', () => {
  it('says that they are being filled until they have what was logged before', async () => {
    const { dir, remove } = await temporaryFolder();
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const reader = (log: EventReader): EventReader => ({
      ...log,
      page: async (...asked) => {
        if (asked[1] > 1) await held;
        return log.page(...asked);
      },
    });
    const open = await projectorIn({ dir });
    await append(open.log, traceStream(1), 0, logged(1));
    await open.projector.stop();
    await open.close();

    const filling = await projectorIn({ dir, reader, wholeFirst: true });
    const reasons = async () => (await filling.projector.status()).map((one) => one.rebuilding);
    expect(await reasons()).to.deep.equal([behindReason]);
    goOn();
    await filling.settled();
    expect(await reasons()).to.deep.equal([null]);
    await append(filling.log, traceStream(2), 0, logged(2));
    expect(await reasons(), 'what comes later is lag').to.deep.equal([null]);
    await filling.close();
    await remove();
  });
});

const logged = (n: number) =>
  newEvent('TraceLogged', {
    project_id: projectId,
    trace_id: traceId(n),
    run_id: runId,
    run_kind: 'log_stream',
    logging_method: 'api_direct',
    session_id: null,
    is_complete: true,
    trace: { type: 'trace', id: traceId(n), created_at: '2026-01-01T00:00:00.000Z' },
    spans: [],
  });
