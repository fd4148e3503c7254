import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { isDue, watched } from '../../command-api/seals/due.js';
import { openSealing, type SealRefusal, type SealNeeds } from '../../command-api/seals/sealing.js';
import { newestSeal } from '../../command-api/seals/sealed.js';
import { sha256 } from '../../engines/node/digest.js';
import { chainSaid } from '../../projections/history/chain.js';
import { randomIds } from '../../engines/node/ids.js';
import { sealingKey, trustedKey, witnessedKey } from '../../engines/node/seal-keys.js';
import { sealWitness, witnessAddress } from '../../engines/node/seal-witnesses.js';
import { parseCheckpoint } from '../../kernel/history/checkpoint.js';
import type { ChainHead, Chains } from '../../kernel/history/entries.js';
import { hexOf } from '../../kernel/history/hex.js';
import { stream, type EventLog, type Evidence, type Files } from '../../kernel/ports.js';
import { append } from '../../kernel/transact.js';
import type { OrganizationId } from '../../kernel/shapes.js';
import {
  authorAt,
  instantAfter,
  remoteTestLog,
  testClock,
  testLog,
  type TestLog,
} from '../support/log.js';
import { keptChains, naiveChains } from '../support/naive-chains.js';
import { newCosigner, openSealWitness } from '../support/seal-witness.js';

const acme = '3fa85f64-5717-4562-b3fc-2c963f66afa6' as OrganizationId;
const other = '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20' as OrganizationId;
const everyMs = 3_600_000;
const key = sealingKey({ seed: Buffer.alloc(32, 1) });

const filesInMemory = (): Files & { readonly paths: () => readonly string[] } => {
  const files = new Map<string, Uint8Array>();
  return {
    read: async (path) => files.get(path) ?? null,
    write: async (path, bytes) => void files.set(path, bytes),
    paths: () => [...files.keys()],
  };
};

describe('seals', () => {
  let made: TestLog;
  beforeEach(async () => {
    made = await testLog();
  });
  afterEach(() => made.close());

  let names = 0;
  const happened = async (count: number, organizationId = acme, at = 0): Promise<void> => {
    for (let one = 0; one < count; one += 1) {
      names += 1;
      const name = stream('project', String(names));
      const event = { type: 'ProjectDeleted', data: { project_id: String(names) } };
      const author = { ...authorAt(at), organizationId };
      await append(made.log, [{ stream: name, events: [event] }], author);
    }
  };
  const world = (given: Partial<SealNeeds> = {}) => {
    const log: EventLog = given.log ?? made.log;
    const clock = testClock();
    const files = filesInMemory();
    const refused: SealRefusal[] = [];
    const counts = { scrubbed: 0, mismatched: 0, sealed: 0, unwitnessed: [] as string[] };
    const sealing = openSealing({
      log,
      chains: naiveChains(log),
      clock,
      sha256,
      ids: randomIds,
      files,
      keys: [key],
      installation: 'assay.example.org',
      everyMs,
      entriesMax: 1_000,
      noteFile: (chain, size) => `${chain}-${size}`,
      witnesses: [],
      chainOf: chainSaid,
      scrubbed: (events) => {
        counts.scrubbed += events;
      },
      mismatched: () => {
        counts.mismatched += 1;
      },
      sealed: () => {
        counts.sealed += 1;
      },
      refused: (refusal) => void refused.push(refusal),
      unwitnessed: (name, error) => void counts.unwitnessed.push(`${name}: ${String(error)}`),
      ...given,
    });
    const round = () => sealing.round(new AbortController().signal);
    const later = async (seconds: number): Promise<number> => {
      clock.move(seconds);
      return round();
    };
    return { ...sealing, round, later, clock, files, refused, counts };
  };
  const newest = (chain = acme) =>
    newestSeal(
      {
        log: made.log,
        chains: naiveChains(made.log),
        clock: { now: () => instantAfter(10_000_000) },
      },
      chain,
    );
  const seal = async (chain = acme) => {
    const found = await newest(chain);
    if (found === null) throw new Error(`${chain} has no seal`);
    return found;
  };

  it('come an hour after the first event that is not sealed', async () => {
    const { round, later, counts, ageSeconds } = world();
    await happened(5);
    expect(await round()).to.equal(0);
    expect(await later(3_599)).to.equal(0);
    expect(ageSeconds()).to.equal(3_599);
    expect(await later(1)).to.equal(1);
    const { size, previous_size, note, stream: name } = await seal();
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
    expect(await made.eventsOf(stream('seals', 'system', 'keys'))).to.have.length(1);
  });

  it('do not follow from themselves: a chain that only has seals since is left alone', async () => {
    const { later, ageSeconds } = world();
    await happened(1);
    expect(await later(3_600)).to.equal(1);
    expect(await later(100_000)).to.equal(0);
    expect(ageSeconds()).to.equal(0);
    await happened(1, acme, 103_600);
    expect(await later(3_600)).to.equal(1);
    expect(await seal()).to.include({ size: 3, previous_size: 1 });
    expect(await world().later(1_000_000)).to.equal(0);
  });

  it('are of each organisation by itself, and of the service', async () => {
    const { later, files } = world();
    await happened(3);
    await happened(2, other);
    await happened(4);
    expect(await later(3_600)).to.equal(2);
    expect((await seal()).size).to.equal(7);
    expect((await seal(other)).size).to.equal(2);
    expect([...files.paths()].sort()).to.deep.equal([`${acme}-7`, `${other}-2`].sort());
  });

  it('come at once after 10,000 events, but not twice a minute', async () => {
    await happened(1);
    expect(await world().later(3_600)).to.equal(1);
    const first = await seal();
    const known = { ...watched(first), first: { seq: 3, atMs: Date.parse(first.sealedAt) } };
    const dueAfter = (size: number, seconds: number): boolean =>
      isDue({ size }, known, Date.parse(first.sealedAt) + seconds * 1_000, everyMs);
    expect(dueAfter(10_001, 60)).to.equal(false);
    expect(dueAfter(10_002, 60)).to.equal(true);
    expect(dueAfter(10_002, 59)).to.equal(false);
    expect(dueAfter(10_001, 3_600)).to.equal(true);
  });

  it('have the name that the installation gave itself, from its first seal on', async () => {
    const origins = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { later } = world({ installation: null });
      await happened(1, acme, turn * 7_200);
      await later(7_200 * (turn + 1));
      origins.push(parseCheckpoint((await seal()).note)?.origin);
    }
    expect(origins[0]).to.match(new RegExp(`^assay\\.local/[0-9a-f-]{36}/${acme}$`));
    expect(origins[1]).to.equal(origins[0]);
  });

  it('are made in parts where much is unsealed, each a minute after the other', async () => {
    await happened(7);
    await happened(2, other);
    const { later, counts } = world({ entriesMax: 3 });
    expect(await later(3_600)).to.equal(2);
    const sizes = [(await seal()).size];
    for (let part = 0; part < 3; part += 1) {
      await later(60);
      sizes.push((await seal()).size);
    }
    // The seals of the parts are entries too.
    expect(sizes).to.deep.equal([3, 6, 9, 9]);
    expect((await seal(other)).size).to.equal(2);
    expect(counts.scrubbed).to.equal(11);
  });

  it('are made once, also by two workers at the same time', async () => {
    await happened(3);
    const [one, two] = [world(), world()];
    expect(
      (await Promise.all([one.later(3_600), two.later(3_600)])).reduce((a, b) => a + b),
    ).to.equal(1);
    expect(await made.eventsOf((await seal()).stream)).to.have.length(1);
  });

  const logs = { SQLite: testLog, EventStoreDB: remoteTestLog };
  for (const [engine, open] of Object.entries(logs)) {
    it(`cover erased events by what stays of them on ${engine}, sealed before or not`, async () => {
      await made.close();
      made = await open();
      const { later, refused } = world();
      await happened(3);
      const before = names;
      expect(await later(3_600)).to.equal(1);
      await happened(3, acme, 3_600);
      for (const name of [before - 1, names - 1]) {
        await made.log.erase(stream('project', String(name)));
      }
      expect(await later(3_600)).to.equal(1);
      expect(refused).to.deep.equal([]);
      expect(await seal()).to.include({ size: 7, previous_size: 3 });
    });
  }

  const tampered = async (statement: string): Promise<void> => {
    const database = new Database(join(made.dir, 'log.sqlite'));
    try {
      database.exec(statement);
    } finally {
      database.close();
    }
  };
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ['data was changed', `UPDATE events SET data = '{"project_id":"x"}' WHERE pos = 4`, /data are/],
    [
      'an actor was changed',
      `UPDATE events SET metadata = replace(metadata, 'ada', 'bob') WHERE pos = 4`,
      /line/,
    ],
    ['an event was taken out', 'DELETE FROM events WHERE pos = 4', /missing|is not in the log/],
  ];
  for (const [what, statement, why] of refusals) {
    it(`are refused, and stay so, when after the fold ${what}`, async () => {
      await happened(5);
      const chains = await keptChains(made.log);
      await tampered(statement);
      const { later, refused, refusals: open } = world({ chains });
      expect(await later(3_600)).to.equal(0);
      expect(refused).to.have.length(1);
      expect(refused[0]?.why).to.match(why);
      expect(await newest(acme)).to.equal(null);
      expect(await later(100_000)).to.equal(0);
      expect(open()).to.deep.equal(refused);
    });
  }

  it('are refused when what was sealed is another history now, hashes and all', async () => {
    const { later } = world();
    await happened(5);
    expect(await later(3_600)).to.equal(1);
    const forged = '{"project_id":"x"}';
    const digest = hexOf(sha256(forged));
    await tampered(
      `UPDATE events SET data = '${forged}', salt = NULL, digest = unhex('${digest}')
       WHERE pos = 3`,
    );
    await happened(1, acme, 3_600);
    // Started anew, with every read model folded anew.
    const after = world();
    expect(await after.later(10_000)).to.equal(0);
    expect(after.refused[0]?.why).to.match(/the entries up to 5 are not those of its seal/);
    expect((await seal()).size).to.equal(5);
  });

  it('are refused when something sealed is missing, before anything new comes', async () => {
    await happened(5);
    expect(await world().later(3_600)).to.equal(1);
    await tampered('DELETE FROM events WHERE pos = 3');
    // Started anew, with every read model folded anew.
    const { later, refused } = world();
    expect(await later(3_601)).to.equal(0);
    expect(refused[0]?.why).to.equal('it has 5 entries with its seal, which covers 5');
  });

  it('are refused when an event of the organisation is kept out of its history', async () => {
    await happened(5);
    const [gone] = (await made.log.evidence('0000000000000002' as never, 1)).events as [Evidence];
    const without = {
      ...made.log,
      evidence: async (...asked: Parameters<EventLog['evidence']>) => {
        const page = await made.log.evidence(...asked);
        return { ...page, events: page.events.filter(({ id }) => id !== gone.id) };
      },
    };
    const { later, refused } = world({ chains: naiveChains(without) });
    expect(await later(3_600)).to.equal(0);
    expect(refused[0]?.why).to.contain(`${gone.id} of the log is not in the history`);
  });

  it('are refused when the head is not what the entries lead to', async () => {
    await happened(5);
    const chains = naiveChains(made.log);
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
      const { later, refused } = world({ chains: { ...chains, head, heads } });
      expect(await later(3_600)).to.equal(0);
      expect(refused[0]?.why).to.match(/its head 5 is not what it leads to/);
    }
  });

  it('wait while the history is behind its own seal', async () => {
    await happened(4);
    const early = await keptChains(made.log);
    await happened(1);
    expect(await world().later(3_600)).to.equal(1);
    const { later, refused } = world({ chains: early });
    expect(await later(7_300)).to.equal(0);
    expect(refused).to.deep.equal([]);
  });

  it('are cosigned by each witness from where it was, which is asked until it does', async () => {
    const witness = await openSealWitness('witness.example.org/w1');
    try {
      const keys = [key, witnessedKey(key)];
      await happened(3);
      expect(await world({ keys }).later(3_600)).to.equal(1);
      await happened(2, acme, 3_600);
      witness.trust(`assay.example.org/${acme}`, key.vkey('assay.example.org'));
      const late = world({ keys, witnesses: [witness.client()] });
      expect(await late.later(7_200)).to.equal(1);
      expect((await seal()).witnesses).to.deep.equal(['witness.example.org/w1']);
      expect(witness.seen(`assay.example.org/${acme}`)).to.equal(6);
      witness.silent(true);
      await happened(1, acme, 7_300);
      expect(await late.later(3_700)).to.equal(1);
      expect(late.counts.unwitnessed).to.have.length(1);
      witness.silent(false);
      await late.later(1);
      expect((await seal()).witnesses).to.deep.equal([]);
      await late.later(60);
      expect((await seal()).witnesses).to.deep.equal(['witness.example.org/w1']);
    } finally {
      await witness.close();
    }
  });

  it('take no cosignature from another than the witness that was asked', async () => {
    const witness = await openSealWitness('witness.example.org/w1');
    try {
      witness.trust(`assay.example.org/${acme}`, key.vkey('assay.example.org'));
      await happened(1);
      const [, url = ''] = witness.address.split('@');
      const address = witnessAddress(`${newCosigner('witness.example.org/w1').vkey}@${url}`);
      if (address === null) throw new Error('not an address');
      const { later, counts } = world({ witnesses: [sealWitness(address)] });
      expect(await later(3_600)).to.equal(1);
      expect(counts.unwitnessed.join()).to.match(/did not sign what it was asked to/);
      expect((await seal()).witnesses).to.deep.equal([]);
    } finally {
      await witness.close();
    }
  });

  it('get no cosignature for a fork', async () => {
    const witness = await openSealWitness('witness.example.org/w1');
    try {
      witness.trust(`assay.example.org/${acme}`, key.vkey('assay.example.org'));
      await happened(4);
      await world({ witnesses: [witness.client()] }).later(3_600);
      // Another history under the same name and key, as whoever has both could make it.
      const fork = await testLog();
      const first = made;
      made = fork;
      await happened(9);
      const forked = world({ witnesses: [witness.client()] });
      expect(await forked.later(3_600)).to.equal(1);
      made = first;
      await fork.close();
      expect(forked.counts.unwitnessed.join()).to.match(/w1: Fault: .*refuses/);
      expect(witness.seen(`assay.example.org/${acme}`)).to.equal(4);
    } finally {
      await witness.close();
    }
  });
});
