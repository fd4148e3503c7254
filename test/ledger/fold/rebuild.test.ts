import { expect } from 'chai';
import { sha256 } from '../../../engines/node/digest.js';
import { base64 } from '../../../ledger/chain/checkpoint.js';
import type { Chains } from '../../../ledger/chain/entries.js';
import { merkleRoot } from '../../../ledger/chain/merkle-tree.js';
import { streamNameOf, type StoredEvent, type StreamName } from '../../../kernel/ports.js';
import { openChainReader } from '../../../ledger/chain-reader.js';
import { historyReadModel } from '../../../ledger/model.js';
import { temporaryFolder } from '../../support/folder.js';
import { append, projectorIn, type OpenProjector } from '../../support/projector.js';
import { uuid } from '../../support/record-generators.js';
import { organizations, recordedAll, user, type UnplacedEvent } from './random-histories.js';

const [organization = ''] = organizations;
const seals = streamNameOf('seals', organization, '2026-03-01');

const traces = (from: number, count: number): readonly StoredEvent[] =>
  recordedAll(
    Array.from({ length: count }, (_, at): UnplacedEvent => ({
      stream: streamNameOf('trace', uuid(1, 1), uuid(3, from + at)),
      type: 'TraceLogged',
      data: { number: at },
      organization,
      actor: user(at % 3),
    })),
  ).map((event, at) => ({ ...event, id: uuid(7, from + at) }));

describe('rebuilding history', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  let chains: Chains;
  const log = async (events: readonly StoredEvent[]): Promise<void> => {
    for (const { stream: name, revision, id, type, data, metadata } of events) {
      await append(open.log, name, revision, { id, type, data, metadata });
    }
    await open.untilCaughtUp();
  };
  /** Signs what the chain is now, or what is said instead. */
  const seal = async (number: number, other: object = {}): Promise<void> => {
    const head = await chains.head(organization);
    if (head === null) throw new Error('nothing to seal');
    const root = base64(merkleRoot(sha256, head.range));
    const said = { chain: organization, size: head.size, head_hash: head.hash, root, ...other };
    const [event] = recordedAll([
      {
        stream: seals,
        type: 'HistorySealed',
        data: { position: head.position, previous_size: 0, note: '', ...said },
        organization,
        actor: user(1),
      },
    ]);
    if (event !== undefined) {
      await log([{ ...event, revision: number, id: uuid(8, number) }]);
    }
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
    open = await projectorIn({
      dir: folder.dir,
      more: (documents) => [historyReadModel(documents, sha256)],
    });
    chains = openChainReader(open.documents, sha256);
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });
  const rebuilt = async (): Promise<unknown> =>
    open.projector.rebuild('history').then(
      () => 'rebuilt',
      (error: unknown) => error,
    );

  it('gives the live documents, also after erasure', async () => {
    await log(traces(0, 300));
    for (let at = 0; at < 300; at += 7) {
      await open.log.erase(`trace-${uuid(1, 1)}-${uuid(3, at)}` as StreamName);
    }
    const [verified] = await open.projector.verify('history');
    expect(verified?.difference).to.equal(null);
    expect(verified?.items).to.equal(8);
    const before = await chains.head(organization);
    expect(await rebuilt()).to.equal('rebuilt');
    expect(await chains.head(organization)).to.deep.equal(before);
    await log(traces(300, 1));
    expect((await chains.head(organization))?.size).to.equal(301);
  });

  it('promotes a copy that agrees with every seal', async () => {
    await log(traces(0, 150));
    await seal(0);
    await log(traces(150, 200));
    await seal(1);
    expect(await rebuilt()).to.equal('rebuilt');
    expect((await chains.head(organization))?.size).to.equal(352);
  });

  const wrongs = [
    { wrong: { head_hash: 'a'.repeat(64) }, size: 20, why: 'entry 20 is another' },
    { wrong: { root: base64(sha256('another')) }, size: 20, why: 'its tree has another root' },
    { wrong: { size: 400 }, size: 400, why: 'it has 21 entries' },
  ];
  for (const { wrong, size, why } of wrongs) {
    it(`discards a copy that contradicts a seal, as ${why}, and keeps the live one`, async () => {
      await log(traces(0, 20));
      await seal(0, wrong);
      const before = await chains.head(organization);
      const told = `history contradicts seal ${size} of ${organization}: ${why}`;
      expect(await rebuilt()).to.include({ code: 'log-damaged', message: told });
      expect(await chains.head(organization)).to.deep.equal(before);
    });
  }
});
