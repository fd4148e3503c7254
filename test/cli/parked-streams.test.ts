import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { logStart, type EventLog } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { append, newEvent } from '../support/projector.js';
import { runAssay, startService } from '../support/service-process.js';
import { programName } from '../support/test-environment.js';
import { projectId, traceId, traceStream } from '../support/random-trace-logs.js';

const updated = (number: number) =>
  newEvent('TraceUpdated', {
    project_id: projectId,
    trace_id: traceId(number),
    changes: { output: 'done' },
  });

/** The folder is none that a service began. */
const secretKey = randomBytes(32).toString('base64');

describe('assay parked', () => {
  const [broken, sound, other] = [traceStream(1), traceStream(2), traceStream(3)];
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const inLog = async <T>(work: (log: EventLog) => Promise<T>): Promise<T> => {
    const bus = openBus(folder.dir);
    const log = await openEventLog({ dir: folder.dir, bus });
    try {
      return await work(log);
    } finally {
      await log.close();
      await bus.close();
    }
  };
  const decisions = () =>
    inLog(async (log) =>
      (await log.page(logStart, 100)).events
        .filter(({ stream }) => stream.startsWith('operations-'))
        .map(({ type, data }) => [type, (data as { operator: string }).operator]),
    );
  const parked = (...args: readonly string[]) => runAssay(folder.dir, 'parked', ...args);
  const ruling = (what: string, ...args: readonly string[]) =>
    parked(what, broken, '--in', 'records', '--reason', 'INC-7', '--as', 'ada', ...args);
  before(async () => {
    folder = await temporaryFolder();
    await inLog(async (log) => {
      await append(log, broken, 0, traceLoggedEvent(1));
      await append(log, broken, 1, newEvent('Unheard', { word: 'of' }));
      await append(log, broken, 2, updated(1));
      await append(log, sound, 0, traceLoggedEvent(2));
      await append(log, other, 0, traceLoggedEvent(3));
      await append(log, other, 1, newEvent('Unheard', {}));
    });
  });
  after(() => folder.remove());

  it('lists what is parked, and shows the event, the reason and what waits', async () => {
    const { output } = await parked('list', '--json');
    expect(output.trim().split('\n')).to.have.length(2);
    expect(JSON.parse(output.split('\n')[0] ?? '')).to.include({
      read_model: 'records',
      stream: broken,
      revision: 1,
      event: 'Unheard',
      reason: 'unknown event type Unheard',
    });
    const shown = await parked('show', broken);
    expect(shown.output).to.match(/^event +Unheard [0-9a-f-]{36} at /m);
    expect(shown.output).to.match(/^reason +unknown event type Unheard$/m);
    expect(shown.output).to.match(/^fold +at /m);
    expect(shown.output).to.match(/^data +\{"word":"of"\}$/m);
    expect(shown.output).to.match(/^waiting +1 later event of the stream\n +2 TraceUpdated /m);
    for (const [args, who] of [
      [[], 'no read model has'],
      [['--in', 'records'], 'records has not'],
    ] as const) {
      const { code, output } = await parked('show', sound, ...args);
      const why = `assay: ${who} parked ${sound}; see: ${programName} parked list\n`;
      expect([code, output]).to.deep.equal([1, why]);
    }
  });

  it('is reported by verify, which proves only what is not parked', async () => {
    const verified = await runAssay(folder.dir, 'verify');
    expect(verified.code, verified.output).to.equal(1);
    expect(verified.output).to.match(/records lacks events of 2 parked streams; see: /);
  });

  it('requires a reason, and reports when a stream is parked again', async () => {
    expect((await parked('skip', broken, '--in', 'records')).output).to.include('--reason');
    expect(await decisions()).to.deep.equal([]);
    const { code, output } = await ruling('retry');
    expect([code, output]).to.deep.equal([
      1,
      `retried ${broken} in records: parked again at revision 1, ` +
        'Unheard: unknown event type Unheard\n',
    ]);
  });

  it('sends decisions to the running service, which requires a reason', async () => {
    const service = await startService({ dir: folder.dir, env: { ASSAY_SECRET_KEY: secretKey } });
    try {
      const { code, output } = await ruling('retry', '--json');
      expect(code, output).to.equal(1);
      expect(JSON.parse(output)).to.deep.include({ stream: broken, revision: 1 });
      const asked = async (command: string, body: object): Promise<number> => {
        const headers = { 'Content-Type': 'application/json' };
        const sent = { method: 'POST', headers, body: JSON.stringify(body) };
        return (await fetch(`${service.opsUrl}/operate/${command}`, sent)).status;
      };
      const place = { name: 'records', stream: broken };
      const who = { operator: 'ada' };
      expect(await asked('skip', { ...place, ...who })).to.equal(400);
      expect(await asked('skip', { ...place, ...who, reason: ' ' })).to.equal(400);
      expect(await asked('skip', { ...place, reason: 'x' })).to.equal(400);
      expect(await asked('retry', { ...place, ...who, stream: sound, reason: 'x' })).to.equal(409);
      expect(await asked('skip', { ...place, ...who, stream: other, reason: 'x' })).to.equal(200);
      expect((await runAssay(folder.dir, 'parked', 'list')).output).not.to.include(other);
      const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      expect(metrics).to.include('assay_parked_skips_total{projection="records"} 1');
      expect(await asked('pause', { name: 'records' })).to.equal(200);
      expect(await asked('resume', { name: 'records', ...who, reason: 'x' })).to.equal(200);
    } finally {
      await service.stop();
    }
    expect((await decisions()).map(([type]) => type)).to.deep.equal([
      'ParkedStreamRetried',
      'ParkedStreamRetried',
      'ParkedEventSkipped',
      'ParkedStreamRetried',
    ]);
  });

  it('skips an event permanently, whatever else is lost', async () => {
    const { code, output } = await ruling('skip');
    expect([code, output]).to.deep.equal([
      0,
      `skipped revision 1 of ${broken} in records: it is folded to its end\n`,
    ]);
    expect((await decisions()).at(-1)).to.deep.equal(['ParkedEventSkipped', 'ada']);
    for (const end of ['', '-wal', '-shm']) {
      await rm(join(folder.dir, `documents.sqlite${end}`), { force: true });
    }
    await inLog((log) => append(log, broken, 3, updated(1)));
    expect((await parked('list')).output).to.equal('nothing is parked\n');
    const verified = await runAssay(folder.dir, 'verify', '--json');
    expect(verified.code, verified.output).to.equal(0);
    const { output: rows } = await runAssay(folder.dir, 'inspect', 'projections', '--json');
    const records = rows.split('\n').find((row) => row.includes('"records"')) ?? '{}';
    expect(JSON.parse(records)).to.include({ parked: 0, stalled: null, lag_events: 0 });
    expect((await runAssay(folder.dir, 'rebuild', 'records')).code).to.equal(0);
    expect((await parked('list')).output).to.equal('nothing is parked\n');
  });
});
