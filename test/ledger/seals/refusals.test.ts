import { expect } from 'chai';
import { sha256 } from '../../../engines/node/digest.js';
import type { ChainHead, Chains } from '../../../ledger/chain/entries.js';
import { toHex } from '../../../kernel/hex.js';
import type { EventLog, Evidence } from '../../../kernel/ports.js';
import { fixedChains, referenceChains } from '../../support/reference-chains.js';
import { acme, openSealFixture, other, type SealFixture } from '../../support/seal-fixture.js';

describe('seals of a history that was tampered with', () => {
  let at: SealFixture;
  beforeEach(async () => {
    at = await openSealFixture();
  });
  afterEach(() => at.testLog.close());

  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ['data was changed', `UPDATE events SET data = '{"project_id":"x"}' WHERE pos = 4`, /data are/],
    [
      'an actor was changed',
      `UPDATE events SET metadata = replace(metadata, 'ada', 'bob') WHERE pos = 4`,
      /line/,
    ],
    [
      'an event says that it is another organisation’s',
      `UPDATE events SET metadata = replace(metadata, '${acme}', '${other}') WHERE pos = 4`,
      /it says that it belongs to/,
    ],
    ['an event was taken out', 'DELETE FROM events WHERE pos = 4', /missing|is not in the log/],
  ];
  for (const [what, statement, why] of refusals) {
    it(`are refused, and stay so, when after the fold ${what}`, async () => {
      await at.appendEvents(5);
      const chains = await fixedChains(at.testLog.log);
      const { later, refused, refusals: open } = at.worker({ chains });
      // The first round writes, and the log's own check may stop writes after the tampering.
      expect(await later(0)).to.equal(0);
      at.executeSql(statement);
      expect(await later(3_600)).to.equal(0);
      expect(refused).to.have.length(1);
      expect(refused[0]?.why).to.match(why);
      expect(await at.newest(acme)).to.equal(null);
      expect(await later(100_000)).to.equal(0);
      expect(open()).to.deep.equal(refused);
    });
  }

  it('are refused when the sealed history was replaced, hashes included', async () => {
    const { later } = at.worker();
    await at.appendEvents(5);
    expect(await later(3_600)).to.equal(1);
    const forged = '{"project_id":"x"}';
    const digest = toHex(sha256(forged));
    at.executeSql(
      `UPDATE events SET data = '${forged}', salt = NULL, digest = unhex('${digest}')
       WHERE pos = 3`,
    );
    await at.appendEvents(1, acme, 3_600);
    // Started anew, with every read model folded anew.
    const after = at.worker();
    expect(await after.later(10_000)).to.equal(0);
    expect(after.refused[0]?.why).to.match(/the entries up to 5 are not those of its seal/);
    expect((await at.seal()).size).to.equal(5);
  });

  const changedSeals: readonly (readonly [string, string, RegExp])[] = [
    [
      'of a type that nobody knows',
      `type = 'HistorySealeds'`,
      /cannot be read: unknown event type/,
    ],
    ['no JSON', `data = 'x'`, /cannot be read/],
    [
      'of too many entries',
      `data = json_set(data, '$.size', 1e9)`,
      /with its seal, which covers 1000000000/,
    ],
    [
      'of no number of entries',
      `data = json_set(data, '$.size', 'x')`,
      /cannot be read: a seal has no size/,
    ],
  ];
  for (const [what, change, why] of changedSeals) {
    it(`are refused, and those of others are not, when the newest seal is ${what}`, async () => {
      await at.appendEvents(5);
      expect(await at.worker().later(3_600)).to.equal(1);
      // Without a digest, the log itself cannot tell that an event was changed.
      const undigested = 'salt = NULL, digest = NULL';
      at.executeSql(`UPDATE events SET ${change}, ${undigested} WHERE type = 'HistorySealed'`);
      await at.appendEvents(2, acme, 3_600);
      await at.appendEvents(2, other, 3_600);
      const { later, refused } = at.worker();
      expect(await later(10_000)).to.equal(1);
      expect(refused.map(({ chain }) => chain)).to.deep.equal([acme]);
      expect(refused[0]?.why).to.match(why);
    });
  }

  it('are refused when a sealed entry is missing, even without new events', async () => {
    await at.appendEvents(5);
    expect(await at.worker().later(3_600)).to.equal(1);
    at.executeSql('DELETE FROM events WHERE pos = 3');
    // Started anew, with every read model folded anew.
    const { later, refused } = at.worker();
    expect(await later(3_601)).to.equal(0);
    expect(refused[0]?.why).to.equal('it has 5 entries with its seal, which covers 5');
  });

  it('are refused when an event of the organisation is kept out of its history', async () => {
    await at.appendEvents(5);
    const [gone] = (await at.testLog.log.evidence('0000000000000002' as never, 1)).events as [
      Evidence,
    ];
    const without = {
      ...at.testLog.log,
      evidence: async (...asked: Parameters<EventLog['evidence']>) => {
        const page = await at.testLog.log.evidence(...asked);
        return { ...page, events: page.events.filter(({ id }) => id !== gone.id) };
      },
    };
    const { later, refused } = at.worker({ chains: referenceChains(without) });
    expect(await later(3_600)).to.equal(0);
    expect(refused[0]?.why).to.contain(`${gone.id} of the log is not in the history`);
  });

  it('are refused when the head does not match the entries', async () => {
    await at.appendEvents(5);
    const chains = referenceChains(at.testLog.log);
    const changes: readonly ((head: ChainHead) => ChainHead)[] = [
      (head) => ({ ...head, hash: '0'.repeat(64) }),
      (head) => ({
        ...head,
        range: head.range.map((one) => ({ ...one, hash: Buffer.alloc(32) })),
      }),
    ];
    for (const change of changes) {
      const head: Chains['head'] = async (chain) => {
        const known = await chains.head(chain);
        return known && change(known);
      };
      const heads: Chains['heads'] = async (after, limit) =>
        (await chains.heads(after, limit)).map(change);
      const { later, refused } = at.worker({ chains: { ...chains, head, heads } });
      expect(await later(3_600)).to.equal(0);
      expect(refused[0]?.why).to.match(/its head 5 is not what it leads to/);
    }
  });

  it('wait while the history is behind its own seal', async () => {
    await at.appendEvents(4);
    const early = await fixedChains(at.testLog.log);
    await at.appendEvents(1);
    expect(await at.worker().later(3_600)).to.equal(1);
    const { later, refused } = at.worker({ chains: early });
    expect(await later(7_300)).to.equal(0);
    expect(refused).to.deep.equal([]);
  });
});
