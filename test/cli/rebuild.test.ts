import { expect } from 'chai';
import { request } from 'node:http';
import { randomBytes } from 'node:crypto';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { traceStream } from '../support/random-trace-logs.js';
import { runs } from '../support/runs.js';
import { pollUntil } from '../support/poll-until.js';

const kills = runs(1);
/** Each life takes a page of 500 at least. */
const traces = (kills + 4) * 500;
const env = { ASSAY_SECRET_KEY: randomBytes(32).toString('base64') };

type Status = {
  readonly name: string;
  readonly building: { readonly position: string; readonly head: string } | null;
};
const asked = async (service: ServiceProcess, command: string, body: object): Promise<string> => {
  const sent = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  return (await fetch(`${service.opsUrl}/operate/${command}`, sent)).text();
};
const buildingOf = async (service: ServiceProcess): Promise<Status['building']> =>
  (JSON.parse(await asked(service, 'status', {})) as readonly Status[]).find(
    ({ name }) => name === 'records',
  )?.building ?? null;

describe('assay rebuild', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
    const bus = openBus(folder.dir);
    const log = await openEventLog({ dir: folder.dir, bus });
    await log.append(
      Array.from({ length: traces }, (_, number) => ({
        stream: traceStream(number),
        expected: 'none',
        events: [traceLoggedEvent(number)],
      })),
    );
    await log.close();
    await bus.close();
  });
  after(() => folder.remove());

  it('prints its plan as a table or as JSON, and refuses contradictory options', async () => {
    const dry = await runAssay(folder.dir, 'rebuild', 'records', '--dry-run');
    expect(dry.code, dry.output).to.equal(0);
    expect(dry.output).to.match(new RegExp(`TraceLogged +│ ${traces}`));
    const json = await runAssay(
      folder.dir,
      'rebuild',
      'records',
      '--dry-run',
      '--json',
      '--rate=100',
    );
    const found = JSON.parse(json.output) as { readonly seconds: number };
    expect(found).to.deep.include({ name: 'records', events: { TraceLogged: traces } });
    expect(found.seconds).to.be.at.least(traces / 100);
    const all = await runAssay(folder.dir, 'rebuild', '--all', '--dry-run', '--json');
    expect(all.code, all.output).to.equal(0);
    expect(all.output).to.contain('"name":"history"');
    for (const [args, why] of [
      [['record'], 'there are'],
      [['records', '--rate=0'], '--rate takes'],
      [['records', '--resume', '--restart'], 'Either --resume or --restart'],
      [['records', '--resume'], 'no unfinished rebuild of records can be resumed'],
    ] as const) {
      const refused = await runAssay(folder.dir, 'rebuild', ...args);
      expect(refused.code).to.equal(1);
      expect(refused.output).to.contain(why);
    }
  });

  it('shows the progress of the running service, which continues without it', async () => {
    const service = await startService({ dir: folder.dir, env });
    const lines = await runAssay(folder.dir, 'rebuild', 'records', '--json');
    expect(lines.code, lines.output).to.equal(0);
    const told = lines.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(told.at(-1)).to.deep.equal({ rebuilt: 'records' });
    expect(told.slice(0, -1)).not.to.deep.equal([]);
    for (const line of told.slice(0, -1)) {
      expect(line).to.have.all.keys('name', 'position', 'head', 'events_per_second', 'eta_seconds');
    }
    const misspelt = await runAssay(folder.dir, 'rebuild', 'recrods');
    expect(misspelt.code).to.equal(1);
    expect(misspelt.output).to.match(/no read model is called recrods; there are .*records/);
    const left = request(`${service.opsUrl}/operate/rebuild`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });
    await new Promise<void>((resolve) => {
      left.on('response', (answer) => answer.once('data', () => resolve()));
      left.on('error', () => resolve());
      left.end(JSON.stringify({ name: 'records', rate: 300 }));
    });
    left.destroy();
    const begun = await buildingOf(service);
    expect(begun).not.to.equal(null);
    const watched = await runAssay(folder.dir, 'rebuild', 'records', '--resume', '--rate=9000');
    expect(watched.output).to.equal('rebuilt records\n');
    expect(await buildingOf(service)).to.equal(null);
    await service.stop();
  });

  it('resumes by itself after each kill, and equals a replay', async () => {
    let reached = '';
    for (let kill = 0; kill < kills; kill += 1) {
      const service = await startService({ dir: folder.dir, env });
      if (kill === 0)
        void asked(service, 'rebuild', { name: 'records', rate: 100 }).catch(() => null);
      await pollUntil('it is further than before', 10_000, async () => {
        const { position = '' } = (await buildingOf(service)) ?? {};
        const isFurther = position > reached && !/^0*$/.test(position);
        reached = isFurther ? position : reached;
        return isFurther;
      });
      await service.kill();
    }
    const service = await startService({ dir: folder.dir, env });
    const gone = await runAssay(folder.dir, 'rebuild', 'records', '--resume', '--rate=100000');
    expect(gone.code, gone.output).to.equal(0);
    await service.stop();
    const verified = await runAssay(folder.dir, 'verify', '--json');
    expect(verified.code, verified.output).to.equal(0);
  });
});
