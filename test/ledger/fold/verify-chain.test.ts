import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { seededRandom } from '../../../kernel/seeded-random.js';
import type { VerifyReason } from '../../../contract/history.js';
import { sha256 } from '../../../engines/node/digest.js';
import { base64 } from '../../../ledger/chain/checkpoint.js';
import type { ChainEntry, Chains } from '../../../ledger/chain/entries.js';
import { fromHex, toHex } from '../../../kernel/hex.js';
import type { Evidence, Position, StreamName } from '../../../kernel/ports.js';
import type { Instant, OrganizationId } from '../../../kernel/schema-types.js';
import {
  verifyChain,
  type VerifyChainNeeds,
  type ChainVerification,
} from '../../../ledger/fold/verify-chain.js';
import { below, oneOf, type Rng } from '../../fuzz/valid-request.js';
import { fixedChains } from '../../support/reference-chains.js';
import { drawSeed } from '../../support/test-environment.js';
import { uuid } from '../../support/record-generators.js';
import { runs } from '../../support/runs.js';

const ours = uuid(9, 1) as OrganizationId;
const others = uuid(9, 2) as OrganizationId;
const positionAt = (place: number): Position => place.toString(16).padStart(16, '0') as Position;

/** The n-th event of a log, with room before it. */
const eventAt = (number: number, changes: Partial<Evidence> = {}, text?: string): Evidence => {
  const salt = randomBytes(16).toString('hex');
  const data = text ?? JSON.stringify({ number });
  return {
    id: uuid(3, number),
    type: 'TraceLogged',
    stream: `trace-${uuid(1, 1)}-${uuid(2, number)}` as StreamName,
    revision: 0,
    position: positionAt(16 * (number + 1)),
    metadata: {
      actor: { type: 'user', id: uuid(5, 1), role: 'owner' },
      request_id: `request ${number}`,
      correlation_id: `request ${number}`,
      causation_id: null,
      at: '2026-03-01T09:00:00.000000Z' as Instant,
      organization_id: number % 3 === 2 ? others : ours,
      schema: 1,
    },
    salt,
    data,
    digest: toHex(sha256(fromHex(salt), data)),
    ...changes,
  };
};

const logOf = (events: readonly Evidence[]): VerifyChainNeeds['log'] => ({
  evidence: async (after, limit) => {
    const some = events.filter(({ position }) => position > after).slice(0, Math.min(limit, 7));
    return { events: some, through: some.at(-1)?.position ?? after };
  },
});

const untouched = Array.from({ length: 60 }, (_, number) => eventAt(number));
const ofOurs = untouched.filter(({ metadata }) => metadata.organization_id === ours);

type Asked = {
  readonly events?: readonly Evidence[];
  readonly chains?: Chains;
  readonly whyErased?: VerifyChainNeeds['whyErased'];
  readonly mayContinue?: VerifyChainNeeds['mayContinue'];
  readonly from?: number;
  readonly to?: number;
};
const verified = async (asked: Asked): Promise<ChainVerification> => {
  const {
    events = untouched,
    whyErased = async () => null,
    mayContinue = async () => true,
  } = asked;
  const chains = asked.chains ?? (await fixedChains(logOf(untouched)));
  const needs = { log: logOf(events), chains, sha256, whyErased, mayContinue };
  return verifyChain(needs, ours, asked.from ?? 1, asked.to ?? ofOurs.length);
};
const without = (number: number) => untouched.filter((_, at) => at !== number);
const changed = (number: number, change: (event: Evidence) => Partial<Evidence>) =>
  untouched.map((event, at) => (at === number ? { ...event, ...change(event) } : event));

/** One way to touch the event of this number, and what verifying may say then. */
const attacks: readonly {
  readonly name: string;
  readonly reasons: readonly VerifyReason[];
  readonly touched: (number: number, rng: Rng) => readonly Evidence[];
}[] = [
  {
    name: 'another text',
    reasons: ['data'],
    touched: (at) => changed(at, () => ({ data: '{"number":-1}' })),
  },
  {
    name: 'another text with its digest',
    reasons: ['data'],
    touched: (at) => changed(at, ({ position }) => ({ ...eventAt(at, { position }, '{}') })),
  },
  {
    name: 'another salt',
    reasons: ['data'],
    touched: (at) => changed(at, () => ({ salt: '00'.repeat(16) })),
  },
  {
    name: 'content taken without an erasure',
    reasons: ['data'],
    touched: (at) => changed(at, () => ({ data: null, salt: null })),
  },
  {
    name: 'another role',
    reasons: ['entry'],
    touched: (at) =>
      changed(at, ({ metadata }) => ({
        metadata: { ...metadata, actor: { ...metadata.actor, role: 'viewer' } },
      })),
  },
  {
    name: 'another time',
    reasons: ['entry'],
    touched: (at) =>
      changed(at, ({ metadata }) => ({
        metadata: { ...metadata, at: '2026-03-01T09:00:00.000001Z' as Instant },
      })),
  },
  {
    name: 'another id',
    reasons: ['entry'],
    touched: (at) => changed(at, () => ({ id: uuid(4, at) })),
  },
  { name: 'another type', reasons: ['entry'], touched: (at) => changed(at, () => ({ type: 'X' })) },
  { name: 'an event less', reasons: ['missing'], touched: (at) => without(at) },
  {
    name: 'an event moved',
    reasons: ['moved', 'missing'],
    touched: (at) => changed(at, () => ({ position: positionAt(16 * (at + 1) + 3) })),
  },
  {
    name: 'an event more',
    reasons: ['extra'],
    touched: (at) => {
      const { metadata } = eventAt(0);
      const more = eventAt(1_000, { position: positionAt(16 * (at + 1) - 5), metadata });
      return [...untouched.slice(0, at), more, ...untouched.slice(at)];
    },
  },
];

describe('verifying a history against the log', () => {
  it('accepts an untouched history, whole and in part', async () => {
    expect(await verified({})).to.deep.equal({
      checked: ofOurs.length,
      erased: 0,
      next: null,
      broken: null,
    });
    expect(await verified({ from: 5, to: 9 })).to.include({ checked: 5, broken: null });
    expect(await verified({ from: 5, to: 5 })).to.include({ checked: 1, next: null });
  });

  it('finds each generated manipulation, and where', async () => {
    const seed = drawSeed('touches of a log');
    const rng = seededRandom(seed).next;
    for (let draw = 0; draw < runs(200); draw += 1) {
      const { name, reasons, touched } = oneOf(rng, attacks);
      const seq = 1 + below(rng, ofOurs.length);
      const number = untouched.findIndex(({ id }) => id === ofOurs[seq - 1]?.id);
      const { broken } = await verified({ events: touched(number, rng) });
      const label = `ASSAY_TEST_SEED=${seed} ${name} at ${seq}`;
      expect(broken?.reason, label).to.be.oneOf(reasons);
      expect(broken?.seq, label).to.equal(seq);
    }
  });

  it('finds a truncated end', async () => {
    const { broken, checked } = await verified({ events: untouched.slice(0, 30) });
    expect(checked).to.equal(20);
    expect(broken).to.include({ seq: 21, reason: 'missing' });
  });

  it('accepts erased content only if an erasure names it', async () => {
    const events = changed(0, () => ({ data: null, salt: null }));
    const named = await verified({ events, whyErased: async () => 'erased' });
    expect(named).to.include({ checked: ofOurs.length, erased: 1, broken: null });
    const { broken } = await verified({ events, whyErased: async () => 'unnamed' });
    expect(broken).to.include({ seq: 1, reason: 'erased' });
  });

  it('finds entries out of order, of another chain and of other hashes', async () => {
    const chains = await fixedChains(logOf(untouched));
    const told = (change: (entry: ChainEntry) => ChainEntry): Chains => ({
      ...chains,
      entries: async (name, from, to) => (await chains.entries(name, from, to)).map(change),
    });
    const at = (seq: number, changes: Partial<ChainEntry>) =>
      told((entry) => (entry.seq === seq ? { ...entry, ...changes } : entry));
    const reasons = [];
    for (const chain of [
      at(5, { position: positionAt(1) }),
      at(5, { prevHash: '00'.repeat(32) }),
      at(5, { hash: '00'.repeat(32) }),
      at(5, { seq: 6 }),
    ]) {
      reasons.push((await verified({ chains: chain })).broken?.reason);
    }
    expect(reasons).to.deep.equal(['order', 'entry', 'entry', 'missing']);
  });

  it('finds a seal that the chain contradicts', async () => {
    const head = await (await fixedChains(logOf(untouched))).head(ours);
    const chains = await fixedChains(logOf(untouched));
    const [last] = await chains.entries(ours, 8, 8);
    const root = base64(await chains.subtree(ours, 0, 8));
    const sealed = (size: number, hash = last?.hash) =>
      JSON.stringify({ chain: ours, size, head_hash: hash, root });
    const ending = async (text: string) => {
      const { metadata } = eventAt(0);
      const seals = `seals-${ours}-2026-03-01` as StreamName;
      const seal = eventAt(200, { type: 'HistorySealed', stream: seals, metadata }, text);
      const events = [...untouched, seal];
      const { broken } = await verified({
        events,
        chains: await fixedChains(logOf(events)),
        to: ofOurs.length + 1,
      });
      return broken?.reason ?? null;
    };
    expect(await ending(sealed(8))).to.equal(null);
    expect(await ending(sealed(8, head?.hash))).to.equal('seal');
    expect(await ending(sealed(9))).to.equal('seal');
    expect(await ending(sealed(4_000))).to.equal('seal');
  });

  it('stops on request, and continues from there', async () => {
    const first = await verified({ mayContinue: async () => false });
    expect(first.checked).to.equal(1);
    expect(first.next).to.equal(first.checked + 1);
    let { checked } = first;
    for (let from = first.next; from !== null;) {
      const one = await verified({ from, mayContinue: async () => false });
      expect(one.broken).to.equal(null);
      checked += one.checked;
      from = one.next;
    }
    expect(checked).to.equal(ofOurs.length);
  });
});
