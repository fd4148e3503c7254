import { expect } from 'chai';
import * as fc from 'fast-check';
import { sha256 } from '../../../engines/node/digest.js';
import { entryHash, genesisHash } from '../../../ledger/chain/chain.js';
import type { ChainEntry, ChainQuery } from '../../../ledger/chain/entries.js';
import { fromHex, toHex } from '../../../kernel/hex.js';
import { leafHash, nodeHash, merkleRoot } from '../../../ledger/chain/merkle-tree.js';
import { logStart, streamNameOf, type StoredEvent } from '../../../kernel/ports.js';
import type { Instant } from '../../../kernel/schema-types.js';
import { openChainReader } from '../../../ledger/chain-reader.js';
import { historyCollection, segmentKey, segmentOf } from '../../../ledger/collection.js';
import { historyReadModel } from '../../../ledger/model.js';
import { decodeEvent } from '../../../projections/page-reader.js';
import { drawSeed } from '../../support/test-environment.js';
import { uuid } from '../../support/record-generators.js';
import { runs } from '../../support/runs.js';
import {
  foldInBatches,
  histories,
  organizations,
  recordedAll,
  service,
  user,
  withDocuments,
  type UnplacedEvent,
} from './random-histories.js';

const [first = '', second = ''] = organizations;
const none = { at: null, ascending: true, technical: true } as const;

/** RFC 9162, 2.1.1, over the hashes of entries. */
const naiveRoot = (hashes: readonly string[]): Uint8Array => {
  const [only] = hashes;
  if (only === undefined) return sha256();
  if (hashes.length === 1) return leafHash(sha256, fromHex(only));
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHash(sha256, naiveRoot(hashes.slice(0, split)), naiveRoot(hashes.slice(split)));
};

/** That many traces of one organisation. */
const manyTraces = (count: number): readonly StoredEvent[] =>
  recordedAll(
    Array.from({ length: count }, (_, at): UnplacedEvent => ({
      stream: streamNameOf('trace', uuid(1, 1), uuid(3, at)),
      type: 'TraceLogged',
      data: {},
      organization: first,
      actor: user(at % 3),
    })),
  );

describe('folding the log into history chains', () => {
  const seed = drawSeed('chains');

  it('adds each event once, in log order, hashed as the contract says', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories(700),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        async (history, cuts) =>
          withDocuments(async (documents) => {
            await foldInBatches(documents, history, cuts);
            const chains = openChainReader(documents, sha256);
            const heads = await chains.heads(null, 10);
            const positions: string[] = [];
            for (const { chain, size, hash, range, position } of heads) {
              const entries = await chains.entries(chain, 1, size);
              let prevHash = genesisHash;
              for (const [at, entry] of entries.entries()) {
                expect(entry.seq).to.equal(at + 1);
                expect(entry.prevHash).to.equal(prevHash);
                prevHash = toHex(entryHash(sha256, prevHash, entry.seq, entry));
                expect(entry.hash).to.equal(prevHash);
              }
              expect([size, hash, position]).to.deep.equal([
                entries.length,
                prevHash,
                entries.at(-1)?.position,
              ]);
              const root = naiveRoot(entries.map((one) => one.hash));
              expect(toHex(merkleRoot(sha256, range))).to.equal(toHex(root));
              positions.push(...entries.map((one) => one.position));
            }
            expect(positions.sort()).to.deep.equal(history.events.map(({ position }) => position));
          }),
      ),
      { seed, numRuns: runs(20) },
    );
  });

  it('gives the same documents for any batch boundaries, and after erasure', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories(500),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        async (history, cuts) => {
          const outcome = (one: typeof history, at: readonly number[]) =>
            withDocuments(async (documents) => {
              await foldInBatches(documents, one, at);
              return Array.fromAsync(documents.dump(historyCollection));
            });
          const whole = await outcome(history, [10_000]);
          expect(await outcome(history, cuts)).to.deep.equal(whole);
          expect(await outcome({ ...history, erased: [] }, cuts)).to.deep.equal(whole);
        },
      ),
      { seed, numRuns: runs(20) },
    );
  });

  it('folds a batch again that was not written', async () => {
    await withDocuments(async (documents) => {
      const events = manyTraces(300);
      const model = historyReadModel(documents, sha256);
      let position = logStart;
      for (let at = 0; at < events.length; at += 20) {
        const batch = events.slice(at, at + 20);
        for (const lost of [batch, batch.slice(0, 7)]) await model.fold(lost, null, []);
        const folded = await model.fold(batch, null, []);
        const through = batch.at(-1)?.position ?? position;
        await folded.apply({ position: through, fence: 1, after: position });
        position = through;
      }
      const once = await withDocuments(async (others) => {
        await foldInBatches(others, { events, erased: [] });
        return Array.fromAsync(others.dump(historyCollection));
      });
      expect(await Array.fromAsync(documents.dump(historyCollection))).to.deep.equal(once);
    });
  });

  it('pages through the same entries as a full scan, in both directions', async () => {
    const instants = fc
      .integer({ min: -50, max: 500 })
      .map(
        (at) =>
          new Date(Date.UTC(2026, 2, 1) + at * 1_000).toISOString().replace('Z', '000Z') as Instant,
      );
    const some = <T>(one: fc.Arbitrary<T>) =>
      fc.option(fc.array(one, { maxLength: 3 }), { nil: undefined });
    const ids = fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(25))
      .map(([family, at]) => uuid(family, at));
    const question = fc.record({
      ascending: fc.boolean(),
      technical: fc.boolean(),
      limit: fc.integer({ min: 1, max: 200 }),
      types: some(fc.constantFrom('TraceLogged', 'ApiKeyCreated', 'UserDetailsChanged', 'None')),
      actors: some(ids),
      projects: some(ids),
      resourceTypes: some(fc.constantFrom('trace', 'api_key', 'user', 'log_stream')),
      resourceIds: some(ids),
      // Of entries, by their places.
      events: some(fc.nat(300)),
      from: fc.option(instants, { nil: undefined }),
      to: fc.option(instants, { nil: undefined }),
    });
    const isIn = (name: string | null, names: readonly string[] | undefined): boolean =>
      names === undefined || names.some((one) => one === name);
    await fc.assert(
      fc.asyncProperty(
        histories(600),
        fc.array(question, { minLength: 5, maxLength: 5 }),
        async (history, questions) =>
          withDocuments(async (documents) => {
            await foldInBatches(documents, history);
            const chains = openChainReader(documents, sha256);
            const all = await chains.entries(first, 1, history.events.length);
            for (const {
              types,
              actors,
              projects,
              resourceTypes,
              resourceIds,
              events,
              from,
              to,
              ...rest
            } of questions) {
              const eventIds = events?.map((place) => all[place]?.eventId ?? 'nobody');
              const asked = {
                ...rest,
                ...(eventIds && { eventIds }),
                ...(types && { types }),
                ...(actors && { actors }),
                ...(projects && { projects }),
                ...(resourceTypes && { resourceTypes }),
                ...(resourceIds && { resourceIds }),
                ...(from && { from }),
                ...(to && { to }),
              };
              const wanted = all.filter(
                (one) =>
                  (rest.technical || !one.technical) &&
                  isIn(one.eventId, eventIds) &&
                  isIn(one.type, types) &&
                  isIn(one.actor.id, actors) &&
                  isIn(one.projectId, projects) &&
                  isIn(one.resource.type, resourceTypes) &&
                  isIn(one.resource.id, resourceIds) &&
                  (from === undefined || one.at >= from) &&
                  (to === undefined || one.at <= to),
              );
              const found: ChainEntry[] = [];
              for (let at: number | null = null, more = true; more;) {
                const page = await chains.page(first, { ...asked, at } satisfies ChainQuery);
                expect(page.entries.length).to.be.at.most(rest.limit);
                found.push(...page.entries);
                more = page.next !== null;
                at = page.next;
              }
              expect(found).to.deep.equal(rest.ascending ? wanted : [...wanted].reverse());
            }
          }),
      ),
      { seed, numRuns: runs(15) },
    );
  });

  it('gives the hash of every perfect subtree, through three levels of tiles', async () => {
    await withDocuments(async (documents) => {
      const size = 2 * 65_536 + 700;
      await foldInBatches(documents, { events: manyTraces(size), erased: [] }, [9_000]);
      const chains = openChainReader(documents, sha256);
      const entries = await chains.entries(first, 1, size);
      const head = await chains.head(first);
      expect(head?.size).to.equal(size);
      for (const { at, width, hash } of head?.range ?? []) {
        expect(toHex(await chains.subtree(first, at, width))).to.equal(toHex(hash));
      }
      const spans = [
        [0, 1],
        [700, 4],
        [128, 128],
        [1_024, 256],
        [65_536, 512],
        [32_768, 32_768],
        [65_536, 65_536],
        [0, 131_072],
      ] as const;
      for (const [at, width] of spans) {
        const leaves = entries.slice(at, at + width).map((one) => one.hash);
        const root = await chains.subtree(first, at, width);
        expect(toHex(root), `${at} ${width}`).to.equal(toHex(naiveRoot(leaves)));
      }
      const eventIds = [entries[2]?.eventId ?? ''];
      const asked = { ascending: false, limit: 1, technical: true, eventIds } as const;
      const oldest = await chains.page(first, { ...asked, at: size });
      expect(oldest.entries.map(({ seq }) => seq)).to.deep.equal([3]);
      const refused = await chains.subtree(first, 131_072, 1_024).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(RangeError);
    });
  }).timeout(60_000);

  it('opens only the segments that may hold a resource', async () => {
    await withDocuments(async (documents) => {
      await foldInBatches(documents, { events: manyTraces(3_000), erased: [] });
      const opened: string[] = [];
      const load: typeof documents.load = (collection, keys, asking) => {
        opened.push(...keys);
        return documents.load(collection, keys, asking);
      };
      const chains = openChainReader({ ...documents, load }, sha256);
      for (const ascending of [true, false]) {
        const resourceIds = [uuid(3, 1_300)];
        const found = await chains.page(first, { ...none, ascending, limit: 10, resourceIds });
        expect(found.entries.map(({ seq }) => seq)).to.deep.equal([1_301]);
        expect(found.next).to.equal(null);
        expect(opened.splice(0)).to.deep.equal([segmentKey(first, segmentOf(1_301))]);
      }
    });
  });

  it('returns nothing for a chain without entries', async () => {
    await withDocuments(async (documents) => {
      const chains = openChainReader(documents, sha256);
      expect(await chains.head(first)).to.equal(null);
      expect(await chains.heads(null, 10)).to.deep.equal([]);
      expect(await chains.entries(first, 1, 10)).to.deep.equal([]);
      for (const ascending of [true, false]) {
        expect(await chains.page(first, { ...none, ascending, limit: 10 })).to.deep.equal({
          entries: [],
          next: null,
        });
      }
    });
  });

  it('lists heads by name, after a name, up to a limit', async () => {
    await withDocuments(async (documents) => {
      const names = Array.from({ length: 7 }, (_, at) => uuid(9, at));
      const events = recordedAll(
        [...names].reverse().map((organization, at): UnplacedEvent => ({
          stream: streamNameOf('group', uuid(3, at)),
          type: 'GroupCreated',
          data: {},
          organization,
          actor: user(at),
        })),
      );
      await foldInBatches(documents, { events, erased: [] });
      const chains = openChainReader(documents, sha256);
      const found = await chains.heads(names[1] ?? null, 3);
      expect(found.map(({ chain }) => chain)).to.deep.equal(names.slice(2, 5));
      expect(await chains.heads(names[6] ?? null, 3)).to.deep.equal([]);
    });
  });

  it('folds a batch of more organisations than the segment cache holds', async () => {
    await withDocuments(async (documents) => {
      const names = Array.from({ length: 100 }, (_, at) => uuid(9, at));
      const events = recordedAll(
        [...names, ...names].map((organization, at): UnplacedEvent => ({
          stream: streamNameOf('group', uuid(3, at)),
          type: 'GroupCreated',
          data: {},
          organization,
          actor: user(at),
        })),
      );
      await foldInBatches(documents, { events, erased: [] }, [names.length]);
      const heads = await openChainReader(documents, sha256).heads(null, 200);
      expect(heads.map(({ chain, size }) => [chain, size])).to.deep.equal(
        names.map((name) => [name, 2]),
      );
    });
  });

  it('adds an unreadable event under its own type, in its place', async () => {
    const events = recordedAll(
      ['ApiKeyCreated', 'ApiKeyRevoked'].map((type) => ({
        stream: streamNameOf('api-key', uuid(6, 1)),
        type,
        data: { organization_id: first, project_id: uuid(1, 1) },
        organization: undefined,
        actor: service,
      })),
    );
    const told = (unreadable: boolean) =>
      withDocuments(async (documents) => {
        const decode = (_type: string, _schema: number, data: unknown): unknown => {
          if (unreadable) throw new Error('why not');
          return data;
        };
        await foldInBatches(documents, {
          events: events.map((event) => decodeEvent(event, decode)),
          erased: [],
        });
        return openChainReader(documents, sha256).entries(first, 1, 9);
      });
    const read = await told(false);
    expect(read.map(({ type, projectId }) => [type, projectId])).to.deep.equal(
      events.map(({ type }) => [type, uuid(1, 1)]),
    );
    expect(await told(true)).to.deep.equal(read);
  });

  it('finds the chain of an old event by durable data, actor or project', async () => {
    const old = (
      name: string,
      type: string,
      data: object,
      actor: UnplacedEvent['actor'],
    ): UnplacedEvent => ({
      stream: name as UnplacedEvent['stream'],
      type,
      data: { ...data },
      organization: undefined,
      actor,
    });
    const [project, run, trace, key] = [uuid(1, 1), uuid(2, 1), uuid(3, 1), uuid(6, 1)];
    const events = recordedAll([
      old(`user-${user(1).id}`, 'UserCreated', { organization_id: second }, service),
      old(`api-key-${key}`, 'ApiKeyCreated', { organization_id: second }, user(1)),
      old(`project-${project}`, 'ProjectCreated', { organization_id: 'not asked' }, user(1)),
      old(`run-${run}`, 'LogStreamCreated', { organization_id: 'not asked' }, user(1)),
      old(`trace-${project}-${trace}`, 'TraceLogged', {}, { ...user(1), type: 'api_key', id: key }),
      old(`trace-${project}-${trace}`, 'ScoresRecorded', {}, service),
      old(`run-${run}`, 'LogStreamRenamed', {}, service),
      old('reservation-email-x', 'NameClaimed', { holder: 'x' }, user(1)),
      old('somewhere-else', 'SomethingHappened', { organization_id: second }, service),
    ]);
    await withDocuments(async (documents) => {
      await foldInBatches(documents, { events, erased: [] }, [2]);
      const chains = openChainReader(documents, sha256);
      const typesIn = async (chain: string) =>
        (await chains.entries(chain, 1, 20)).map(({ type, organizationId }) => [
          type,
          organizationId,
        ]);
      expect(await typesIn(second)).to.deep.equal(
        events.slice(0, 7).map(({ type }) => [type, second]),
      );
      expect(await typesIn('system')).to.deep.equal([
        ['NameClaimed', null],
        ['SomethingHappened', null],
      ]);
    });
  });
});
