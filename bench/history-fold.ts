import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { sha256 } from '../engines/node/digest.js';
import { openDocuments } from '../engines/sqlite/documents.js';
import { entryHash, genesisHash } from '../ledger/chain/chain.js';
import { toHex } from '../kernel/hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  type CompactRange,
} from '../ledger/chain/merkle-tree.js';
import { logStart, streamNameOf, type Position, type StoredEvent } from '../kernel/ports.js';
import type { OrganizationId } from '../kernel/schema-types.js';
import { openChainReader } from '../ledger/chain-reader.js';
import { historyReadModel } from '../ledger/model.js';
import { batchEventsMax } from '../projections/subscription.js';
import { metadata } from '../test/support/new-events.js';
import type { BenchContext } from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const rounds = 5;
const organization = randomUUID() as OrganizationId;
const project = randomUUID();
const key = randomUUID();

/** Traces of one organisation, eight a request. */
const traceAt = (at: number): StoredEvent => ({
  id: randomUUID(),
  stream: streamNameOf('trace', project, randomUUID()),
  revision: 0,
  position: (at + 1).toString(16).padStart(logStart.length, '0') as Position,
  type: 'TraceLogged',
  data: {},
  metadata: {
    ...metadata,
    actor: { type: 'api_key', id: key, role: 'owner' },
    request_id: `${project.slice(0, -6)}${at >> 3}`,
    correlation_id: `${project.slice(0, -6)}${at >> 3}`,
    organization_id: organization,
  },
  digest: toHex(sha256(String(at))),
});

/** The lane of history alone: what it folds a second, beside its three hashes an entry alone. */
export const historyFoldRow = async (bench: BenchContext): Promise<ResultRow> => {
  const perRound = (bench.smoke ? 4 : 200) * batchEventsMax;
  const dir = join(bench.dir, 'history-fold');
  await mkdir(dir);
  const documents = await openDocuments({ dir });
  try {
    const model = historyReadModel(documents, sha256);
    const folded: number[] = [];
    const hashed: number[] = [];
    let range: CompactRange = [];
    let prev = genesisHash;
    for (let round = 0; round < rounds; round += 1) {
      bench.say(`history-fold: round ${round + 1} of ${rounds}`);
      let [folding, hashing] = [0, 0];
      for (let at = round * perRound; at < (round + 1) * perRound; at += batchEventsMax) {
        const batch = Array.from({ length: batchEventsMax }, (_, one) => traceAt(at + one));
        const began = performance.now();
        const { apply } = await model.fold(batch, null, []);
        await apply({ position: batch.at(-1)?.position ?? logStart, fence: 1 });
        const between = performance.now();
        for (const [one, event] of batch.entries()) {
          const hash = entryHash(sha256, prev, at + one + 1, chainedOf(event));
          prev = toHex(hash);
          range = appendSubtree(sha256, range, 1, leafHash(sha256, hash));
        }
        hashing += performance.now() - between;
        folding += between - began;
      }
      folded.push((perRound / folding) * 1_000);
      hashed.push((perRound / hashing) * 1_000);
    }
    const head = await openChainReader(documents, sha256).head(organization);
    const isEqual =
      toHex(merkleRoot(sha256, head?.range ?? [])) === toHex(merkleRoot(sha256, range));
    return {
      name: 'history-fold',
      what: 'events folded into a chain and its tree, into documents of SQLite',
      parameters: { events: rounds * perRound, batch: batchEventsMax },
      unit: 'events/s',
      measured: figure(summary(folded)),
      baseline: { what: 'their lines, leaves and tree alone', ...figure(summary(hashed)) },
      target: { least: 80_000 },
      more: {},
      hash: resultHash([head?.size, isEqual]),
    };
  } finally {
    await documents.close();
  }
};

const chainedOf = (event: StoredEvent) => ({
  eventId: event.id,
  type: event.type,
  schema: event.metadata.schema,
  stream: event.stream,
  revision: event.revision,
  at: event.metadata.at,
  actor: event.metadata.actor,
  organizationId: organization,
  requestId: event.metadata.request_id,
  correlationId: event.metadata.correlation_id,
  causationId: event.metadata.causation_id,
  dataDigest: event.digest,
});
