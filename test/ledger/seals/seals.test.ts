import { expect } from 'chai';
import { isSealDue, initialSealState } from '../../../ledger/seals/sealing-schedule.js';
import { trustedKey } from '../../../engines/node/seal-keys.js';
import { parseCheckpoint } from '../../../ledger/chain/checkpoint.js';
import { streamNameOf, type StreamName } from '../../../kernel/ports.js';
import { remoteTestLog, testLog } from '../../support/test-log.js';
import {
  acme,
  everyMs,
  key,
  openSealFixture,
  other,
  type SealFixture,
} from '../../support/seal-fixture.js';

describe('seals', () => {
  let at: SealFixture;
  beforeEach(async () => {
    at = await openSealFixture();
  });
  afterEach(() => at.testLog.close());

  it('are made an hour after the first unsealed event', async () => {
    const { later, counts, ageSeconds } = at.worker();
    await at.appendEvents(5);
    expect(await later(0)).to.equal(0);
    expect(await later(3_599)).to.equal(0);
    expect(ageSeconds()).to.equal(3_599);
    expect(await later(1)).to.equal(1);
    const { size, previous_size, note, stream: name } = await at.seal();
    expect({ size, previous_size, name }).to.deep.equal({
      size: 5,
      previous_size: 0,
      name: `seals-${acme}-2026-03-01`,
    });
    expect(counts).to.include({ sealed: 1, scrubbed: 5 });
    const checkpoint = parseCheckpoint(note);
    expect(checkpoint).to.include({ origin: `assay.example.org/${acme}`, size: 5 });
    expect(checkpoint && trustedKey(key.vkey('assay.example.org')).hasSigned(checkpoint)).to.equal(
      true,
    );
    expect(await at.testLog.eventsOf(streamNameOf('seals', 'system', 'keys'))).to.have.length(1);
  });

  it('are not made for a chain with only seal events since', async () => {
    const { later, ageSeconds } = at.worker();
    await at.appendEvents(1);
    expect(await later(3_600)).to.equal(1);
    expect(await later(100_000)).to.equal(0);
    expect(ageSeconds()).to.equal(0);
    await at.appendEvents(1, acme, 103_600);
    expect(await later(3_600)).to.equal(1);
    expect(await at.seal()).to.include({ size: 3, previous_size: 1 });
    expect(await at.worker().later(1_000_000)).to.equal(0);
  });

  it('are made per organisation, and for the service', async () => {
    const { later, paths } = at.worker();
    await at.appendEvents(3);
    await at.appendEvents(2, other);
    await at.appendEvents(4);
    expect(await later(3_600)).to.equal(2);
    expect((await at.seal()).size).to.equal(7);
    expect((await at.seal(other)).size).to.equal(2);
    expect([...paths()].sort()).to.deep.equal([`${acme}-7`, `${other}-2`].sort());
  });

  it('are made at once after 10,000 events, but not twice a minute', async () => {
    await at.appendEvents(1);
    expect(await at.worker().later(3_600)).to.equal(1);
    const first = await at.seal();
    const known = {
      ...initialSealState(first),
      firstUnsealed: { seq: 3, atMs: Date.parse(first.sealedAt) },
    };
    const dueAfter = (size: number, seconds: number): boolean =>
      isSealDue({ size }, known, Date.parse(first.sealedAt) + seconds * 1_000, everyMs);
    expect(dueAfter(10_001, 60)).to.equal(false);
    expect(dueAfter(10_002, 60)).to.equal(true);
    expect(dueAfter(10_002, 59)).to.equal(false);
    expect(dueAfter(10_001, 3_600)).to.equal(true);
  });

  it('come a minute after the last one where events are later than the clock', async () => {
    const { later, ageSeconds } = at.worker();
    await at.appendEvents(1);
    await later(3_600);
    await at.appendEvents(2, acme, 203_600);
    expect(await later(0)).to.equal(0);
    expect(ageSeconds()).to.equal(200_000);
    expect(await later(60)).to.equal(1);
    expect(ageSeconds()).to.equal(0);
    expect(await at.seal()).to.include({ size: 4, previous_size: 1 });
  });

  it('come hourly and continue the newest one after the clock was set back', async () => {
    const { later } = at.worker();
    await at.appendEvents(3);
    await later(3_600);
    await at.appendEvents(2, acme, 200_000);
    expect(await later(200_000)).to.equal(1);
    const ahead = await at.seal();
    expect(ahead).to.include({ size: 6, previous_size: 3 });
    await at.appendEvents(2, acme, 3_600);
    expect(await later(-200_000)).to.equal(0);
    expect(await later(3_599)).to.equal(0);
    expect(await later(1)).to.equal(1);
    expect(await at.seal()).to.include({ size: 9, previous_size: 6, stream: ahead.stream });
  });

  it('have the name that the installation gave itself, from its first seal on', async () => {
    const origins = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { later } = at.worker({ installation: null });
      await at.appendEvents(1, acme, turn * 7_200);
      await later(7_200 * (turn + 1));
      origins.push(parseCheckpoint((await at.seal()).note)?.origin);
    }
    expect(origins[0]).to.match(new RegExp(`^assay\\.local/[0-9a-f-]{36}/${acme}$`));
    expect(origins[1]).to.equal(origins[0]);
  });

  it('are made in parts where much is unsealed, each a minute after the other', async () => {
    await at.appendEvents(7);
    await at.appendEvents(2, other);
    const { later, counts } = at.worker({ entriesMax: 3 });
    expect(await later(3_600)).to.equal(2);
    const sizes = [(await at.seal()).size];
    for (let part = 0; part < 3; part += 1) {
      await later(60);
      sizes.push((await at.seal()).size);
    }
    // The seals of the parts are entries too.
    expect(sizes).to.deep.equal([3, 6, 9, 9]);
    expect((await at.seal(other)).size).to.equal(2);
    expect(counts.scrubbed).to.equal(11);
  });

  it('are made once by two concurrent workers', async () => {
    await at.appendEvents(3);
    const [one, two] = [at.worker(), at.worker()];
    expect(
      (await Promise.all([one.later(3_600), two.later(3_600)])).reduce((a, b) => a + b),
    ).to.equal(1);
    expect(await at.testLog.eventsOf((await at.seal()).stream)).to.have.length(1);
  });

  const logs = { SQLite: testLog, EventStoreDB: remoteTestLog };
  for (const [engine, open] of Object.entries(logs)) {
    it(`cover erased events by what stays of them on ${engine}, sealed before or not`, async () => {
      await at.testLog.close();
      at = await openSealFixture(open);
      const { later, refused } = at.worker();
      const [, sealed] = await at.appendEvents(3);
      expect(await later(3_600)).to.equal(1);
      const [, unsealed] = await at.appendEvents(3, acme, 3_600);
      for (const name of [sealed, unsealed]) await at.testLog.log.erase(name as StreamName);
      expect(await later(3_600)).to.equal(1);
      expect(refused).to.deep.equal([]);
      expect(await at.seal()).to.include({ size: 7, previous_size: 3 });
    });
  }
});
