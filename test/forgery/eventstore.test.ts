import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { digestOf, sha256 } from '../../engines/node/digest.js';
import { randomIds } from '../../engines/node/ids.js';
import { decode } from '../../events/codec.js';
import { systemChain } from '../../ledger/chain/entries.js';
import { streamNameOf, type EventLog, type StreamName } from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { historyVerification } from '../../ledger/reads/verification.js';
import { oneOf, type Rng } from '../fuzz/valid-request.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import type { ServerEvent } from '../support/eventstore-server/store.js';
import { temporaryFolder } from '../support/folder.js';
import { testClock } from '../support/test-log.js';
import { fixedChains } from '../support/reference-chains.js';
import { metadata } from '../support/new-events.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { ours, projects, theirs, sampleEventAt, traceOf } from '../support/sample-history.js';

const gone = streamNameOf('trace', projects[0] ?? '', traceOf(3));
const fact = {
  stream: streamNameOf('erasure', 'x'),
  type: 'StreamsErased',
  data: { streams: [gone] },
  organization: ours,
};

/** Events of three histories, one of their streams erased. */
const tell = async (log: EventLog): Promise<void> => {
  const revisions = new Map<StreamName, number>();
  for (const told of [...Array.from({ length: 60 }, (_, at) => sampleEventAt(at)), fact]) {
    const { stream: name, type, data } = told;
    const before = revisions.get(name);
    revisions.set(name, (before ?? -1) + 1);
    const of = { ...metadata, organization_id: told.organization as OrganizationId };
    const events = [{ id: randomIds.next('EventId'), type, data, metadata: of }];
    await log.append([{ stream: name, expected: before ?? 'none', events }]);
  }
  await log.erase(gone);
};

type Members = Record<string, unknown>;
type Written = { data: Buffer; metadata: Buffer; type: string };

const jsonOf = (text: Buffer): Members => JSON.parse(text.toString()) as Members;
const assay = (change: (members: Members, data: string) => Members) => (entry: ServerEvent) => {
  const members = jsonOf(entry.metadata);
  const own = members['assay'] as Members;
  const changed = change(own, JSON.stringify(jsonOf(entry.data)));
  return { metadata: Buffer.from(JSON.stringify({ ...members, assay: { ...own, ...changed } })) };
};
const member = (name: string, value: unknown) => (entry: ServerEvent) => ({
  metadata: Buffer.from(JSON.stringify({ ...jsonOf(entry.metadata), [name]: value })),
});
const forged = Buffer.from('{"forged":true}');

/** Tampering with an event by a person with the server's disk. */
const touches: Readonly<Record<string, (entry: ServerEvent) => Partial<Written>>> = {
  content: () => ({ data: forged }),
  'content and digest': (entry) => ({
    data: forged,
    ...assay(({ salt }) => ({
      digest: digestOf(Buffer.from(String(salt), 'hex'), forged.toString()).toString('hex'),
    }))(entry),
  }),
  salt: assay(() => ({ salt: '00'.repeat(16) })),
  digest: assay(() => ({ digest: '00'.repeat(32) })),
  id: assay(() => ({ id: randomIds.next('EventId') })),
  time: member('at', '2026-03-01T09:00:00.000001Z'),
  actor: member('actor', { type: 'user', id: 'eve', role: 'owner' }),
  request: member('request_id', 'another'),
  organisation: member('organization_id', randomIds.next('OrganizationId')),
  schema: member('schema', 7),
  'torn metadata': ({ metadata: text }) => ({ metadata: text.subarray(0, text.length - 1) }),
  type: ({ type }) => ({ type: `${type}s` }),
};

describe('an EventStoreDB whose disk was tampered with', function () {
  this.timeout(3_600_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: EventStoreServer;
  before(async () => {
    folder = await temporaryFolder();
    server = await startEventStoreServer({ dir: folder.dir });
  });
  after(async () => {
    await server.close();
    await folder.remove();
  });

  const opened = async <T>(work: (log: EventLog) => Promise<T>): Promise<T> => {
    const log = await openEventStore({ url: server.url, decode });
    try {
      return await work(log);
    } finally {
      await log.close();
    }
  };

  it('is detected by verify, whatever was changed', async () => {
    await opened(tell);
    const chains = await opened(fixedChains);
    const { signal } = new AbortController();
    // A new client: nobody who remembers what was there.
    const verified = () =>
      opened(async (log) => {
        const ask = historyVerification({ log, chains, clock: testClock(), sha256 });
        const found: string[] = [];
        for (const chain of [ours, theirs, systemChain]) {
          const { broken_at: broken } = await ask(chain, { from: 1, to: null }, signal);
          if (broken !== null) found.push(broken.reason);
        }
        return found;
      });
    const seed = drawSeed('touches of an EventStoreDB');
    const rng: Rng = seededRandom(seed).next;
    const all = server.store.all() as ServerEvent[];
    const isOurs = ({ stream: name, type }: ServerEvent): boolean =>
      name.startsWith('assay.') && !type.startsWith('$') && name !== `assay.${gone}`;
    const places = all.flatMap((entry, at) => (isOurs(entry) ? [at] : []));
    expect(places.length).to.be.greaterThan(50);
    expect(await verified()).to.deep.equal([]);
    for (let draw = 0; draw < runs(15); draw += 1) {
      const name = oneOf(rng, [...Object.keys(touches), 'removed', 'swapped']);
      const at = oneOf(rng, places);
      const [entry, other] = [
        all[at],
        all[
          oneOf(
            rng,
            places.filter((one) => one !== at),
          )
        ],
      ];
      if (entry === undefined || other === undefined) throw new RangeError(`no event at ${at}`);
      const [kept, keptOther] = [{ ...entry }, { ...other }];
      if (name === 'removed') all.splice(at, 1);
      else if (name === 'swapped') {
        Object.assign(entry, { data: other.data, metadata: other.metadata });
        Object.assign(other, { data: kept.data, metadata: kept.metadata });
      } else Object.assign(entry, touches[name]?.(entry));
      const label = `ASSAY_TEST_SEED=${seed} draw ${draw}: ${name} at ${at}`;
      expect(await verified(), label).to.not.deep.equal([]);
      if (name === 'removed') all.splice(at, 0, entry);
      Object.assign(entry, kept);
      Object.assign(other, keptOther);
      if (draw % 20 === 0) expect(await verified(), label).to.deep.equal([]);
    }
  });
});
