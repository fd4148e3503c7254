import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { openDatabase } from '../../engines/sqlite/database.js';
import type { EventProof } from '../../ledger/event-proof.js';
import { sha256 } from '../../engines/node/digest.js';
import { fromHex } from '../../kernel/hex.js';
import { parseInclusionProof } from '../../ledger/chain/proof-text.js';
import { isIncluded, leafHash } from '../../ledger/chain/merkle-tree.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { EventLog, NewEvent, StreamName } from '../../kernel/ports.js';
import type { Instant, OrganizationId } from '../../kernel/schema-types.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent } from '../support/new-events.js';
import { program } from '../support/test-environment.js';
import { openSealedLog } from '../support/sealed-log.js';
import { ours as organization, sampleEventAt } from '../support/sample-history.js';

type Row = Readonly<Record<string, unknown>>;

const ours = '60c67a87-024d-48e3-9dcf-ae5652800741' as OrganizationId;
const named = (name: string) => name as StreamName;
/** A day after all others, and whose it is. */
const ofOurs = (type: string, data: unknown): NewEvent => {
  const event = newEvent(data);
  const at = '2026-03-02T09:00:00.000000Z' as Instant;
  return { ...event, type, metadata: { ...event.metadata, at, organization_id: ours } };
};

describe('assay inspect', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const environment = () => ({ ...process.env, ASSAY_DATA_DIR: folder.dir });
  const printed = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [program, 'inspect', ...args], {
      env: environment(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const asked = (...args: readonly string[]): readonly Row[] =>
    printed(...args, '--json')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  const places = (...args: readonly string[]) =>
    asked('events', ...args).map(({ position }) => Number(position));
  const inLog = async (work: (log: EventLog) => Promise<void>): Promise<void> => {
    const bus = openBus(folder.dir);
    const log = await openEventLog({ dir: folder.dir, bus });
    await work(log);
    await log.close();
    await bus.close();
  };
  before(async () => {
    folder = await temporaryFolder();
    await inLog(async (log) => {
      const [one, two] = [named('trace-1'), named('trace-2')];
      await log.append([appendOf(one, 'none', newEvent(1), newEvent(2))]);
      await log.append([appendOf(two, 'none', newEvent(3))]);
      await log.append([appendOf(one, 1, newEvent(4))]);
      const key = ofOurs('ApiKeyCreated', { api_key_id: 'k', value_hash: 'canary' });
      await log.append([appendOf(named('api-key-1'), 'none', key)]);
      await log.append([appendOf(named('gone-1'), 'none', newEvent('canary'))]);
      await log.erase(named('gone-1'));
    });
  });
  after(() => folder.remove());

  it('shows the last events of the log or of a stream, the newest first', () => {
    expect(places('--limit', '3')).to.deep.equal([6, 5, 4]);
    const own = asked('events', 'trace-1', '--limit', '2');
    expect(own.map(({ revision, data }) => [revision, data])).to.deep.equal([
      [2, '4'],
      [1, '2'],
    ]);
  });

  it('shows the events of types, of an organisation and since a place', () => {
    expect(places('--type', 'Counted')).to.deep.equal([]);
    expect(places('--type', 'Counted', 'ApiKeyCreated')).to.deep.equal([5]);
    expect(places('--organization', ours)).to.deep.equal([5]);
    expect(places('--since', '0000000000000004')).to.deep.equal([6, 5, 4]);
    expect(places('--since', '2026-03-02T00:00:00Z')).to.deep.equal([5]);
    expect(places('trace-1', '--since', '0000000000000002', '--limit', '1')).to.deep.equal([4]);
    expect(() => asked('events', '--since', 'yesterday')).to.throw('a position or a date-time');
  });

  it('tells an unknown type from one without events', () => {
    const errorsOf = (type: string): string =>
      spawnSync(process.execPath, [program, 'inspect', 'events', '--type', type], {
        env: environment(),
        encoding: 'utf8',
      }).stderr;
    expect(errorsOf('TraceLoged')).to.equal(
      'This program knows no event that is called TraceLoged.\n',
    );
    expect(errorsOf('TraceLogged')).to.equal('');
  });

  it('shows a stream in its order', () =>
    expect(asked('stream', 'trace-1').map(({ data }) => data)).to.deep.equal(['1', '2', '4']));

  it('reports an unknown stream, and prints nothing for one without such events', () => {
    for (const more of [[], ['--type', 'Counted']]) {
      expect(() => asked('stream', 'trace-3', ...more)).to.throw('no stream trace-3');
    }
    expect(() => asked('events', 'trace-3')).to.throw('no stream trace-3');
    expect(asked('stream', 'trace-1', '--type', 'Counted')).to.deep.equal([]);
    expect(asked('stream', 'gone-1')).to.have.length(1);
  });

  it('shows all of one event by its id or its position, and no secret', () => {
    const [whole] = asked('event', '0000000000000005');
    expect(whole).to.deep.include({
      stream: 'api-key-1',
      type: 'ApiKeyCreated',
      organization_id: ours,
      data: { api_key_id: 'k', value_hash: '' },
    });
    expect(whole?.['digest']).to.match(/^[0-9a-f]{64}$/);
    expect(asked('event', String(whole?.['id']).toUpperCase())).to.deep.equal([whole]);
    expect(printed('event', '0000000000000005')).to.match(/^position +0{15}5, 2026-03-02T/m);
    expect(printed('stream', 'api-key-1')).not.to.include('canary');
    expect(() => asked('event', '00000000000000ff')).to.throw('the log has no event');
    expect(() => asked('event', 'five')).to.throw('An id or a position');
    expect(() => asked('event')).to.throw('Say its id or position');
  });

  it('marks erased events, and shows what stays of them', () => {
    const row = { stream: 'gone-1', revision: 0, type: 'SomethingHappened', fits: '(erased)' };
    expect(asked('events', '--limit', '1')[0]).to.include(row);
    expect(asked('stream', 'gone-1')[0]).to.include({ ...row, data: '(erased)' });
    expect(asked('event', '0000000000000006')[0]).to.include({ ...row, data: '(erased)' });
    expect(asked('streams', '--limit', '1')[0]).to.include({
      stream: 'gone-1',
      last_event: 'SomethingHappened (erased)',
    });
  });

  it('shows streams by their last event, the newest first', () => {
    const rows = asked('streams');
    expect(rows.map(({ stream, events }) => [stream, events])).to.deep.equal([
      ['gone-1', 1],
      ['api-key-1', 1],
      ['trace-1', 3],
      ['trace-2', 1],
    ]);
    expect(asked('streams', '--limit', '1')).to.deep.equal(rows.slice(0, 1));
  });

  it('follows the log until a signal ends it', async () => {
    const args = ['events', '--organization', ours, '--limit', '1', '--follow', '--json'];
    const child = spawn(process.execPath, [program, 'inspect', ...args], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () =>
      Number((JSON.parse((await lines.next()).value ?? '{}') as Row)['position']);
    expect(await next()).to.equal(5);
    await inLog(async (log) => {
      await log.append([appendOf(named('trace-2'), 0, newEvent(5))]);
      await log.append([appendOf(named('group-1'), 'none', ofOurs('GroupCreated', {}))]);
    });
    expect(await next()).to.equal(8);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).to.deep.equal([0, null]);
  });

  it('shows where an event stands in its sealed history, and what proves it', async () => {
    const world = await temporaryFolder();
    const log = await openSealedLog(world.dir);
    try {
      await log.append([1, 2, 3].map(sampleEventAt));
      await log.fold();
      await log.seal(organization);
      await log.append([sampleEventAt(5)]);
      await log.fold();
      const [first, , , , last] = await log.chains.entries(organization, 1, 9);
      const shown = (...args: readonly string[]) =>
        spawnSync(process.execPath, [program, 'inspect', ...args], {
          env: { ...process.env, ASSAY_DATA_DIR: world.dir },
          encoding: 'utf8',
        });
      type Shown = { readonly history: EventProof };
      const place = [first?.eventId ?? '', '--proof', '--json'];
      const { history } = JSON.parse(shown('event', ...place).stdout) as Shown;
      const seal = { size: 3, holds: 'yes', seq: 1, hash: first?.hash };
      expect({ ...history, ...history.seal }).to.include(seal);
      const proof = parseInclusionProof(history.proof ?? '');
      if (proof === null || first === undefined) throw new Error('no proof');
      const leaf = { index: proof.index, hash: leafHash(sha256, fromHex(first.hash)) };
      expect(isIncluded(sha256, leaf, proof.checkpoint, proof.hashes)).to.equal(true);
      const table = shown('event', last?.position ?? '', '--proof').stdout;
      expect(table).to.match(new RegExp(`history +${organization}, entry 5`));
      expect(table).to.match(/holds +yes\nseal +not sealed yet/);
      expect(shown('events', '--proof').stderr).to.match(/--proof is of one event/);
      const database = openDatabase(join(world.dir, 'log.sqlite'));
      database.exec(`UPDATE events SET data = '{"n":9}' WHERE pos = 1`);
      database.close();
      const touched = shown('event', '0000000000000001', '--proof');
      expect(touched.status).to.equal(1);
      expect(touched.stdout).to.match(/holds +not the data/);
    } finally {
      await log.close();
      await world.remove();
    }
  });
});
