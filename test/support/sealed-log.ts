import { openDocuments } from '../../engines/sqlite/documents.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { openBus } from '../../engines/memory/bus.js';
import { sha256 } from '../../engines/node/digest.js';
import { randomIds } from '../../engines/node/ids.js';
import { sealingKey } from '../../engines/node/seal-keys.js';
import { decode } from '../../events/codec.js';
import { base64, checkpointText, noteText, chainOrigin } from '../../ledger/chain/checkpoint.js';
import type { ChainName } from '../../ledger/chain/entries.js';
import { merkleRoot } from '../../ledger/chain/merkle-tree.js';
import {
  streamNameOf,
  type Actor,
  type EventLog,
  type Metadata,
  type NewEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { openChainReader } from '../../ledger/chain-reader.js';
import { historyCollection } from '../../ledger/collection.js';
import { historyReadModel } from '../../ledger/model.js';
import { metadata } from './new-events.js';

export const sealSigningKey = sealingKey({ seed: Buffer.alloc(32, 7) });
export const installation = 'assay.example.org';

export type SealedLogEvent = {
  readonly stream: StreamName;
  readonly type: string;
  readonly data: unknown;
  readonly organization: string | null;
  /** Default: the service itself. */
  readonly actor?: Actor;
};

/**
 * A data folder with a log, the history folded from it, and seals signed with a key of the tests:
 * the input of an auditor's commands.
 */
export const openSealedLog = async (dir: string) => {
  const bus = openBus(dir);
  const log: EventLog = await openEventLog({ dir, bus, decode });
  const documents = await openDocuments({ dir });
  const chains = openChainReader(documents, sha256);
  const source = historyReadModel(documents, sha256);
  const revisions = new Map<StreamName, number>();

  const append = async (told: readonly SealedLogEvent[]): Promise<void> => {
    await log.append(
      told.map(({ stream: name, type, data, organization, actor = metadata.actor }) => {
        const expected = revisions.get(name) ?? 'none';
        revisions.set(name, expected === 'none' ? 0 : expected + 1);
        const organization_id = organization as OrganizationId;
        const of: Metadata = { ...metadata, actor, organization_id };
        const event: NewEvent = { id: randomIds.next('EventId'), type, data, metadata: of };
        return { stream: name, expected, events: [event] };
      }),
    );
  };
  const fold = async (): Promise<void> => {
    for (let after = await documents.checkpoint(historyCollection); ;) {
      const page = await log.page(after, 500);
      if (page.through === after) return;
      const folded = await source.fold(page.events, null, page.erased);
      await folded.apply({ position: page.through, fence: 1, after });
      after = page.through;
    }
  };
  /** Signs the chain as folded so far. */
  const seal = async (chain: ChainName): Promise<number> => {
    const head = await chains.head(chain);
    if (head === null) throw new Error(`${chain} is empty`);
    const root = merkleRoot(sha256, head.range);
    const origin = chainOrigin(installation, chain);
    const text = checkpointText({ origin, size: head.size, root });
    const note = noteText({ text, signatures: [sealSigningKey.sign(origin, text)] });
    const { size, position, hash: head_hash } = head;
    const sealed = { chain, size, head_hash, position, root: base64(root), previous_size: 0, note };
    const organization = chain === 'system' ? null : chain;
    const name = streamNameOf('seals', chain, metadata.at.slice(0, 10));
    await append([{ stream: name, type: 'HistorySealed', data: sealed, organization }]);
    return size;
  };
  const { kid, jwk, vkey } = sealSigningKey;
  const keys = { kid, jwk, vkey: vkey(installation) };
  return {
    log,
    chains,
    append,
    fold,
    seal,
    publishKey: () =>
      append([
        {
          stream: streamNameOf('seals', 'system', 'keys'),
          type: 'SealingKeyPublished',
          data: keys,
          organization: null,
        },
      ]),
    close: async () => {
      await documents.close();
      await log.close();
      await bus.close();
    },
  };
};
export type SealedLog = Awaited<ReturnType<typeof openSealedLog>>;
